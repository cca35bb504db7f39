package doctor

import (
	"os"
	"path/filepath"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/trust"
)

// settings looks at config.toml, the person's and the project's, and says what
// an allow by default means here.
func (m Machine) settings() []Result {
	const name = "settings"
	var out []Result
	failed := func(err error) {
		out = append(out, result(name, Failed, hint.Of(err), "%v", err))
	}
	user, _, err := config.Load(config.Default(), m.Home.Root)
	if err != nil {
		failed(err)
	}
	for _, project := range m.Home.Projects(m.CWD) {
		if _, _, err := config.Load(user, project); err != nil {
			failed(err)
		}
	}
	if _, err := trust.Open(m.Home.Trust()); err != nil {
		failed(hint.Wrap(err, "remove the file, then vouch for your projects anew with overseer trust"))
	}
	if len(out) > 0 {
		return out
	}
	path := filepath.Join(m.Home.Root, config.File)
	text := path + " is sound"
	if _, err := os.Stat(path); err != nil {
		text = "there is no " + path + ", the defaults hold"
	}
	return []Result{
		result(name, OK, nil, "%s", text),
		result("default-allow", OK, nil, "%s", m.AllowMeans(m.Home.Load([]string{m.CWD}, agent.Names(), "").Config)),
	}
}

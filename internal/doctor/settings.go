package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/redact"
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
	for _, err := range redact.New(m.Home.Load([]string{m.CWD}, agent.Names(), "").Config.Privacy.Patterns...).Faults() {
		failed(err)
	}
	if _, err := trust.Open(m.Home.Trust()); err != nil {
		failed(hint.Wrap(err, "remove the file, then vouch for your projects anew with overseer trust"))
	}
	if _, err := approval.Load(m.Home.Approvals()); err != nil {
		if len(hint.Of(err)) == 0 {
			err = hint.Wrap(err, "remove the file; the next `overseer approve` writes it again")
		}
		failed(err)
	}
	if err := checkJSON(m.Home.Install()); err != nil {
		out = append(out, result(name, Warning, []string{"move the file away; overseer install writes it again"},
			"%v: overseer uninstall cannot tell how your settings were before", err))
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

// checkJSON fails if there is something at path that is no JSON file.
func checkJSON(path string) error {
	b, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !json.Valid(b):
		return fmt.Errorf("%s is damaged", path)
	}
	return nil
}

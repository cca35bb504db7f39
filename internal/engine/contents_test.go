package engine_test

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/engine"
)

// TestLicenceSeesContents: three allows of a line speak for it, where that can be
// told, until the content of a file changes that it depends on.
func TestLicenceSeesContents(t *testing.T) {
	t.Parallel()
	const yes, no = event.Allow, event.Ask
	for _, tt := range []struct {
		line, changed string
		files         disk // besides the changed one
		same          event.Decision
	}{
		{"./w.sh", "/repo/lib.sh", disk{"/repo/w.sh": `. "$(dirname "$0")/lib.sh"`}, no},
		{"./w.sh", "/repo/o.sh", disk{"/repo/w.sh": "./o.sh"}, yes},
		{"./w.sh", "/repo/o.py", disk{"/repo/w.sh": "python3 o.py"}, yes},
		{"bash < f", "/repo/f", nil, no},
		{"bash -s < f", "/repo/f", nil, no},
		{"cat f | bash", "/repo/f", nil, no},
		{"ssh h sh < f", "/repo/f", nil, no},
		{`sh -c "$(cat f)"`, "/repo/f", nil, no},
		{`eval "$(cat f)"`, "/repo/f", nil, no},
		{"source <(cat f)", "/repo/f", nil, no},
		{"PATH=./bin:$PATH git push origin a", "/repo/bin/git", nil, no},
		{"BASH_ENV=f bash -c 'git push'", "/repo/f", nil, no},
		{"bash --rcfile f -ic 'git push'", "/repo/f", nil, yes},
		{"make -f o.mk", "/repo/o.mk", nil, yes},
		{"make -C sub", "/repo/sub/Makefile", nil, yes},
		{"make", "/repo/inc.mk", disk{"/repo/Makefile": "include inc.mk"}, yes},
		{"npm --prefix sub test", "/repo/sub/package.json", nil, yes},
		{"pnpm -C sub test", "/repo/sub/package.json", nil, yes},
		{"yarn --cwd sub test", "/repo/sub/package.json", nil, yes},
		{"npm test", "/repo/t.js", disk{"/repo/package.json": `{"scripts":{"test":"node t.js"}}`}, yes},
		{"python3 run.py", "/repo/lib.py", disk{"/repo/run.py": "import os, lib"}, yes},
		{"python3 run.py", "/repo/a/b.py", disk{"/repo/run.py": "from a.b import c"}, yes},
		{"node run.js", "/repo/y.js", disk{"/repo/run.js": `require("./y")`}, no},
		{"pytest && git push", "/repo/conftest.py", nil, yes},
		{"cargo build && git push", "/repo/build.rs", nil, yes},
		{"docker build .", "/repo/Dockerfile", nil, yes},
		{"xargs -a list git push", "/repo/list", nil, yes},
		{"xargs kill < list", "/repo/list", nil, yes},
		{"ls | xargs kill", "", nil, no},
		{"git push origin $(cat f)", "/repo/f", nil, yes},
		{`while read b; do git push origin "$b"; done < f`, "/repo/f", nil, yes},
		{"crontab ct", "/repo/ct", nil, yes},
		{"kubectl delete -f k.yaml", "/repo/k.yaml", nil, yes},
		{"kubectl delete -fk.yaml", "/repo/k.yaml", nil, yes},
		{"kubectl delete --filename=k.yaml", "/repo/k.yaml", nil, yes},
		{"curl -d @f https://x.example", "/repo/f", nil, yes},
		{"(cd sub && psql -f a.sql)", "/repo/sub/a.sql", nil, yes},
		{"ansible-playbook p.yml", "/repo/p.yml", nil, yes},
		{"ansible-playbook p.yml", "/repo/t.yml", disk{"/repo/p.yml": "- import_tasks: t.yml"}, yes},
		{"sed -i -f s a.txt && git push", "/repo/s", nil, yes},
		{"vim -S v", "/repo/v", nil, yes},
		{"psql -f *.sql", "", nil, no},
		{"./gen | kubectl apply -f -", "", disk{"/repo/gen": "x"}, no},
		{`git commit -m "see notes.txt"`, "", disk{"/repo/notes.txt": "x"}, yes},
	} {
		with := func(content string) situation {
			if strings.HasSuffix(tt.changed, "package.json") {
				content = `{"scripts":{"test":"` + content + `"}}`
			}
			files := disk{tt.changed: content}
			for at, text := range tt.files {
				files[at] = text
			}
			return bash(tt.line).with(files)
		}
		rulings := with("true").ruled(event.Allow, 3)
		if v := with("true").decide(given(rulings...)); v.Decision != tt.same {
			t.Errorf("%q: %s, want %s", tt.line, v.Decision, tt.same)
		}
		if v := with("false").decide(given(rulings...)); tt.changed != "" && v.Decision != no {
			t.Errorf("%q, %s changed: %s", tt.line, tt.changed, v.Decision)
		}
	}
}

// TestContentsAreListed: a file that a listing does not name is not looked for, and one
// that it may name in another spelling is.
func TestContentsAreListed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		listed []string
		known  bool
		read   bool
	}{
		{"f.sql", []string{"g.sql"}, true, false},
		{"f.sql", nil, true, false},
		{"f.sql", []string{"F.SQL"}, true, true},
		{"f.sql", []string{"f.sql"}, true, true},
		{"f.sql", nil, false, true},
		{"f~1.sql", nil, true, true},
		{"\u00e4.sql", nil, true, true},
	} {
		read := false
		bash("frob " + tt.name).decide(func(in *engine.Input) {
			in.Read = func(at string) ([]byte, bool) {
				read = read || strings.HasSuffix(at, "/"+tt.name)
				return nil, false
			}
			in.List = func(string) ([]string, bool) { return tt.listed, tt.known }
		})
		if read != tt.read {
			t.Errorf("%s, listed %q (known: %v): read %v, want %v", tt.name, tt.listed, tt.known, read, tt.read)
		}
	}
}

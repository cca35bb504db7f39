package guard_test

import (
	"encoding/json"
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/guard"
)

// A person's command to overseer is no more an agent's for standing in a file that
// is run: the file is not written, and a build file that holds one not run.
func TestRecipes(t *testing.T) {
	t.Parallel()
	rules := guard.Rules(guard.Places{Home: "/home/dev/.overseer"})
	type files map[string]string
	write := func(p, content string) event.Event {
		in, _ := json.Marshal(map[string]string{"file_path": p, "content": content, "old_string": "overseer approve x"})
		return event.Event{Tool: event.Tool{Name: "Write", Paths: []string{p}, Input: in}}
	}
	bash := func(c string) event.Event { return event.Event{Tool: event.Tool{Name: "Bash", Command: c}} }
	forged := "x:\n\techo '{\"a\": 1}' | overseer hook PostToolUse --agent claude\n"
	for _, tt := range []struct {
		e    event.Event
		have files
		want event.Decision
	}{
		{write("/repo/Makefile", forged), nil, event.Deny},
		{write("/repo/Makefile", "O = overseer\nx: ; @$(O) approve ev_1\n"), nil, event.Deny},
		{write("/repo/rules.mk", "A := $(shell overseer approve ev_1)\n"), nil, event.Deny},
		{write("/repo/package.json", `{"scripts": {"x": "overseer approve ev_1"}}`), nil, event.Deny},
		{write("/repo/package.json", `    "x": "over\"\"seer approve ev_1",`), nil, event.Deny},
		{write("/repo/justfile", "x:\n  @overseer ledger outcome ev_1 allow\n"), nil, event.Deny},
		{write("/repo/Taskfile.yml", `tasks: {x: {cmds: ["overseer approve ev_1"]}}`), nil, event.Deny},
		{write("/repo/Taskfile.yml", "tasks:\n  x:\n    cmds:\n      - overseer uninstall\n"), nil, event.Deny},
		{write("/repo/tox.ini", "[testenv]\ncommands=overseer approve x"), nil, event.Deny},
		{write("/repo/conftest.py", "import os\nos.system('overseer trust')\n"), nil, event.Deny},
		{write("/repo/test_x.py", "import subprocess\nsubprocess.run(['overseer',\n  'approve', 'x'])\n"), nil, event.Deny},
		{write("/repo/x.js", "require('child_process').execSync('overseer hook PostToolUse')"), nil, event.Deny},
		{write("/repo/x.sh", "overseer approve ev_1"), nil, event.Deny},
		{write("/repo/run", "#!/bin/sh\noverseer approve ev_1"), nil, event.Deny},
		{bash("cat > Makefile <<'E'\n" + forged + "E"), nil, event.Deny},
		{bash("printf 'x:\\n\\toverseer approve ev_1\\n' > Makefile"), nil, event.Deny},
		{bash("echo overseer approve ev_1 | tee x.sh"), nil, event.Deny},
		{bash("apply_patch <<'E'\n*** Begin Patch\n*** Add File: Makefile\n+x:\n+\toverseer approve ev_1\n*** End Patch\nE"), nil, event.Deny},
		{bash("apply_patch <<'E'\n*** Begin Patch\n*** Add File: docs/a.md\n+overseer approve ev_1\n*** Add File: Makefile\n+x:\n*** End Patch\nE"), nil, event.Allow},
		{bash("apply_patch <<'E'\n*** Begin Patch\n*** Update File: notes.md\n*** Move to: Makefile\n@@\n+x:\n+\toverseer approve ev_1\n*** End Patch\nE"), nil, event.Deny},

		{write("/repo/Makefile", "test:\n\tgo test ./...\n\t@echo run overseer approve ev_1\n"), nil, event.Allow},
		{write("/repo/Makefile", "# overseer approve\ntest:\n\toverseer ledger verify\n\toverseer doctor\n"), nil, event.Allow},
		{write("/repo/package.json", `{"name": "overseer", "scripts": {"install": "node x.js", "hook": "vite"}}`), nil, event.Allow},
		{write("/repo/setup.sh", "go build ./... && overseer install\n"), nil, event.Allow},
		{write("/repo/x.py", "# overseer approve ev_1\nprint('ask for overseer')\n"), nil, event.Allow},
		{write("/repo/README.md", "overseer approve ev_1"), nil, event.Allow},
		{write("/repo/overseer/cmd/approve_test.go", `exec.Command("overseer", "approve", id)`), nil, event.Allow},
		{write("/repo/LICENSE", "overseer approve"), nil, event.Allow},
		{bash("cat > notes.md <<'E'\noverseer approve ev_1\nE"), nil, event.Allow},

		{bash("make x"), files{"/repo/Makefile": forged}, event.Deny},
		{bash("make -C sub x"), files{"/repo/sub/Makefile": forged}, event.Deny},
		{bash("cd sub && gmake"), files{"/repo/sub/makefile": forged}, event.Deny},
		{bash("make -fother x"), files{"/repo/other": "O := overseer\nx:\n\t$(O) approve x\n"}, event.Deny},
		{bash("npm --prefix=sub run x"), files{"/repo/sub/package.json": `{"scripts": {"x": "overseer approve ev_1"}}`}, event.Deny},
		{bash("yarn --cwd sub x"), files{"/repo/sub/package.json": `{"scripts": {"x": "overseer approve ev_1"}}`}, event.Deny},
		{bash("npm test"), files{"/repo/package.json": `{"scripts": {"test": "overseer approve ev_1"}}`}, event.Deny},
		{bash("just x"), files{"/repo/justfile": "x:\n  overseer approve ev_1\n"}, event.Deny},
		{bash("task x"), files{"/repo/Taskfile.yml": `tasks: {x: {cmds: ["overseer approve ev_1"]}}`}, event.Deny},
		{bash("tox"), files{"/repo/tox.ini": "[testenv]\ncommands = overseer approve x"}, event.Deny},
		{bash("pytest -q"), files{"/repo/conftest.py": "import os\nos.system('overseer approve x')"}, event.Deny},
		{bash("python3 -m pytest test_x.py"), files{"/repo/test_x.py": "import os\nos.system('overseer approve x')"}, event.Deny},
		{bash("make x"), files{"/repo/Makefile": "x:\n\tgo build -o bin/overseer .\n\toverseer install\n"}, event.Allow},
		{bash("npm test"), files{"/repo/package.json": `{"name": "overseer", "scripts": {"test": "vitest"}}`}, event.Allow},
		{bash("make"), nil, event.Allow},
	} {
		e := tt.e
		e.Name, e.CWD = event.PreToolUse, "/repo"
		read := func(p string) ([]byte, bool) { b, ok := tt.have[p]; return []byte(b), ok }
		v := engine.Decide(engine.Input{Event: &e, Home: "/home/dev", Rules: rules, OnFault: event.Ask, Read: read})
		if v.Decision != tt.want {
			t.Errorf("%s%v %s: got %s, want %s", e.Tool.Command, e.Tool.Paths, e.Tool.Input, v.Decision, tt.want)
		}
	}
}

package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/fireharp/overseer"

// forbidden says which imports a package must not have, and why. A name that
// ends in "/..." covers all below it. Our own packages and other modules are
// looked for through all dependencies, the standard library among the direct
// imports only, since nearly everything of it reaches os.
var forbidden = []struct{ pkg, imports, why string }{
	{"event", "github.com/fireharp/overseer/...", "the vocabulary stands below everything"},
	{"event", "os", "the vocabulary does no I/O"},
	{"event", "net/http", "the vocabulary does no I/O"},
	{"agent/...", "github.com/fireharp/overseer/internal/engine", "the wire knows no policy"},
	{"agent/...", "github.com/fireharp/overseer/internal/ledger/...", "the wire knows no ledger"},
	{"agent/...", "github.com/fireharp/overseer/internal/rule", "the wire knows no rules"},
	{"agent", "os", "codecs do no I/O"},
	{"agent/claudecode", "os", "codecs do no I/O"},
	{"agent/codex", "os", "codecs do no I/O"},
	{"agent/cursor", "os", "codecs do no I/O"},
	{"internal/shell", "os", "a command line is read, never run, and no file is opened"},
	{"internal/shell", "os/exec", "a command line is read, never run"},
	{"internal/shell", "mvdan.cc/sh/v3/interp", "a command line is read, never run"},
	{"internal/effect", "github.com/fireharp/overseer/...", "the vocabulary of effects stands below everything"},
	{"internal/effect", "os", "the vocabulary does no I/O"},
	{"internal/program", "os", "the tables are embedded"},
	{"internal/program", "github.com/fireharp/overseer/internal/shell", "the tables know no shell"},
	{"internal/script", "os", "a script is read, never run"},
	{"internal/sql", "os", "SQL is read, never run"},
	{"internal/winshell", "os", "a command line is read, never run"},
	{"internal/pipeline", "os", "a change is read, never made"},
	{"internal/pipeline", "github.com/fireharp/overseer/internal/shell", "what a command does is handed in: the shell asks about changes too"},
	{"internal/toolcall", "os", "a tool call is read, never made"},
	{"internal/toolcall", "github.com/fireharp/overseer/internal/rule", "effects know no rules"},
	{"internal/rule", "os", "matching is pure"},
	{"internal/rule", "github.com/fireharp/overseer/agent/...", "rules speak of events, not of wires"},
	{"internal/rule", "github.com/fireharp/overseer/internal/constitution", "a source of rules imports the rules, not the other way round"},
	{"internal/constitution", "github.com/fireharp/overseer/internal/engine", "rules do not know who decides by them"},
	{"internal/policy", "github.com/fireharp/overseer/internal/engine", "rules do not know who decides by them"},
	{"internal/policy", "github.com/fireharp/overseer/agent/...", "rules speak of events, not of wires"},
	{"internal/policy", "github.com/fireharp/overseer/internal/judgment/systemone", "who answers judgments is handed in"},
	{"internal/hookmon", "github.com/fireharp/overseer/internal/engine", "the hookmon face decides by its policy alone"},
	{"internal/hookmon", "github.com/fireharp/overseer/internal/journal", "the hookmon face has a log of its own"},
	{"internal/guard", "os", "matching is pure"},
	{"internal/judgment", "os", "thresholds and answers are pure; asking is systemone's"},
	{"internal/judgment", "os/exec", "thresholds and answers are pure; asking is systemone's"},
	{"internal/engine", "os", "a decision does no I/O"},
	{"internal/engine", "net/http", "a decision does no I/O"},
	{"internal/engine", "time", "a decision has no clock of its own"},
	{"internal/engine", "github.com/fireharp/overseer/agent/...", "a decision knows no wire"},
	{"internal/engine", "github.com/fireharp/overseer/internal/ledger/...", "what a decision needs from the ledger is handed in"},
	{"internal/engine", "github.com/fireharp/overseer/internal/journal", "a decision records nothing"},
	{"internal/journal", "net", "the journal is on the path of every hook"},
	{"internal/journal", "os/user", "the journal is on the path of every hook"},
	{"internal/journal", "github.com/fireharp/overseer/internal/ledger/...", "the journal stands below the ledger"},
	{"internal/ledger", "github.com/fireharp/overseer/internal/engine", "the ledger records, it does not decide"},
	{"internal/ledger", "github.com/fireharp/overseer/internal/ledger/sqlite", "the interface knows no backend"},
	{"internal/upkeep", "github.com/fireharp/overseer/internal/ledger/sqlite", "what is done to a ledger is done to any backend"},
	{"internal/upkeep", "github.com/fireharp/overseer/internal/engine", "keeping the record decides nothing"},
	{"internal/ledger", "github.com/fireharp/overseer/internal/ledger/dolt", "the interface knows no backend"},
	{"internal/install", "github.com/fireharp/overseer/internal/engine", "settings files know no decisions"},
	{"internal/install", "github.com/fireharp/overseer/internal/ledger/...", "settings files know no ledger"},
	{".", "github.com/fireharp/overseer/internal/ledger/dolt/...", "a server's driver would cost every hook its start: it is linked with -tags dolt alone"},
	{".", "github.com/go-sql-driver/mysql", "a server's driver would cost every hook its start: it is linked with -tags dolt alone"},
	{"internal/ledger/dolt", "github.com/fireharp/overseer/internal/ledger/sqlite", "one backend does not know another"},
	{".", "net/http", "it would cost every hook 0.7 ms at its start"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func TestImports(t *testing.T) {
	t.Parallel()
	packages := list(t)
	for _, f := range forbidden {
		found := false
		for _, p := range packages {
			rel := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
			if rel == "" {
				rel = "."
			}
			if !covers(f.pkg, rel) {
				continue
			}
			found = true
			imports := p.Imports
			if strings.Contains(f.imports, ".") || f.pkg == "." {
				imports = p.Deps
			}
			for _, i := range imports {
				if covers(f.imports, i) && i != p.ImportPath {
					t.Errorf("%s imports %s: %s", rel, i, f.why)
				}
			}
		}
		if !found {
			t.Errorf("no package %s", f.pkg)
		}
	}
}

func covers(pattern, path string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return pattern == path
}

func list(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps=false", "-json=ImportPath,Imports,Deps", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

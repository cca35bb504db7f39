//go:build dolt

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fireharp/overseer/internal/ledger/dolt/dolttest"
)

// withDolt is true in a build with -tags dolt.
const withDolt = true

// TestTeam runs the scripts in testdata/script-team, each with a server of its own
// of each kind. Two home folders are two machines:
//
//	machine NAME          goes to a machine, which is made if it is new
//	config ADDRESS [BRANCH]
//	server stop|kill|start
//	recorded VAR          the id of the newest record in the machine's journal
//	await WORD            until the server has an event with the word
//	sql STATEMENT ...     as somebody else who uses the server would
//
// $ADDRESS is the ledger's, $ADDR the server's; [dolt] and [mariadb] tell which.
func TestTeam(t *testing.T) {
	t.Cleanup(dolttest.Cleanup)
	for kind, start := range dolttest.Kinds {
		t.Run(kind, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 "testdata/script-team",
				RequireExplicitExec: true,
				Setup: func(e *testscript.Env) error {
					server := start(e.T().(testing.TB))
					e.Values["server"] = server
					e.Setenv("ADDRESS", server.Database())
					e.Setenv("ADDR", server.Addr)
					e.Setenv(testRoot, strconv.Itoa(os.Getpid()))
					return os.MkdirAll(filepath.Join(e.WorkDir, "repo"), 0o755)
				},
				Condition: func(c string) (bool, error) { return c == kind, nil },
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"hook": hook, "lastid": lastID, "machine": machine, "config": configure, "server": server, "sql": sqlStatements, "recorded": recorded, "await": await,
				},
			})
		})
	}
}

func machine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: machine NAME")
	}
	home := filepath.Join(ts.Getenv("WORK"), args[0])
	ts.Setenv("HOME", home)
	ts.Setenv("USER", args[0])
	config := filepath.Join(home, ".overseer", "config.toml")
	if _, err := os.Stat(config); err == nil {
		return
	}
	ts.Check(ts.Exec("overseer", "init"))
	configure(ts, false, []string{ts.Getenv("ADDRESS")})
}

// configure writes the machine's settings.
func configure(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: config ADDRESS [BRANCH]")
	}
	branch := append(args, "main")[1]
	text := fmt.Sprintf("[ledger]\nbackend = \"dolt\"\npath = %q\n[ledger.dolt]\nbranch = %q\n", args[0], branch)
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("HOME"), ".overseer", "config.toml"), []byte(text), 0o600))
}

// recorded is lastid for a machine whose server is away.
func recorded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: recorded VAR")
	}
	text := ts.ReadFile(filepath.Join(ts.Getenv("HOME"), ".overseer", "journal", "00000001.jsonl"))
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var r struct{ ID string }
	ts.Check(json.Unmarshal([]byte(lines[len(lines)-1]), &r))
	ts.Setenv(args[0], r.ID)
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await WORD")
	}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		rows, err := ts.Value("server").(*dolttest.Server).Try(ts.Getenv("ADDRESS"), "SELECT event_id FROM event_words WHERE words LIKE '% "+args[0]+" %'")
		if err == nil && len(rows) > 0 {
			return
		}
	}
	ts.Fatalf("no event with %s", args[0])
}

func server(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value("server").(*dolttest.Server)
	switch {
	case neg || len(args) != 1:
		ts.Fatalf("usage: server stop|kill|start")
	case args[0] == "stop":
		s.Stop()
	case args[0] == "kill":
		s.Kill()
	case args[0] == "start":
		s.Start()
	}
}

// sqlStatements leaves the rows in the file out.
func sqlStatements(ts *testscript.TestScript, neg bool, args []string) {
	rows, err := ts.Value("server").(*dolttest.Server).Try(ts.Getenv("ADDRESS"), args...)
	if neg != (err != nil) {
		ts.Fatalf("sql: %v", err)
	}
	text := ""
	for _, r := range rows {
		text += r + "\n"
	}
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "out"), []byte(text), 0o644))
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// soakVar is how many events TestNothingLost makes; "make soak" sets 10,000.
const soakVar = "OVERSEER_SOAK_EVENTS"

// answeredEvent is a hook event with the id use as its tool-use id.
func answeredEvent(use, command string) string {
	return strings.Replace(bashEvent(command), `"tool_use_id":"t"`, `"tool_use_id":"`+use+`"`, 1)
}

// uses counts the events in the ledger by their tool-use id.
func uses(t *testing.T, run func(io.Reader, ...string) (string, string, int)) map[string]int {
	t.Helper()
	out, stderr, code := run(nil, "ledger", "export")
	if code != 0 {
		t.Fatalf("export: %s", stderr)
	}
	count := map[string]int{}
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		var e struct {
			Kind      string `json:"kind"`
			ToolUseID string `json:"tool_use_id"`
		}
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.Kind == "event" {
			count[e.ToolUseID]++
		}
	}
	return count
}

// TestNothingLost has 64 agents run hooks at once, and readers beside them; hooks
// and readers are killed at random moments. Every event that was answered is in the
// ledger once, none is there twice, and the chain is whole but for torn lines.
func TestNothingLost(t *testing.T) {
	t.Parallel()
	events := soakEvents
	if s := os.Getenv(soakVar); s != "" {
		var err error
		if events, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	home, run := scratch(t)
	start := func(stdin string, args ...string) (*exec.Cmd, *bytes.Buffer) {
		var stdout bytes.Buffer
		c := exec.Command("overseer", args...)
		c.Dir = home
		c.Env = []string{"HOME=" + home, "USER=dev", "PATH=" + os.Getenv("PATH")}
		c.Stdin, c.Stdout = strings.NewReader(stdin), &stdout
		return c, &stdout
	}
	// killed starts the process and kills it after a while, unless it is spared.
	killed := func(c *exec.Cmd, spare bool, within time.Duration) error {
		if err := c.Start(); err != nil {
			return err
		}
		if !spare {
			time.Sleep(rand.N(within))
			_ = c.Process.Kill()
		}
		return c.Wait()
	}
	var mu sync.Mutex
	answered := map[string]bool{}
	var next, kills, usual atomic.Int64 // usual is how long a hook takes at present
	usual.Store(int64(20 * time.Millisecond))
	var agents sync.WaitGroup
	for range 64 {
		agents.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(events) {
					return
				}
				use, command := fmt.Sprintf("use-%d", n), "echo fine"
				if n%5 == 0 {
					command = "rm -rf /" // synced to the disk before it is answered
				}
				c, stdout := start(answeredEvent(use, command), "hook", "PreToolUse", "--agent", "claude")
				spare := n%4 != 0
				begun := time.Now()
				err := killed(c, spare, time.Duration(2*usual.Load()))
				if spare {
					usual.Store((3*usual.Load() + int64(time.Since(begun))) / 4)
				}
				whole := json.Valid(stdout.Bytes()) && stdout.Len() > 0 || c.ProcessState != nil && c.ProcessState.ExitCode() == 2
				if spare && !whole {
					t.Errorf("%s was not answered: %v %s", use, err, stdout.String())
				}
				if whole {
					mu.Lock()
					answered[use] = true
					mu.Unlock()
				} else {
					kills.Add(1)
				}
			}
		})
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				c, _ := start("", "ledger", "tail", "-n", "1")
				_ = killed(c, false, time.Duration(3*usual.Load()))
			}
		})
	}
	agents.Wait()
	close(done)
	readers.Wait()
	count := uses(t, run)
	for use := range answered {
		if count[use] != 1 {
			t.Errorf("%s was answered and is in the ledger %d times", use, count[use])
		}
	}
	for use, n := range count {
		if n > 1 {
			t.Errorf("%s is in the ledger %d times", use, n)
		}
	}
	if len(answered) < events*3/4 {
		t.Errorf("only %d of %d were answered", len(answered), events)
	}
	stdout, stderr, _ := run(nil, "ledger", "verify", "--json")
	var rep struct {
		Findings []struct{ Kind, ID, Text string }
	}
	if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	for _, f := range rep.Findings {
		if f.Kind != "torn" {
			t.Errorf("%+v", f)
		}
	}
	t.Logf("%d events, %d answered, %d killed before, %d torn lines", events, len(answered), kills.Load(), len(rep.Findings))
}

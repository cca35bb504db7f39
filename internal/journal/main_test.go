package journal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/journal"
)

// helperVar makes the test binary a process that appends: its value is the
// folder, the arguments are the prefix of the ids, how many, and the segment size.
const helperVar = "OVERSEER_JOURNAL_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVar); dir != "" {
		os.Exit(helper(dir, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func helper(dir string, args []string) int {
	prefix := args[0]
	n, _ := strconv.Atoi(args[1])
	size, _ := strconv.ParseInt(args[2], 10, 64)
	for _, mode := range args[3:] {
		switch mode {
		case "limit": // the file size limit stands for a full disk
			_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 3000, Max: 3000})
		case "nobody": // root may write everywhere
			_ = syscall.Setuid(65534)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i := range n {
		r := record(fmt.Sprintf("ev_%s_%d", prefix, i))
		if err := journal.Append(ctx, dir, r, journal.Options{SegmentSize: size, Sync: i%50 == 0}); err != nil {
			fmt.Println("error", errorName(err))
			return 1
		}
		fmt.Println(r.ID) // acknowledged
	}
	return 0
}

func errorName(err error) string {
	for name, is := range map[string]error{
		"busy": journal.ErrBusy, "full": journal.ErrFull, "read-only": journal.ErrReadOnly, "missing": journal.ErrMissing,
	} {
		if errors.Is(err, is) {
			return name
		}
	}
	return err.Error()
}

func command(dir string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), helperVar+"="+dir)
	return c
}

func record(id string) journal.Record {
	e := event.Event{
		ID:    id,
		Time:  time.Date(2026, 5, 4, 3, 2, 1, 123456789, time.UTC),
		Agent: "claude",
		Name:  event.PreToolUse,
		CWD:   "/repo",
		Tool:  event.Tool{Name: "Bash", UseID: "toolu_1", Command: "ls && echo <x>", Input: []byte(`{"command":"ls && echo <x>"}`)},
		Raw:   []byte("{\n  \"tool_name\": \"Bash\",\n  \"unknown\": [1, 2]\n}\n"),
	}
	v := event.Verdict{Decision: event.Allow, Basis: event.ByDefault}
	return journal.FromEvent(&e, &v, event.Allow, "", journal.Timings{Read: 1, Decode: 2, Judge: 3, Total: 6}, nil, journal.Fingerprint(&e, nil))
}

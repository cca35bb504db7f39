package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/ledger/sqlite"
)

// helperVar makes the test binary another process of overseer: its value is a
// folder that holds the journal and the ledger, the arguments say what to do.
const helperVar = "OVERSEER_LEDGER_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVar); dir != "" {
		if err := helper(context.Background(), dir, os.Args[1], os.Args[2:]); err != nil {
			fmt.Println("error", errorName(err))
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func command(dir string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), helperVar+"="+dir)
	return c
}

func journalDir(dir string) string { return filepath.Join(dir, "journal") }
func ledgerPath(dir string) string { return filepath.Join(dir, "ledger", "ledger.db") }

func record(id string) journal.Record {
	return journal.Record{Kind: journal.KindEvent, ID: id, Time: time.Now(), Agent: "claude", Event: "PreToolUse", Session: "s", Subject: "go test " + id}
}

func helper(ctx context.Context, dir, do string, args []string) error {
	for _, a := range args {
		switch a {
		case "nobody": // root may write everywhere
			_ = syscall.Setuid(65534)
		case "limit": // the file size limit stands for a full disk
			_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100_000, Max: 100_000})
		}
	}
	switch do {
	case "write": // a prefix and how many; says each line that is in the journal
		n, _ := strconv.Atoi(args[1])
		for i := range n {
			r := record(fmt.Sprintf("ev_%s-%d", args[0], i))
			if err := journal.Append(ctx, journalDir(dir), r, journal.Options{SegmentSize: 100_000}); err != nil {
				return err
			}
			fmt.Println(r.ID)
		}
		return nil
	case "read": // takes in forever, opening the ledger each time as commands do
		for {
			if err := takeIn(ctx, dir); err != nil {
				return err
			}
			fmt.Println("read")
		}
	case "once":
		return takeIn(ctx, dir)
	case "tail":
		s, err := sqlite.Open(ctx, ledgerPath(dir))
		if err != nil {
			return err
		}
		defer s.Close()
		_, err = s.TakeIn(ctx, journalDir(dir), nil)
		fmt.Println(s.ReadOnly(), errorName(err))
		all, err := s.Tail(ctx, ledger.Query{})
		for _, e := range all {
			fmt.Println(e.ID)
		}
		return err
	}
	return errors.New("what?")
}

func takeIn(ctx context.Context, dir string) error {
	s, err := sqlite.Open(ctx, ledgerPath(dir))
	if err != nil {
		return err
	}
	in, err := s.TakeIn(ctx, journalDir(dir), nil)
	if in.Duplicates > 0 || in.Replaced {
		err = fmt.Errorf("a second time: %+v", in)
	}
	return errors.Join(err, s.Close())
}

func errorName(err error) string {
	for name, is := range map[string]error{
		"locked": ledger.ErrLocked, "full": ledger.ErrFull, "read-only": ledger.ErrReadOnly, "missing": ledger.ErrMissing,
		"corrupt": ledger.ErrCorrupt, "newer": ledger.ErrNewer, "older": ledger.ErrOlder,
	} {
		if errors.Is(err, is) {
			return name
		}
	}
	return fmt.Sprint(err)
}

package systemone_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/judgment/judgmenttest"
	"github.com/fireharp/overseer/internal/judgment/systemone"
)

// clock is a clock that tests set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// cached is a client with a cache in a folder of its own that does not exist yet.
func cached(t *testing.T, s *judgmenttest.Server) (*systemone.Client, *clock) {
	t.Helper()
	k := &clock{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	c := client(s)
	c.Cache = &systemone.Cache{Dir: filepath.Join(t.TempDir(), "a", "cache"), TTL: time.Hour, Now: k.now}
	return c, k
}

func ask(t *testing.T, c *systemone.Client, state string, specs ...judgment.Spec) map[string]judgment.Answer {
	t.Helper()
	got, err := c.Ask(t.Context(), json.RawMessage(state), specs)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		out = append(out, filepath.Join(dir, e.Name()))
	}
	return out
}

// entryFiles are the files of answers.
func entryFiles(t *testing.T, dir string) []string {
	t.Helper()
	return slices.DeleteFunc(files(t, dir), func(f string) bool { return len(filepath.Base(f)) != 40 })
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t).Answer("destroys_work", 0.92).Answer("destination", "local")
	c, k := cached(t, s)
	first := ask(t, c, `"rm"`, specs...)
	second := ask(t, c, `"rm"`, specs...)
	if s.Count() != 1 {
		t.Fatalf("%d requests", s.Count())
	}
	for n, a := range first {
		if a.Cached {
			t.Errorf("%s is fresh", n)
		}
		a.Cached = true
		first[n] = a
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("(-fresh +cached)\n%s", diff)
	}

	// Sets overlap: only what is missing is asked for.
	other := judgment.Spec{Name: "other", Type: judgment.Noul, Instructions: "?"}
	ask(t, c, `"rm"`, work, other)
	if q := s.Requests()[1].Questions; len(q) != 1 || q["other"].Type != "noul" {
		t.Errorf("asked for %v", q)
	}

	// An hour later all is asked again.
	k.pass(time.Hour)
	ask(t, c, `"rm"`, specs...)
	if n := len(s.Requests()[2].Questions); n != 3 {
		t.Errorf("%d questions", n)
	}
}

// Whatever an answer depends on makes another answer.
func TestCacheKey(t *testing.T) {
	t.Parallel()
	changed := work
	changed.Instructions += " Really?"
	for _, tt := range []struct {
		name   string
		change func(*systemone.Client) (string, judgment.Spec)
	}{
		{"state", func(*systemone.Client) (string, judgment.Spec) { return `"ls"`, work }},
		{"instructions", func(*systemone.Client) (string, judgment.Spec) { return `"rm"`, changed }},
		{"model", func(c *systemone.Client) (string, judgment.Spec) { c.Model = "jev-1"; return `"rm"`, work }},
		{"endpoint", func(c *systemone.Client) (string, judgment.Spec) { c.Endpoint += "?"; return `"rm"`, work }},
		{"ttl of 0", func(c *systemone.Client) (string, judgment.Spec) { c.Cache.TTL = 0; return `"rm"`, work }},
		{"no cache", func(c *systemone.Client) (string, judgment.Spec) { c.Cache = nil; return `"rm"`, work }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := judgmenttest.New(t)
			c, _ := cached(t, s)
			ask(t, c, `"rm"`, work)
			ask(t, c, `"rm"`, work)
			if s.Count() != 1 {
				t.Fatalf("%d requests for the same", s.Count())
			}
			state, spec := tt.change(c)
			ask(t, c, state, spec)
			if s.Count() != 2 {
				t.Errorf("%d requests", s.Count())
			}
		})
	}
}

// An alias that moves on to another model takes the old answers out of use.
func TestCacheFollowsTheModel(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	c, k := cached(t, s)
	if seen, ok := c.LastModel(); ok {
		t.Errorf("seen %+v before the first call", seen)
	}
	ask(t, c, `"a"`, work)
	s.Model("jev-1.14.0")
	k.pass(time.Minute)
	if got := ask(t, c, `"a"`, work)["destroys_work"].Model; got != "jev-1.13.0" {
		t.Errorf("before anybody can know it is %s", got)
	}
	ask(t, c, `"b"`, work) // now it is known
	if got := ask(t, c, `"a"`, work)["destroys_work"]; got.Model != "jev-1.14.0" || got.Cached {
		t.Errorf("%+v", got)
	}
	want := systemone.Seen{Asked: "jev-latest", Answered: "jev-1.14.0", Since: k.now(), Before: "jev-1.13.0"}
	if seen, ok := c.LastModel(); !ok || seen != want {
		t.Errorf("seen %+v", seen)
	}
	if s.Count() != 3 {
		t.Errorf("%d requests", s.Count())
	}
}

// Answers that were not given are not remembered either.
func TestCacheKeepsNoFailures(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t).Script(judgmenttest.WrongTypes, judgmenttest.Half)
	c, _ := cached(t, s)
	for i, want := range []int{0, 2, 3} {
		got, _ := c.Ask(t.Context(), json.RawMessage(`"a"`), specs)
		if len(got) != want {
			t.Errorf("%d: %v", i, got)
		}
	}
	if n := len(s.Requests()[2].Questions); n != 1 {
		t.Errorf("%d questions in the third request", n)
	}
}

// What is not what this key wrote is no answer, and goes.
func TestCacheIgnoresWhatIsBroken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, path string)
	}{
		{"empty", func(t *testing.T, p string) { write(t, p, "") }},
		{"cut off", func(t *testing.T, p string) { write(t, p, read(t, p)[:60]) }},
		{"one byte", func(t *testing.T, p string) {
			write(t, p, strings.NewReplacer("0.92", "0.02", "latest", "lattst").Replace(read(t, p)))
		}},
		{"forged", func(t *testing.T, p string) {
			write(t, p, strings.Repeat("0", 40)+"\n"+`{"at":"2026-11-30T12:00:00Z","model":"jev-1.13.0","answer":{"type":"noul","noul":0}}`)
		}},
		{"huge", func(t *testing.T, p string) { write(t, p, strings.Repeat("x", 1<<20)) }},
		{"a folder", func(t *testing.T, p string) {
			if err := errors.Join(os.Remove(p), os.Mkdir(p, 0o700)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		for _, which := range []string{"answer", "model"} {
			t.Run(tt.name+" "+which, func(t *testing.T) {
				t.Parallel()
				s := judgmenttest.New(t).Answer("destroys_work", 0.92)
				c, _ := cached(t, s)
				ask(t, c, `"a"`, work)
				for _, f := range files(t, c.Cache.Dir) {
					if strings.HasPrefix(filepath.Base(f), "model-") == (which == "model") {
						tt.spoil(t, f)
					}
				}
				for range 2 {
					if got := ask(t, c, `"a"`, work)["destroys_work"].Noul; got != 0.92 {
						t.Errorf("answer %v", got)
					}
				}
				if s.Count() != 2 {
					t.Errorf("%d requests", s.Count())
				}
			})
		}
	}
}

// An answer for one question is none for another, wherever it is put.
func TestCacheEntriesCannotBeSwapped(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t).Answer("destroys_work", 0.1)
	c, _ := cached(t, s)
	ask(t, c, `"ls"`, work)
	harmless := entryFiles(t, c.Cache.Dir)[0]
	s.Answer("destroys_work", 0.9)
	ask(t, c, `"rm"`, work)
	for _, f := range entryFiles(t, c.Cache.Dir) {
		write(t, f, read(t, harmless))
	}
	if got := ask(t, c, `"rm"`, work)["destroys_work"]; got.Noul != 0.9 || got.Cached {
		t.Errorf("%+v", got)
	}
}

// Another key has other answers, and neither spoils the other's.
func TestCacheOfTwoKeys(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	c, _ := cached(t, s)
	ask(t, c, `"a"`, work)
	other := *c
	other.Key += "x"
	if _, ok := other.LastModel(); ok {
		t.Error("the other key sees the model")
	}
	if got := ask(t, c, `"a"`, work)["destroys_work"]; !got.Cached {
		t.Error("the answer is gone")
	}
}

func TestCacheClock(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	c, k := cached(t, s)
	ask(t, c, `"a"`, work)
	k.pass(-time.Minute) // a clock may be set back a little
	if got := ask(t, c, `"a"`, work)["destroys_work"]; !got.Cached {
		t.Error("not cached")
	}
	k.pass(-24 * time.Hour) // but an answer from the future would last for ever
	if got := ask(t, c, `"a"`, work)["destroys_work"]; got.Cached {
		t.Error("cached")
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	c, _ := cached(t, s)
	c.Cache.Max = 16
	if err := os.MkdirAll(c.Cache.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(c.Cache.Dir, "thesis.txt")
	write(t, mine, "not the cache's")
	old := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(mine, old, old); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		ask(t, c, fmt.Sprintf("%q", fmt.Sprint(i)), work)
		// Files of one moment have no order.
		for _, f := range entryFiles(t, c.Cache.Dir) {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			at := info.ModTime().Add(-time.Minute)
			if err := os.Chtimes(f, at, at); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(entryFiles(t, c.Cache.Dir)); n > 16 {
			t.Fatalf("%d answers", n)
		}
	}
	before := s.Count()
	ask(t, c, `"19"`, work)
	if s.Count() != before {
		t.Error("the newest is gone")
	}
	ask(t, c, `"0"`, work)
	if s.Count() != before+1 {
		t.Error("the oldest is still there")
	}
	if read(t, mine) != "not the cache's" {
		t.Error("a foreign file is gone")
	}
	if _, ok := c.LastModel(); !ok {
		t.Error("the model is forgotten")
	}
}

// A folder that cannot be written costs the cache, not the answer.
func TestCacheThatCannotBe(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	c, _ := cached(t, s)
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	c.Cache.Dir = filepath.Join(file, "cache")
	for range 2 {
		if got := ask(t, c, `"a"`, work)["destroys_work"]; got.Cached {
			t.Errorf("%+v", got)
		}
	}
	if err := c.Cache.Check(); err == nil {
		t.Error("Check finds nothing")
	}
	c.Cache.TTL = 0
	if err := c.Cache.Check(); err != nil {
		t.Errorf("a cache that is off: %v", err)
	}
	good, _ := cached(t, s)
	if err := good.Cache.Check(); err != nil {
		t.Error(err)
	}
	if n := len(files(t, good.Cache.Dir)); n != 0 {
		t.Errorf("Check leaves %d files", n)
	}
}

// An answer that is larger than any that is of use is taken, but not kept.
func TestCacheKeepsNoLargeAnswer(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t).Answer("destroys_work", json.RawMessage(`{"type":"noul","noul":1,"x":"`+strings.Repeat("x", 100_000)+`"}`))
	c, _ := cached(t, s)
	ask(t, c, `"a"`, work)
	ask(t, c, `"a"`, work)
	if s.Count() != 2 || len(entryFiles(t, c.Cache.Dir)) != 0 {
		t.Errorf("%d requests, files %v", s.Count(), entryFiles(t, c.Cache.Dir))
	}
}

// childVar makes the test's own program one of many processes on one cache.
const childVar = "SYSTEMONE_TEST_CHILD"

func TestMain(m *testing.M) {
	if v := os.Getenv(childVar); v != "" {
		os.Exit(child(v))
	}
	os.Exit(m.Run())
}

// child asks the same questions in another order than its siblings and checks each
// answer against the one that belongs to the state.
func child(settings string) int {
	var in struct {
		Endpoint, Dir string
		From          int
	}
	if err := json.Unmarshal([]byte(settings), &in); err != nil {
		fmt.Println(err)
		return 1
	}
	c := &systemone.Client{Endpoint: in.Endpoint, Key: judgmenttest.Key, Timeout: time.Minute,
		Cache: &systemone.Cache{Dir: in.Dir, TTL: time.Hour, Max: 12}}
	for i := range 60 {
		n := (in.From + i) % 15
		got, err := c.Ask(context.Background(), json.RawMessage(fmt.Sprint(`"`, n, `"`)), []judgment.Spec{numbered(n)})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if a := got[numbered(n).Name]; a.Noul != float64(n)/100 {
			fmt.Printf("%d: %+v\n", n, a)
			return 1
		}
	}
	return 0
}

func numbered(n int) judgment.Spec {
	return judgment.Spec{Name: fmt.Sprint("n", n), Type: judgment.Noul, Instructions: "?"}
}

func TestCacheOfManyProcesses(t *testing.T) {
	t.Parallel()
	s := judgmenttest.New(t)
	for n := range 15 {
		s.Answer(numbered(n).Name, float64(n)/100)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	var wg sync.WaitGroup
	for i := range 8 {
		settings, _ := json.Marshal(map[string]any{"Endpoint": s.Endpoint, "Dir": dir, "From": i * 2})
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childVar+"="+string(settings))
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
	wg.Wait()
	if n := s.Count(); n < 15 || n >= 8*60 {
		t.Errorf("%d requests for 480 questions", n)
	}
	var left []string
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, _ error) error {
		if strings.Contains(d.Name(), "overseer-judgment") {
			left = append(left, p)
		}
		return nil
	})
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func BenchmarkWarm(b *testing.B) {
	s := judgmenttest.New(b)
	c := client(s)
	c.Cache = &systemone.Cache{Dir: b.TempDir(), TTL: time.Hour}
	if _, err := c.Ask(b.Context(), state, specs); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Ask(b.Context(), state, specs); err != nil {
			b.Fatal(err)
		}
	}
	if s.Count() != 1 {
		b.Fatalf("%d requests", s.Count())
	}
}

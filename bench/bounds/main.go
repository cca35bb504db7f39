// Bounds measures how long the hook's analysis takes on large and hostile input:
// each event of a wide table is decoded, judged under the rules that "overseer
// init" makes and encoded, at half its size and whole. It prints CPU time, bytes that
// were allocated, the growth from half to whole (2 is linear) and the verdict, the
// slowest first, beside a fixed load that was measured in the same run, since
// machines are noisy.
//
//	go run ./bench/bounds [-only regexp] [-runs 5] [-spawn]
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fireharp/overseer/agent"
	_ "github.com/fireharp/overseer/agent/claudecode" // registers itself
	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/engine"
	"github.com/fireharp/overseer/internal/guard"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/rule"
)

// limit is what issue 4, point 7 allows one answer.
const limit = 50 * time.Millisecond

var verbose bool

func main() {
	only := flag.String("only", "", "a regular expression on the names of the loads")
	runs := flag.Int("runs", 5, "runs of each load, of which the fastest counts")
	profile := flag.String("cpuprofile", "", "a file for a profile")
	hooks := flag.Bool("spawn", false, "measure whole hook processes instead, each beside a plain one")
	payload := flag.String("payload", "", "print what Claude Code would send for the load of this name, instead of measuring")
	flag.BoolVar(&verbose, "v", false, "print each load as it is measured")
	flag.Parse()
	if *payload != "" {
		for _, l := range loads() {
			if l.name == *payload {
				b := bench{repo: "/tmp"}
				_, _ = os.Stdout.Write(b.payload(l, 2))
				return
			}
		}
		fmt.Fprintf(os.Stderr, "bounds: no load is called %q\n", *payload)
		os.Exit(1)
	}
	if err := run(*only, *runs, *profile, *hooks); err != nil {
		fmt.Fprintln(os.Stderr, "bounds:", err)
		os.Exit(1)
	}
}

// result is what one load took.
type result struct {
	name        string
	half, whole float64 // multiples of the fixed load
	bytes       uint64
	size        int
	verdict     event.Verdict
}

func run(only string, runs int, profile string, hooks bool) error {
	pick, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "overseer-bounds-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if hooks {
		return spawn(dir, pick, runs)
	}
	b, err := newBench(dir)
	if err != nil {
		return err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var results []result
	for _, l := range loads() {
		if !pick.MatchString(l.name) {
			continue
		}
		r := result{name: l.name}
		half, whole := b.payload(l, 1), b.payload(l, 2)
		r.size = len(whole)
		r.half, _, _ = b.fastest(half, runs)
		r.whole, r.bytes, r.verdict = b.fastest(whole, runs)
		results = append(results, r)
		if verbose {
			fmt.Fprintf(os.Stderr, "%-36s %6.1fms %6.1fms\n", r.name, scaled(r.half), scaled(r.whole))
		}
	}
	if len(results) == 0 {
		return fmt.Errorf("no load is called %q", only)
	}
	report(results)
	return nil
}

// report prints the results, the slowest first.
func report(results []result) {
	slices.SortFunc(results, func(x, y result) int { return cmp.Compare(y.whole, x.whole) })
	fmt.Printf("%-36s %9s %8s %8s %7s %9s  %s\n", "", "size", "half", "whole", "growth", "allocated", "verdict")
	over := 0
	for _, r := range results {
		mark := ""
		if at := r.whole * float64(reference.Microseconds()) / 1000; at > float64(limit.Milliseconds()) {
			mark, over = " OVER", over+1
		}
		fmt.Printf("%-36s %5.0f KiB %6.1fms %6.1fms %7.2f %6.1fMiB  %s by %s%s%s\n", r.name, float64(r.size)/1024, scaled(r.half), scaled(r.whole), r.whole/max(r.half, 0.01),
			float64(r.bytes)/(1<<20), r.verdict.Decision, r.verdict.Basis, faultMark(r.verdict), mark)
	}
	fmt.Printf("\n%d loads, %d over %v. Times are of a machine on which the fixed load takes %.1f ms;\nhere it took %.1f to %.1f ms (each load is divided by the runs of it just before and after).\n",
		len(results), over, limit, ms(reference), ms(fixedMin), ms(fixedMax))
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err == nil {
		fmt.Printf("Peak memory of this process over all loads, their payloads included: %d MiB.\n", u.Maxrss>>10)
	}
}

// scaled gives a multiple of the fixed load in milliseconds of the reference machine.
func scaled(x float64) float64 { return x * float64(reference.Microseconds()) / 1000 }

// faultMark tells that a load was not read whole.
func faultMark(v event.Verdict) string {
	if len(v.Faults) > 0 {
		return " (not read whole)"
	}
	return ""
}

// bench judges events as the hook does.
type bench struct {
	codec agent.Provider
	user  string
	repo  string
	hm    home.Home
	rules []*rule.Rule
	l     home.Loaded
	key   []byte
}

func newBench(dir string) (*bench, error) {
	b := &bench{user: filepath.Join(dir, "home"), repo: filepath.Join(dir, "home/repo")}
	if err := os.MkdirAll(filepath.Join(b.repo, ".git"), 0o755); err != nil {
		return nil, err
	}
	var err error
	if b.hm, err = home.New(b.user, filepath.Join(b.user, ".overseer")); err != nil {
		return nil, err
	}
	packs, err := home.ParsePacks([]string{"all"})
	if err != nil {
		return nil, err
	}
	if _, err := b.hm.Init(packs...); err != nil {
		return nil, err
	}
	if b.key, err = b.hm.Key(); err != nil {
		return nil, err
	}
	if b.codec, err = agent.Lookup("claude"); err != nil {
		return nil, err
	}
	b.l = b.hm.Load([]string{b.repo}, agent.Names(), "claude")
	places := guard.Places{Home: b.hm.Root, Project: []string{home.Name, ".claude/settings.json"}, Settings: []string{filepath.Join(b.user, ".claude/settings.json")}}
	b.rules = append(guard.Rules(places), b.l.Rules...)
	return b, nil
}

// payload is what Claude Code sends for a load.
func (b *bench) payload(l load, scale int) []byte {
	tool, input := l.make(scale)
	if tool == "" {
		return []byte(input[""].(string))
	}
	p, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": b.repo, "hook_event_name": "PreToolUse", "permission_mode": "default",
		"tool_name": tool, "tool_input": input, "tool_use_id": "t",
	})
	if err != nil {
		panic(err) // the table is wrong
	}
	return p
}

// fastest judges a payload several times and gives the best time as a multiple of the
// fixed load.
func (b *bench) fastest(payload []byte, runs int) (best float64, bytes uint64, v event.Verdict) {
	for range runs {
		// Each hook is a process of its own, which begins with an empty heap.
		debug.FreeOSMemory()
		ref := fixedLoad()
		debug.FreeOSMemory()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpuTime()
		v = b.judge(payload)
		d := cpuTime() - start
		runtime.ReadMemStats(&after)
		ref = (ref + fixedLoad()) / 2
		if x := float64(d) / float64(ref); best == 0 || x < best {
			best, bytes = x, after.TotalAlloc-before.TotalAlloc
		}
		if d > time.Second {
			break
		}
	}
	return best, bytes, v
}

func (b *bench) judge(payload []byte) event.Verdict {
	e, err := b.codec.Decode("", payload)
	if err != nil {
		return engine.Fault(&e, event.Ask, err.Error())
	}
	v := engine.Decide(engine.Input{
		Event: &e, Home: b.user, Repo: b.repo, Rules: b.rules, OnFault: b.l.Config.OnFault, DefaultAllow: b.l.Config.Answer.DefaultAllow,
		Real: func(p string) string { return p },
		Precedents: engine.Precedents{
			Key:     b.key,
			Action:  func() string { return journal.Fingerprint(&e, b.key) },
			Besides: func() string { return journal.Besides(&e) },
		},
		Read: func(p string) ([]byte, bool) { d, err := os.ReadFile(p); return d, err == nil },
	})
	b.codec.Encode(&e, &v)
	return v
}

// reference is what the fixed load takes where nothing else runs, on the machine that
// docs/limits.md names.
const reference = time.Millisecond

var fixedMin, fixedMax time.Duration

// fixedLoad is work that has nothing to do with overseer, by which the machine's
// speed at this moment is told: words are split, sorted and counted.
func fixedLoad() time.Duration {
	best := time.Duration(0)
	for range 2 {
		start := cpuTime()
		words := strings.Fields(strings.Repeat("the quick brown fox jumps over the lazy dog ", 4_000))
		slices.Sort(words)
		seen := map[string]int{}
		for _, w := range words {
			seen[w]++
		}
		if d := cpuTime() - start; best == 0 || d < best {
			best = d
		}
	}
	if fixedMin == 0 || best < fixedMin {
		fixedMin = best
	}
	fixedMax = max(fixedMax, best)
	return best
}

// cpuTime is what this process has used of all cores so far. Unlike the clock it
// does not count what other processes take, and it counts the garbage collector's
// work on the other core.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

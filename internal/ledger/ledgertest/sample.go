package ledgertest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/precedent"
)

// Sample makes records as the agents' real payloads give them: sessions of some
// hundred tool calls, a prompt now and then, a PostToolUse for most calls, one in
// twenty asked and one in fifty denied. The same seed gives the same records.
type Sample struct {
	rng     *rand.Rand
	now     time.Time
	n       int
	session string
	repo    string
	pending *journal.Record
	input   map[string]any
}

// NewSample starts a sequence of records.
func NewSample(seed uint64) *Sample {
	return &Sample{rng: rand.New(rand.NewPCG(seed, 1)), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

var vocabulary = strings.Fields(`the a of to in and file test build error function return value server client request
response user name path config option list index table query row key cache update delete create read write open close
handle parse format check verify run start stop retry timeout connect message event tool agent rule policy ledger journal
segment reader writer buffer offset length hash chain record entry result summary context token model session project
module package import export interface struct method field type string number boolean null array object map slice`)

func (s *Sample) word() string { return vocabulary[s.rng.IntN(len(vocabulary))] }

func (s *Sample) text(words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(" \n"[min(s.rng.IntN(12)/11, 1)])
		}
		b.WriteString(s.word())
	}
	return b.String()
}

func (s *Sample) hex(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%x", s.rng.IntN(16))
	}
	return b.String()
}

func (s *Sample) path() string {
	return fmt.Sprintf("%s/%s/%s_%s.%s", s.repo, s.word(), s.word(), s.word(), []string{"go", "ts", "py", "md"}[s.rng.IntN(4)])
}

func (s *Sample) command() string {
	switch s.rng.IntN(8) {
	case 0:
		return fmt.Sprintf("go test ./%s/... -run Test%s -count=1 2>&1 | tail -%d", s.word(), s.word(), s.rng.IntN(90))
	case 1:
		return fmt.Sprintf("grep -rn %q %s --include=*.go | head -%d", s.word()+" "+s.word(), s.repo, s.rng.IntN(90))
	case 2:
		return fmt.Sprintf("git add -A && git commit -m %q", s.text(6))
	case 3:
		return fmt.Sprintf("sed -n '%d,%dp' %s", s.rng.IntN(500), s.rng.IntN(500), s.path())
	case 4:
		return fmt.Sprintf("cd %s && npm run %s -- --%s=%s", s.repo, s.word(), s.word(), s.word())
	case 5:
		return fmt.Sprintf("git push origin %s-%s", s.word(), s.word())
	case 6:
		return fmt.Sprintf("python3 - <<'EOF'\nimport %s\nprint(%s.%s(%d))\nEOF", s.word(), s.word(), s.word(), s.rng.IntN(1e6))
	}
	return fmt.Sprintf("ls -la %s && cat %s", s.path(), s.path())
}

// Next is the next record.
func (s *Sample) Next() journal.Record {
	s.now = s.now.Add(time.Duration(s.rng.IntN(20e6)) * time.Microsecond)
	s.n++
	if s.n%400 == 1 {
		s.session = fmt.Sprintf("%s-%s-4%s-8%s-%s", s.hex(8), s.hex(4), s.hex(3), s.hex(3), s.hex(12))
		s.repo = "/home/dev/" + s.word() + "-" + s.word()
	}
	base := map[string]any{
		"session_id":      s.session,
		"transcript_path": "/home/dev/.claude/projects/" + strings.ReplaceAll(s.repo, "/", "-") + "/" + s.session + ".jsonl",
		"cwd":             s.repo,
		"prompt_id":       fmt.Sprintf("%s-%s-4%s-9%s-%s", s.hex(8), s.hex(4), s.hex(3), s.hex(3), s.hex(12)),
		"permission_mode": "acceptEdits",
		"effort":          map[string]any{"level": "medium"},
	}
	e := event.Event{ID: journal.NewID("ev", s.now), Time: s.now, Agent: "claude", Session: s.session, CWD: s.repo, PermissionMode: "acceptEdits"}
	v := event.Verdict{Decision: event.Allow, Basis: event.ByDefault}
	switch {
	case s.pending != nil:
		e.Name, e.Tool = event.PostToolUse, event.Tool{Name: s.pending.Tool, UseID: s.pending.ToolUseID}
		if s.pending.Tool == "Bash" {
			e.Tool.Command = s.pending.Subject
			base["tool_response"] = map[string]any{"stdout": s.text(s.rng.IntN(150)), "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false}
		} else {
			e.Tool.Paths = []string{s.pending.Subject}
			base["tool_response"] = map[string]any{"filePath": s.pending.Subject, "originalFile": s.text(300), "userModified": false, "replaceAll": false}
		}
		base["duration_ms"] = s.rng.IntN(5000)
		s.pending = nil
	case s.n%40 == 2:
		e.Name, e.Prompt = event.UserPromptSubmit, s.text(10+s.rng.IntN(80))
		base["prompt"] = e.Prompt
	default:
		e.Name = event.PreToolUse
		e.Tool.UseID = "toolu_01" + s.hex(22)
		if s.rng.IntN(3) > 0 {
			e.Tool.Name, e.Tool.Command = "Bash", s.command()
			s.input = map[string]any{"command": e.Tool.Command, "description": s.text(5)}
		} else {
			e.Tool.Name, e.Tool.Paths = "Edit", []string{s.path()}
			s.input = map[string]any{"file_path": e.Tool.Paths[0], "old_string": s.text(40), "new_string": s.text(45), "replace_all": false}
		}
		v.Signature = s.signature(&e)
		switch k := s.rng.IntN(100); {
		case k < 5:
			v = event.Verdict{Decision: event.Ask, Basis: event.ByRule, Signature: v.Signature, Reason: "this is seen by others, so a person decides"}
			v.Reasons = []event.Reason{{Rule: "ask-before-" + s.word(), Do: "ask", Text: v.Reason, At: "shared.md:42", Settled: true}}
		case k < 7:
			v = event.Verdict{Decision: event.Deny, Basis: event.ByRule, Signature: v.Signature, Reason: "this cannot be undone"}
			v.Reasons = []event.Reason{{Rule: "never-" + s.word(), Do: "deny", Text: v.Reason, At: "shared.md:7", Settled: true}}
		}
	}
	base["hook_event_name"] = e.Name
	if e.Tool.Name != "" {
		base["tool_name"], base["tool_use_id"], base["tool_input"] = e.Tool.Name, e.Tool.UseID, s.input
		e.Tool.Input, _ = json.Marshal(s.input)
	}
	e.Raw, _ = json.Marshal(base)
	r := journal.FromEvent(&e, &v, v.Decision, "", journal.Timings{Read: 11, Decode: 25, Judge: int64(100 + s.rng.IntN(900)), Total: int64(1000 + s.rng.IntN(2000))}, nil, journal.Fingerprint(&e, nil))
	if e.Name == event.PreToolUse && v.Decision != event.Deny && s.rng.IntN(10) > 0 {
		s.pending = &r
	}
	return r
}

// signature describes the event's action about as the engine would.
func (s *Sample) signature(e *event.Event) string {
	act := precedent.Act{Tool: "shell", Text: e.Tool.Command, Form: []string{e.Tool.Command}, Root: s.repo}
	for part := range strings.SplitSeq(e.Tool.Command, "&&") {
		if f := strings.Fields(part); len(f) > 1 {
			act.Programs = append(act.Programs, f[0]+" "+f[1])
		}
	}
	if len(e.Tool.Paths) > 0 {
		act = precedent.Act{Tool: "file", Programs: []string{e.Tool.Name}, Text: e.Tool.Paths[0], Form: []string{"files"}, Root: s.repo, Loose: true}
		act.Effects = []effect.Effect{{Kind: effect.FileWrite, Targets: []effect.Target{{Name: e.Tool.Paths[0], Scope: effect.Repo}}}}
	}
	a := precedent.Of(act, []byte("a key"))
	return a.Signature.String()
}

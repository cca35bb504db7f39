package model_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/e2e/model"
)

// dialect is how a test plays an agent of one API.
type dialect struct {
	path  string
	tools []map[string]any
	// result is a request that brings one tool result.
	result func(id, text string) map[string]any
}

var (
	anthropic = dialect{
		path:  "/v1/messages",
		tools: []map[string]any{{"name": "Bash"}, {"name": "Write"}, {"name": "Read"}},
		result: func(id, text string) map[string]any {
			return map[string]any{"messages": []any{
				map[string]any{"role": "user", "content": "hello"},
				map[string]any{"role": "user", "content": []any{map[string]any{
					"type": "tool_result", "tool_use_id": id, "is_error": true,
					"content": []any{map[string]any{"type": "text", "text": text}},
				}}},
			}}
		},
	}
	openai = dialect{
		path:  "/v1/responses",
		tools: []map[string]any{{"name": "exec_command", "type": "function"}, {"name": "apply_patch", "type": "custom"}, {"type": "web_search"}},
		result: func(id, text string) map[string]any {
			return map[string]any{"input": []any{
				map[string]any{"type": "message", "role": "user", "content": []any{}},
				map[string]any{"type": "function_call_output", "call_id": id, "output": text},
			}}
		},
	}
	codeMode = dialect{path: "/v1/responses", tools: []map[string]any{{"name": "exec", "type": "custom"}}}
)

// post sends one request and gives back the answer's body.
func post(t *testing.T, s *model.Server, path string, body map[string]any) []byte {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(s.URL+path, "application/json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %s: %s", path, res.Status, out.String())
	}
	return out.Bytes()
}

// events reads a stream of server-sent events, and checks that each one's data
// repeats its name, as agents expect.
func events(t *testing.T, stream []byte) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	var name string
	for sc := bufio.NewScanner(bytes.NewReader(stream)); sc.Scan(); {
		line := sc.Text()
		if n, ok := strings.CutPrefix(line, "event: "); ok {
			name = n
		}
		if d, ok := strings.CutPrefix(line, "data: "); ok {
			var data map[string]any
			if err := json.Unmarshal([]byte(d), &data); err != nil {
				t.Fatalf("event %s: %v", name, err)
			}
			if data["type"] != name {
				t.Errorf("event %s has the type %v", name, data["type"])
			}
			all[name] = data
		}
	}
	return all
}

// said digs the tool's name and its input, or the text, out of a stream.
func said(t *testing.T, d dialect, stream []byte) (tool, input, text string) {
	t.Helper()
	ev := events(t, stream)
	get := func(v any, keys ...string) any {
		for _, k := range keys {
			m, _ := v.(map[string]any)
			v = m[k]
		}
		return v
	}
	str := func(v any) string { s, _ := v.(string); return s }
	if d.path == anthropic.path {
		block, delta := ev["content_block_start"], ev["content_block_delta"]
		return str(get(block, "content_block", "name")), str(get(delta, "delta", "partial_json")), str(get(delta, "delta", "text"))
	}
	item := get(ev["response.output_item.done"], "item")
	if parts, ok := get(item, "content").([]any); ok {
		text = str(get(parts[0], "text"))
	}
	return str(get(item, "name")), str(get(item, "arguments")) + str(get(item, "input")), text
}

func TestStepsInEachDialect(t *testing.T) {
	t.Parallel()
	const patch = "*** Begin Patch\n*** Add File: /r/a.txt\n+one\n+two\n*** End Patch\n"
	cases := []struct {
		name              string
		d                 dialect
		step              model.Step
		tool, input, text string
	}{
		{"shell on Claude Code", anthropic, model.Shell("touch m"), "Bash", `{"command":"touch m","description":"run it"}`, ""},
		{"write on Claude Code", anthropic, model.Write("/r/a.txt", "one\ntwo\n"), "Write", `{"content":"one\ntwo\n","file_path":"/r/a.txt"}`, ""},
		{"read on Claude Code", anthropic, model.Read("/r/a.txt"), "Read", `{"file_path":"/r/a.txt"}`, ""},
		{"text on Claude Code", anthropic, model.Text("bye"), "", "", "bye"},
		{"shell on Codex", openai, model.Shell("touch m"), "exec_command", `{"cmd":"touch m"}`, ""},
		{"write on Codex", openai, model.Write("/r/a.txt", "one\ntwo\n"), "apply_patch", patch, ""},
		{"read on Codex", openai, model.Read("/r/it's"), "exec_command", `{"cmd":"cat '/r/it'\\''s'"}`, ""},
		{"text on Codex", openai, model.Text("bye"), "", "", "bye"},
		{"shell in code mode", codeMode, model.Shell("touch m"), "exec", `text(JSON.stringify(await tools.exec_command({"cmd":"touch m"})))`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := model.Start(t, c.step)
			tool, input, text := said(t, c.d, post(t, s, c.d.path, map[string]any{"stream": true, "tools": c.d.tools}))
			if got, want := []string{tool, input, text}, []string{c.tool, c.input, c.text}; !cmp.Equal(got, want) {
				t.Error(cmp.Diff(want, got))
			}
		})
	}
}

func TestTellsWhatTheModelWasTold(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]dialect{"Claude Code": anthropic, "Codex": openai} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := model.Start(t, model.Shell("first"), model.Later(func(s *model.Server) model.Step {
				told, _ := s.Told(0)
				return model.Text("heard " + told.Text)
			}))
			post(t, s, d.path, map[string]any{"stream": true, "tools": d.tools})
			if r, ok := s.Told(0); ok {
				t.Fatalf("told %q before any result", r.Text)
			}
			body := d.result(s.Calls()[0].ID, "blocked: no")
			body["stream"], body["tools"] = true, d.tools
			_, _, text := said(t, d, post(t, s, d.path, body))
			if text != "heard blocked: no" {
				t.Errorf("the later step saw %q", text)
			}
			got, ok := s.Told(0)
			if want := (model.Result{Text: "blocked: no", Failed: d.path == anthropic.path}); !ok || got != want {
				t.Errorf("told %+v (%t), want %+v", got, ok, want)
			}
			if !s.Heard("blocked: n") || s.Heard("never said") {
				t.Error("Heard does not tell what was said from what was not")
			}
			if _, _, text := said(t, d, post(t, s, d.path, map[string]any{"stream": true, "tools": d.tools})); text != "done" {
				t.Errorf("after its script the model says %q", text)
			}
		})
	}
}

func TestStepsTogether(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]dialect{"Claude Code": anthropic, "Codex": openai} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := model.Start(t, model.Together(model.Shell("one"), model.Shell("two")), model.Text("bye"))
			stream := string(post(t, s, d.path, map[string]any{"stream": true, "tools": d.tools}))
			calls := s.Calls()
			if len(calls) != 2 || calls[0].ID == calls[1].ID {
				t.Fatalf("calls are %+v, want two with ids of their own", calls)
			}
			for _, c := range calls {
				if !strings.Contains(stream, c.ID) {
					t.Errorf("the answer lacks call %s:\n%s", c.ID, stream)
				}
			}
			body := d.result(calls[1].ID, "second")
			body["stream"], body["tools"] = true, d.tools
			if _, _, text := said(t, d, post(t, s, d.path, body)); text != "bye" {
				t.Errorf("the next step is %q, want bye", text)
			}
			if r, _ := s.Told(1); r.Text != "second" {
				t.Errorf("told %q of the second call", r.Text)
			}
		})
	}
}

func TestRequestWithoutToolsTakesNoStep(t *testing.T) {
	t.Parallel()
	s := model.Start(t, model.Shell("touch m"))
	post(t, s, "/v1/messages", map[string]any{"stream": true})
	tool, _, _ := said(t, anthropic, post(t, s, "/v1/messages", map[string]any{"stream": true, "tools": anthropic.tools}))
	if tool != "Bash" {
		t.Errorf("the first request with tools got the tool %q", tool)
	}
}

func TestPlainAnswersAndStrayRequests(t *testing.T) {
	t.Parallel()
	s := model.Start(t, model.Shell("touch m"))
	for _, path := range []string{"/v1/messages/count_tokens", "/telemetry"} {
		if out := post(t, s, path, nil); !json.Valid(out) {
			t.Errorf("%s answers %q", path, out)
		}
	}
	var msg struct {
		StopReason string `json:"stop_reason"`
		Content    []struct{ Name string }
	}
	if err := json.Unmarshal(post(t, s, "/v1/messages", map[string]any{"tools": anthropic.tools}), &msg); err != nil {
		t.Fatal(err)
	}
	if msg.StopReason != "tool_use" || msg.Content[0].Name != "Bash" {
		t.Errorf("without a stream the answer is %+v", msg)
	}
	res, err := http.Get(s.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	var paths []string
	for _, r := range s.Requests() {
		paths = append(paths, r.Method+" "+r.Path)
	}
	want := []string{"POST /v1/messages/count_tokens", "POST /telemetry", "POST /v1/messages", "GET /v1/models"}
	if !cmp.Equal(paths, want) {
		t.Error(cmp.Diff(want, paths))
	}
}

func TestFaultsAreKept(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, body, want string }{
		{"a body that is no JSON", "{", "request is not what it should be"},
		{"no tool that serves", `{"tools":[{"name":"Telepathy"}]}`, `no tool for "shell" among Telepathy`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := model.New(model.Shell("touch m"))
			defer s.Close()
			res, err := http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if f := s.Faults(); len(f) != 1 || !strings.Contains(f[0], c.want) {
				t.Errorf("faults are %q, want one with %q", f, c.want)
			}
		})
	}
}

func TestListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	s := model.Start(t)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		t.Errorf("listens on %s", u.Host)
	}
}

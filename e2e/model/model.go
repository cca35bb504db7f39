// Package model is a scripted model server: it speaks enough of Anthropic's
// Messages API and of OpenAI's Responses API for real coding agents to run a
// turn, answers each of their requests with the next step of a script, and
// keeps what they told the model. It listens on the loopback address only.
package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// maxBody bounds one request; a long turn of an agent is well below it.
const maxBody = 64 << 20

// Server is a running scripted model. Its methods are safe for concurrent use.
type Server struct {
	// URL is the server's address without a path, e.g. "http://127.0.0.1:4711".
	// Claude Code takes it as it is, Codex with "/v1" behind it.
	URL string

	http  *httptest.Server
	tag   string // makes call ids differ from one server to the next, as real ones do
	steps []Step

	mu       sync.Mutex
	next     int
	calls    []Call
	results  map[string]Result
	requests []Request
	faults   []string
}

// Call is a step as it was sent to the agent.
type Call struct {
	// ID is the id of the tool call; the agent repeats it with the result.
	ID string
	// Tool is the agent's own name of the tool, "" for a step that is text.
	Tool string
	// Input is the tool's input: a JSON object, or a string for a tool that
	// takes free text.
	Input json.RawMessage
	// Text is what the model says where it calls no tool.
	Text string

	freeform bool
}

// Result is what the model was told of one tool call.
type Result struct {
	Text string
	// Failed is true where the agent marked the result as an error. Only the
	// Messages API has such a mark.
	Failed bool
}

// Request is one request as it came.
type Request struct {
	Method, Path string
	Body         []byte
}

// Start starts a server that ends with the test and fails it where a request
// could not be answered as the script says.
func Start(t testing.TB, steps ...Step) *Server {
	t.Helper()
	s := New(steps...)
	t.Cleanup(func() {
		s.Close()
		for _, f := range s.Faults() {
			t.Errorf("scripted model: %s", f)
		}
	})
	return s
}

// New starts a server; the caller closes it. Step k answers the k-th request
// that offers tools. When the script is at its end, and where a request offers
// no tools (agents ask for titles and summaries so), the answer is a short text.
func New(steps ...Step) *Server {
	s := &Server{steps: steps, results: map[string]Result{}}
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	addr := s.http.Listener.Addr().String()
	s.tag = addr[strings.LastIndexByte(addr, ':')+1:] // the port
	s.http.Start()
	s.URL = s.http.URL
	return s
}

// Close stops the server, hanging up on whoever is still connected.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Told is what the model was told of the step with this index in [Server.Calls],
// which is its place in the script where no steps go [Together]. It is false
// where the agent never got so far, or told nothing.
func (s *Server) Told(step int) (Result, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if step < 0 || step >= len(s.calls) {
		return Result{}, false
	}
	r, ok := s.results[s.calls[step].ID]
	return r, ok
}

// Calls lists the steps that were sent so far, in the agent's own terms, each of
// those that go [Together] by itself.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Requests lists all requests so far, also those that no part of the server
// understood.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Faults lists what went wrong in the server or its script.
func (s *Server) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

// Heard reports whether any request to the model held the text, in a message, a
// tool result or wherever else an agent puts words for the model.
func (s *Server) Heard(text string) bool {
	for _, r := range s.Requests() {
		var body any
		if json.Unmarshal(r.Body, &body) == nil && holds(body, text) {
			return true
		}
	}
	return false
}

// holds looks for text in every string of a decoded JSON value.
func holds(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return holds(e, text) })
	case map[string]any:
		for _, e := range v {
			if holds(e, text) {
				return true
			}
		}
	}
	return false
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.fault("read %s %s: %v", r.Method, r.URL.Path, err)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, body})
	s.mu.Unlock()

	switch {
	case r.Method != http.MethodPost: // a look at what is there: HEAD /, GET /v1/models
		writeJSON(w, map[string]any{"object": "list", "data": []any{}, "models": []any{}})
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		writeJSON(w, map[string]any{"input_tokens": 10})
	case strings.HasSuffix(r.URL.Path, "/messages"):
		s.messages(w, body)
	case strings.HasSuffix(r.URL.Path, "/responses"):
		s.responses(w, body)
	default: // telemetry and the like
		writeJSON(w, map[string]any{})
	}
}

// answer notes the results that a request brought and chooses what the model
// says to it: one text, or one or more tool calls.
func (s *Server) answer(tools []tool, results map[string]Result) []Call {
	s.mu.Lock()
	for id, r := range results {
		if _, known := s.results[id]; !known { // agents repeat the whole conversation each time
			s.results[id] = r
		}
	}
	if len(tools) == 0 {
		id := fmt.Sprintf("aside_%s_%d", s.tag, len(s.requests))
		s.mu.Unlock()
		return []Call{{ID: id, Text: "ok"}}
	}
	i := s.next
	s.next++
	s.mu.Unlock()

	step := Text("done")
	if i < len(s.steps) {
		step = s.steps[i]
	}
	if step.later != nil { // outside the lock: it may ask the server what was told
		step = step.later(s)
	}
	together := step.together
	if together == nil {
		together = []Step{step}
	}
	var calls []Call
	for k, step := range together {
		call, err := step.call(tools)
		if err != nil {
			s.fault("step %d: %v", i, err)
			call = Call{Text: err.Error()}
		}
		call.ID = fmt.Sprintf("call_%s_%d_%d", s.tag, i, k)
		calls = append(calls, call)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, calls...)
	return calls
}

func (s *Server) fault(format string, a ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fmt.Sprintf(format, a...))
}

// decode reads a request's JSON; a body that is none is a fault of the agent's
// or of this package, and the client is told so.
func (s *Server) decode(w http.ResponseWriter, body []byte, into any) bool {
	if err := json.Unmarshal(body, into); err != nil {
		s.fault("request is not what it should be: %v", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

// message is one server-sent event: its name and its data.
type message struct {
	event string
	data  map[string]any
}

// writeStream sends server-sent events; each one's data repeats its name as
// "type", as both APIs do.
func writeStream(w http.ResponseWriter, messages []message) {
	var b bytes.Buffer
	for _, m := range messages {
		m.data["type"] = m.event
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", m.event, encode(m.data))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write(b.Bytes()) // an agent that hung up is no fault of the script
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(v))
}

// encode renders a value that this package built and that can be encoded.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("model: " + err.Error())
	}
	return b
}

// content is a message's content in either API: a string, or parts with a text.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(b, &parts); err != nil {
		*c = content(b) // something newer: keep it readable rather than fail
		return nil
	}
	var all []string
	for _, p := range parts {
		if p.Text != "" {
			all = append(all, p.Text)
		}
	}
	*c = content(strings.Join(all, "\n"))
	return nil
}

// Package judgmenttest is a System One server for tests. It holds every request to
// the wire contract, fails the test where one breaks it, and can misbehave in every
// way that a server may.
package judgmenttest

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// Key is the API key that the server wants.
const Key = "ts_test_0123456789abcdef"

// Model is the version that answers, whatever model is asked.
const Model = "jev-1.13.0"

// Server is one System One server on 127.0.0.1.
type Server struct {
	// Endpoint is where requests are posted to.
	Endpoint string
	// CA is the file with the server's certificate, for a server made by NewTLS.
	CA string

	t    testing.TB
	done chan struct{}

	mu       sync.Mutex
	model    string
	answers  map[string]any
	replies  []Reply
	requests []Request
}

// New starts a server that lasts as long as the test. Until told otherwise it
// answers every judgment in the mildest way: probability 0, the first option, level
// 0.
func New(t testing.TB) *Server {
	t.Helper()
	s := newServer(t)
	h := httptest.NewServer(s)
	s.start(h)
	return s
}

// NewTLS starts a server that speaks https, with a certificate of its own.
func NewTLS(t testing.TB) *Server {
	t.Helper()
	s := newServer(t)
	h := httptest.NewUnstartedServer(s)
	h.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that do not trust it
	h.StartTLS()
	s.start(h)
	s.CA = filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
	if err := os.WriteFile(s.CA, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func newServer(t testing.TB) *Server {
	return &Server{t: t, done: make(chan struct{}), model: Model, answers: map[string]any{}}
}

func (s *Server) start(h *httptest.Server) {
	s.Endpoint = h.URL + "/v1/systemone"
	s.t.Cleanup(func() {
		close(s.done) // lets go of the requests that stall
		h.CloseClientConnections()
		h.Close()
	})
}

// Answer sets the answer to a judgment: a float64 for a noul or a score, a string
// for a choice, or a json.RawMessage that is sent as it is. It may be changed
// between requests.
func (s *Server) Answer(name string, value any) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name] = value
	return s
}

// Model sets the version that answers.
func (s *Server) Model(version string) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = version
	return s
}

// Script sets how the next requests are replied to, one after the other. Requests
// beyond them are answered well. What was set before and nobody asked for is gone.
func (s *Server) Script(replies ...Reply) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = slices.Clone(replies)
	return s
}

// Requests are those received so far, the broken ones included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Count is how many requests came so far.
func (s *Server) Count() int { return len(s.Requests()) }

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := read(r)
	if err != nil {
		s.t.Errorf("request breaks the contract: %v", err)
	}
	s.mu.Lock()
	s.requests = append(s.requests, q)
	reply := Well
	if len(s.replies) > 0 {
		reply, s.replies = s.replies[0], s.replies[1:]
	}
	s.mu.Unlock()
	w.Header().Set("X-Typesafe-Request-Id", "req_test")
	if err != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	reply(s, w, q)
}

// body is the response that answers q well.
func (s *Server) body(q Request) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	answers := map[string]any{}
	for name, question := range q.Questions {
		answers[name] = answer(question, s.answers[name])
	}
	return map[string]any{
		"model":   s.model,
		"answers": answers,
		"usage":   map[string]int{"input_tokens": 210, "output_tokens": 0},
	}
}

// answer is one answer in the form of its type.
func answer(q Question, value any) any {
	if raw, ok := value.(json.RawMessage); ok {
		return raw
	}
	switch q.Type {
	case "noul":
		v, _ := value.(float64)
		return map[string]any{"type": "noul", "noul": v}
	case "choice":
		v, ok := value.(string)
		if !ok {
			v = q.Options[0]
		}
		p := map[string]float64{}
		for _, o := range q.Options {
			p[o] = 0.2 / float64(len(q.Options)-1)
		}
		p[v] = 0.8
		return map[string]any{"type": "choice", "choice": v, "confidence": 0.8, "probabilities": p}
	default:
		v, _ := value.(float64)
		return map[string]any{"type": "score", "score": v, "confidence": 0.6, "legend": map[string]string{"0": "none"}, "probabilities": map[string]float64{"0": 1}}
	}
}

package judgmenttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Reply is one way to reply to a request.
type Reply func(s *Server, w http.ResponseWriter, q Request)

// Well answers every judgment that is asked.
func Well(s *Server, w http.ResponseWriter, q Request) { send(w, s.body(q)) }

// Without answers all but the named judgments.
func Without(names ...string) Reply {
	return func(s *Server, w http.ResponseWriter, q Request) {
		b := s.body(q)
		for _, n := range names {
			delete(b["answers"].(map[string]any), n)
		}
		send(w, b)
	}
}

// Half answers every second judgment, by the alphabet.
func Half(s *Server, w http.ResponseWriter, q Request) {
	b := s.body(q)
	answers := b["answers"].(map[string]any)
	var names []string
	for n := range answers {
		names = append(names, n)
	}
	slices.Sort(names)
	for i, n := range names {
		if i%2 == 1 {
			delete(answers, n)
		}
	}
	send(w, b)
}

// WrongTypes answers every judgment with an answer of another type.
func WrongTypes(s *Server, w http.ResponseWriter, q Request) {
	b := s.body(q)
	answers := b["answers"].(map[string]any)
	for n, question := range q.Questions {
		if question.Type == "noul" {
			answers[n] = map[string]any{"type": "score", "score": 1, "confidence": 1}
		} else {
			answers[n] = map[string]any{"type": "noul", "noul": 0.99}
		}
	}
	send(w, b)
}

// Body replies with a body of its own.
func Body(body string) Reply {
	return func(_ *Server, w http.ResponseWriter, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// Status fails with a status, a message and headers, given as pairs.
func Status(code int, header ...string) Reply {
	return func(_ *Server, w http.ResponseWriter, _ Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": fmt.Sprintf("the test says %d", code)}})
	}
}

// Refuse fails with a status and a body of its own.
func Refuse(code int, body string) Reply {
	return func(_ *Server, w http.ResponseWriter, _ Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// Redirect sends the client elsewhere.
func Redirect(to string) Reply { return Status(http.StatusTemporaryRedirect, "Location", to) }

// Stall never answers.
func Stall(s *Server, _ http.ResponseWriter, _ Request) { <-s.done }

// Late answers well after a while.
func Late(d time.Duration) Reply {
	return func(s *Server, w http.ResponseWriter, q Request) {
		select {
		case <-time.After(d):
			send(w, s.body(q))
		case <-s.done:
		}
	}
}

// Trickle sends the answer's beginning and never the rest.
func Trickle(s *Server, w http.ResponseWriter, _ Request) {
	_, _ = io.WriteString(w, `{"model":"`)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	<-s.done
}

// Close closes the connection without a word.
func Close(_ *Server, w http.ResponseWriter, _ Request) { hijack(w, "") }

// Break closes the connection in the middle of the answer.
func Break(_ *Server, w http.ResponseWriter, _ Request) {
	hijack(w, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"model\":")
}

// Garbage sends what is not HTTP.
func Garbage(_ *Server, w http.ResponseWriter, _ Request) {
	hijack(w, strings.Repeat("\x00\xff<garbage>\n", 20))
}

// Huge sends n bytes and says so or not, as the server likes.
func Huge(n int) Reply {
	return func(_ *Server, w http.ResponseWriter, _ Request) {
		chunk := strings.Repeat(" ", 32<<10)
		for ; n > 0; n -= len(chunk) {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	}
}

func send(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

// hijack writes text to the bare connection and closes it.
func hijack(w http.ResponseWriter, text string) {
	h, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	c, _, err := h.Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(c, text)
	_ = c.Close()
}

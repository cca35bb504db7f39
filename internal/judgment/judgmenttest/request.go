package judgmenttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// Request is one request as it came.
type Request struct {
	Model string
	// State is what is judged, as the bytes that were sent.
	State     json.RawMessage
	Questions map[string]Question
	// Header is the request's header.
	Header http.Header
}

// Question is one question of a request.
type Question struct {
	Type         string
	Instructions string
	// Options are the names of a choice's criteria, in the order they were sent in.
	Options []string
	// Criteria are as they were sent, nil if there were none.
	Criteria json.RawMessage
}

// read takes a request in and reports what in it breaks the contract.
func read(r *http.Request) (Request, error) {
	q := Request{Header: r.Header}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return q, err
	}
	if r.Method != http.MethodPost {
		return q, fmt.Errorf("method is %s", r.Method)
	}
	if got := r.Header.Values("Authorization"); len(got) != 1 || got[0] != "Bearer "+Key {
		return q, errors.New("header Authorization is not the one right key")
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return q, fmt.Errorf("header Content-Type is %q", r.Header.Get("Content-Type"))
	}
	if bytes.Contains(body, []byte(Key)) {
		return q, errors.New("the key is in the body")
	}
	top, names, err := object(body)
	if err != nil {
		return q, fmt.Errorf("body: %w", err)
	}
	for _, n := range names {
		if n != "model" && n != "state" && n != "questions" {
			return q, fmt.Errorf("unknown member %q", n)
		}
	}
	if q.Model, err = str(top["model"]); err != nil {
		return q, fmt.Errorf("model: %w", err)
	}
	q.State = top["state"]
	if len(q.State) == 0 || !bytes.ContainsAny(q.State[:1], `"{[`) {
		return q, fmt.Errorf("state is %s, not text, an object or an array", q.State)
	}
	questions, names, err := object(top["questions"])
	if err != nil {
		return q, fmt.Errorf("questions: %w", err)
	}
	if len(names) == 0 {
		return q, errors.New("no questions")
	}
	q.Questions = map[string]Question{}
	for _, n := range names {
		if q.Questions[n], err = question(questions[n]); err != nil {
			return q, fmt.Errorf("question %q: %w", n, err)
		}
	}
	return q, nil
}

func question(raw json.RawMessage) (Question, error) {
	var q Question
	m, names, err := object(raw)
	if err != nil {
		return q, err
	}
	for _, n := range names {
		if n != "type" && n != "instructions" && n != "criteria" {
			return q, fmt.Errorf("unknown member %q", n)
		}
	}
	if q.Type, err = str(m["type"]); err != nil {
		return q, fmt.Errorf("type: %w", err)
	}
	if q.Instructions, err = str(m["instructions"]); err != nil {
		return q, fmt.Errorf("instructions: %w", err)
	}
	if c := m["criteria"]; string(c) != "null" {
		q.Criteria = c
	}
	switch q.Type {
	case "noul":
		if q.Criteria == nil {
			return q, nil
		}
		c, names, err := object(q.Criteria)
		if err != nil {
			return q, fmt.Errorf("criteria: %w", err)
		}
		for _, n := range names {
			if n != "true" && n != "false" {
				return q, fmt.Errorf("criterion %q of a noul", n)
			}
			if err := description(c[n]); err != nil {
				return q, fmt.Errorf("criterion %q: %w", n, err)
			}
		}
	case "choice":
		c, names, err := object(q.Criteria)
		if err != nil {
			return q, fmt.Errorf("criteria: %w", err)
		}
		if len(names) < 2 || len(names) > 255 {
			return q, fmt.Errorf("a choice of %d", len(names))
		}
		for _, n := range names {
			if err := description(c[n]); err != nil {
				return q, fmt.Errorf("option %q: %w", n, err)
			}
		}
		q.Options = names
	case "score":
		var levels []json.RawMessage
		if err := json.Unmarshal(q.Criteria, &levels); err != nil {
			return q, fmt.Errorf("criteria: %w", err)
		}
		if len(levels) < 2 {
			return q, fmt.Errorf("a score of %d levels", len(levels))
		}
		for i, l := range levels {
			if err := description(l); err != nil {
				return q, fmt.Errorf("level %d: %w", i, err)
			}
		}
	default:
		return q, fmt.Errorf("unknown type %q", q.Type)
	}
	return q, nil
}

func description(raw json.RawMessage) error {
	if string(raw) == "null" {
		return nil
	}
	_, err := str(raw)
	return err
}

// str reads a string that is not empty.
func str(raw json.RawMessage) (string, error) {
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil || *s == "" {
		return "", fmt.Errorf("%q is no text", raw)
	}
	return *s, nil
}

// object reads a JSON object and its names in their order. A name that stands twice
// is an error.
func object(raw []byte) (map[string]json.RawMessage, []string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, fmt.Errorf("%q is no object", raw)
	}
	m := map[string]json.RawMessage{}
	var names []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		name, _ := t.(string)
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, nil, err
		}
		if _, twice := m[name]; twice {
			return nil, nil, fmt.Errorf("%q stands twice", name)
		}
		m[name], names = v, append(names, name)
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("something follows the object")
	}
	return m, names, nil
}

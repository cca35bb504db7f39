// Package systemone asks a System One server for judgments, within one time limit
// for the whole call, and keeps the answers on disk. The server is TypeSafe's or
// any other that serves the same API; docs/judgments.md has the contract, the
// figures and the reasons.
package systemone

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fireharp/overseer/internal/judgment"
)

// The defaults of the settings.
const (
	DefaultEndpoint = "https://api.typesafe.ai/v1/systemone"
	DefaultModel    = "jev-latest"
	DefaultTimeout  = 3 * time.Second
	DefaultCacheTTL = 24 * time.Hour
)

// ErrDryRun is why no judgment was answered in a dry run.
var ErrDryRun = errors.New("dry run, the request was not sent")

// Client asks one server. It may be used by several goroutines; it keeps nothing
// but what is in the cache.
type Client struct {
	// Endpoint is the address that requests are posted to, "" for DefaultEndpoint.
	Endpoint string
	// Key is the API key. It goes nowhere but into the Authorization header.
	Key string
	// Model is the model to ask, "" for DefaultModel.
	Model string
	// Timeout is for the whole of Ask, with all attempts; 0 for DefaultTimeout.
	Timeout time.Duration
	// Cache keeps answers; nil keeps none.
	Cache *Cache
	// DryRun, if set, is where the request is shown instead of being sent.
	DryRun io.Writer
	// UserAgent names the program to the server.
	UserAgent string
	// Env is the process's environment, of which only the variables for proxies and
	// certificates are used.
	Env []string
	// Curl is the program that makes the request, "" for the system's own.
	Curl string

	// wait is replaced in tests.
	wait func(context.Context, time.Duration) error
}

// Ask gets the answers to specs about state: those that the cache has from there,
// all others in one request. The answers that could be had are always returned. If
// any is missing, the error is an [*Unanswered].
func (c *Client) Ask(ctx context.Context, state json.RawMessage, specs []judgment.Spec) (map[string]judgment.Answer, error) {
	specs = distinct(specs)
	if len(specs) == 0 {
		return nil, nil
	}
	state = c.withoutKey(state)
	if c.DryRun != nil {
		return nil, unanswered(specs, errors.Join(c.show(state, specs), ErrDryRun))
	}
	if err := c.Check(); err != nil {
		return nil, unanswered(specs, err)
	}
	ctx, cancel := context.WithTimeout(ctx, or(c.Timeout, DefaultTimeout))
	defer cancel()
	end, _ := ctx.Deadline() // the caller's may be nearer
	limit := time.Until(end)

	answers := make(map[string]judgment.Answer, len(specs))
	store := c.Cache.of(c, state)
	var open []judgment.Spec
	for _, s := range specs {
		if a, ok := store.get(s); ok {
			answers[s.Name] = a
		} else {
			open = append(open, s)
		}
	}
	if len(open) == 0 {
		return answers, nil
	}
	body, err := c.request(state, open)
	if err != nil {
		return answers, unanswered(open, err)
	}
	r, err := c.send(ctx, body, limit)
	if err != nil {
		return answers, unanswered(open, err)
	}
	return answers, r.into(answers, open, store)
}

// request is the body of a request.
func (c *Client) request(state json.RawMessage, specs []judgment.Spec) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	part := func(text string, v any) error {
		b.WriteString(text)
		err := e.Encode(v)
		b.Truncate(len(bytes.TrimRight(b.Bytes(), "\n")))
		return err
	}
	err := errors.Join(part(`{"model":`, or(c.Model, DefaultModel)), part(`,"state":`, state))
	b.WriteString(`,"questions":{`)
	for i, s := range specs {
		if i > 0 {
			b.WriteByte(',')
		}
		err = errors.Join(err, part("", s.Name), part(":", s))
	}
	b.WriteString("}}")
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return b.Bytes(), nil
}

// show writes the request as a person reads it, without the key.
func (c *Client) show(state json.RawMessage, specs []judgment.Spec) error {
	body, err := c.request(state, specs)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s\nAuthorization: Bearer [key]\nContent-Type: application/json\n\n", shown(or(c.Endpoint, DefaultEndpoint)))
	if err := json.Indent(&b, body, "", "  "); err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	b.WriteByte('\n')
	_, err = c.DryRun.Write(b.Bytes())
	return err
}

// withoutKey keeps the key out of the state, should a command name it.
func (c *Client) withoutKey(state json.RawMessage) json.RawMessage {
	const shortest = 8 // a shorter "key" could be any word
	if len(c.Key) < shortest {
		return state
	}
	quoted, _ := json.Marshal(c.Key) // a string cannot fail
	return bytes.ReplaceAll(state, bytes.Trim(quoted, `"`), []byte("[key]"))
}

// distinct drops judgments that are listed a second time.
func distinct(specs []judgment.Spec) []judgment.Spec {
	seen := make(map[string]bool, len(specs))
	out := make([]judgment.Spec, 0, len(specs))
	for _, s := range specs {
		if !seen[s.Name] {
			seen[s.Name] = true
			out = append(out, s)
		}
	}
	return out
}

// or is v, or the default where v is the zero value or less.
func or[T ~string | ~int64](v, def T) T {
	var zero T
	if v <= zero {
		return def
	}
	return v
}

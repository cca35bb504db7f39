package systemone

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/hint"
)

// Retries are those of the vendor's client, within one time limit.
const (
	maxAttempts  = 4
	firstBackoff = 500 * time.Millisecond
	jitter       = 0.25 // the part of a backoff that is left to chance
	shortestWait = 50 * time.Millisecond
)

// maxResponse bounds a response. The largest that is of use, 255 options with their
// probabilities for some questions, has a tenth of it.
const maxResponse = 1 << 20

// response is what came back from one attempt.
type response struct {
	status int
	header map[string]string // names in lower case
	body   []byte
}

// passing marks a failure that may be over at the next attempt.
type passing struct {
	error
	wait time.Duration // as the server wants it; less than 0 if it does not say
}

func (p passing) Unwrap() error { return p.error }

// send posts the request until it is answered, refused, or the time is up, of which
// there was limit in all.
func (c *Client) send(ctx context.Context, body []byte, limit time.Duration) (response, error) {
	wait := c.wait
	if wait == nil {
		wait = sleep
	}
	for attempt := 0; ; attempt++ {
		r, err := c.attempt(ctx, body)
		var p passing
		switch {
		case err == nil:
			return r, nil
		case ctx.Err() != nil:
			return response{}, late(ctx, limit, err)
		case !errors.As(err, &p):
			return response{}, err
		case attempt+1 == maxAttempts:
			return response{}, fmt.Errorf("%w, %d times", p.error, maxAttempts)
		}
		pause := p.wait
		if pause < 0 {
			pause = time.Duration(float64(firstBackoff<<attempt) * (1 - jitter*rand.Float64()))
		}
		pause = max(pause, shortestWait)
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= pause {
			// Nothing can come of it: the agent need not wait for the rest.
			return response{}, fmt.Errorf("%w, and no time for another attempt in %v", p.error, pause.Round(time.Millisecond))
		}
		if wait(ctx, pause) != nil {
			return response{}, late(ctx, limit, p.error)
		}
	}
}

// late is the error of a call whose time is up.
func late(ctx context.Context, limit time.Duration, last error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	err := fmt.Errorf("no answer within %v", limit.Round(10*time.Millisecond))
	var r *refusal
	if errors.As(last, &r) {
		err = fmt.Errorf("%w: %w", err, r)
	}
	return err
}

// attempt posts the request once.
func (c *Client) attempt(ctx context.Context, body []byte) (response, error) {
	u, err := c.address()
	if err != nil {
		return response{}, err
	}
	r, err := c.exchange(ctx, u, body)
	if err != nil {
		return response{}, err
	}
	if r.status/100 == 2 {
		return r, nil
	}
	return response{}, c.refused(r)
}

// refusal is an answer that has no judgments in it.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// refused turns any other status into an error, with what the server says
// about it, the id of the request, and what the person can do.
func (c *Client) refused(r response) error {
	text := "the server says " + status(r.status)
	if m := c.clean(message(r.body)); m != "" {
		text += ": " + m
	}
	var err error = &refusal{text + r.id(c)}
	switch s := r.status; {
	case s == 408, s == 429, s >= 500:
		return passing{err, retryAfter(r.header, time.Now())}
	case s == 401, s == 403:
		return hint.Wrap(err, "check the API key in HOOKMON_TYPESAFE_API_KEY")
	case s == 404:
		return hint.Wrap(err, "check the endpoint %s and the model %q", shown(or(c.Endpoint, DefaultEndpoint)), or(c.Model, DefaultModel))
	case s >= 300 && s < 400:
		return hint.Wrap(err, "set the endpoint to where it points, the API key follows no redirect")
	}
	return err
}

// id is the request's id, to be named to the vendor.
func (r response) id(c *Client) string {
	if id := c.clean(r.header["x-typesafe-request-id"]); id != "" {
		return " (request " + id + ")"
	}
	return ""
}

// retryAfter is how long the server wants to be left alone: retry-after-ms, else
// Retry-After as seconds or as a date. It is less than 0 where the server does not
// say it so that it can be read.
func retryAfter(header map[string]string, now time.Time) time.Duration {
	const most = 1 << 20 // seconds; keeps the product within a Duration
	if ms, err := strconv.ParseFloat(header["retry-after-ms"], 64); err == nil && ms >= 0 {
		return time.Duration(min(ms, most*1000) * float64(time.Millisecond))
	}
	text := header["retry-after"]
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		if s >= 0 {
			return time.Duration(min(s, most) * float64(time.Second))
		}
		return -1
	}
	// The three forms of an HTTP date (RFC 9110, 5.6.7), the zone as a fixed word.
	for _, form := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if t, err := time.Parse(form, text); err == nil {
			return max(t.Sub(now), 0)
		}
	}
	return -1
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// clean makes foreign text fit to stand in a message: one short printable line
// without the key.
func (c *Client) clean(s string) string {
	const most = 300
	if c.Key != "" {
		s = strings.ReplaceAll(s, c.Key, "[key]")
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) || r == ' ' }), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

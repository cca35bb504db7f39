//go:build nethttp

package systemone

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
)

var errTooLarge = errors.New("the response is larger than 1024 KiB")

// exchange makes one request without curl, for machines that have none. Every hook
// process pays for it at its start, so it is not the default: docs/judgments.md.
// Proxies and certificates come from the process's own environment.
func (c *Client) exchange(ctx context.Context, u *url.URL, body []byte) (response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return response{}, fmt.Errorf("write the request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", or(c.UserAgent, "overseer"))
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return response{}, c.httpError(ctx, err)
	}
	defer res.Body.Close()
	r := response{status: res.StatusCode, header: map[string]string{}}
	for name, values := range res.Header {
		r.header[strings.ToLower(name)] = values[len(values)-1]
	}
	if r.body, err = io.ReadAll(io.LimitReader(res.Body, maxResponse+1)); err != nil {
		return response{}, c.httpError(ctx, err)
	}
	if len(r.body) > maxResponse {
		return response{}, errTooLarge
	}
	return r, nil
}

// httpError tells a failed connection, which may be over at the next attempt, from
// what will not pass.
func (c *Client) httpError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address, which the person knows
	}
	text := c.clean(err.Error())
	if strings.Contains(text, "x509:") || strings.Contains(text, "tls: failed to verify") {
		return hint.Wrap(errors.New(text), "for a company's own certificates set SSL_CERT_FILE")
	}
	if strings.Contains(text, "malformed HTTP") {
		return errors.New(text)
	}
	return passing{errors.New(text), -1}
}

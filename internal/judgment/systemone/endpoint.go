package systemone

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/fireharp/overseer/internal/hint"
)

// Check reports what in the settings makes asking impossible, or would put the key
// at risk: it goes in the clear to this machine only.
func (c *Client) Check() error {
	if c.Key == "" {
		return hint.Wrap(errors.New("no API key is set"), "set HOOKMON_TYPESAFE_API_KEY")
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return hint.Wrap(errors.New("the API key has a space or a character that no header may hold"), "copy it again, without quotes and line breaks")
	}
	_, err := c.address()
	return err
}

// address is the endpoint, checked.
func (c *Client) address() (*url.URL, error) {
	text := or(c.Endpoint, DefaultEndpoint)
	u, err := url.Parse(text)
	if err != nil {
		// The parser's own error repeats the text, which may hold a password.
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		return nil, fmt.Errorf("the endpoint is no address: %w", err)
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return nil, hint.Wrap(fmt.Errorf("the endpoint %s is no https address", shown(text)), "write it as in %s", DefaultEndpoint)
	case u.User != nil:
		return nil, hint.Wrap(fmt.Errorf("the endpoint %s names a user", shown(text)), "the API key is all that is sent")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, hint.Wrap(fmt.Errorf("the endpoint %s would send the API key in the clear", shown(text)), "use https; plain http is for a server on this machine")
	}
	return u, nil
}

// isLoopback reports whether the host is this machine.
func isLoopback(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// shown is an address as it may stand in a message: without a password, and
// without a query, which may hold one.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(unreadable)"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}

//go:build !nethttp

package systemone

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/hint"
)

// maxConfig is what curl takes as one line of its configuration: 100 KiB from
// 7.71 on, more since 8.2.
const maxConfig = 100 << 10

// exchange makes one request by the system's curl. Linking TLS would cost every
// hook process at its start, also those that ask nothing: docs/judgments.md has the
// figures. The key and the body go in through a pipe, never by argv, which all of
// the machine can read.
func (c *Client) exchange(ctx context.Context, u *url.URL, body []byte) (response, error) {
	program, err := c.curl()
	if err != nil {
		return response{}, err
	}
	config, err := c.curlConfig(ctx, u, body)
	if err != nil {
		return response{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// -q: the person's .curlrc could send the request elsewhere, or print it.
	cmd := exec.CommandContext(ctx, program, "-q", "--config", "-")
	cmd.Env = curlEnv(c.Env)
	cmd.Stdin = bytes.NewReader(config)
	var stderr bytes.Buffer
	cmd.Stderr = &limited{w: &stderr, left: 4 << 10}
	cmd.WaitDelay = 100 * time.Millisecond
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return response{}, fmt.Errorf("run curl: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return response{}, fmt.Errorf("run curl: %w", err)
	}
	const headers = 256 << 10
	out, readErr := io.ReadAll(io.LimitReader(stdout, maxResponse+headers+1))
	if len(out) > maxResponse+headers {
		cancel() // the rest need not come
		_ = cmd.Wait()
		return response{}, errTooLarge
	}
	switch err := cmd.Wait(); {
	case ctx.Err() != nil:
		return response{}, ctx.Err()
	case err != nil:
		return response{}, c.curlError(err, stderr.String())
	case readErr != nil:
		return response{}, passing{fmt.Errorf("read the response: %w", readErr), -1}
	}
	return readResponse(out)
}

var errTooLarge = errors.New("the response is larger than 1024 KiB")

// curlConfig writes curl's options. https may not become http by any way, and
// nothing is followed: -L is not among them.
func (c *Client) curlConfig(ctx context.Context, u *url.URL, body []byte) ([]byte, error) {
	var b bytes.Buffer
	option := func(name, value string) {
		fmt.Fprintf(&b, "%s = \"%s\"\n", name, escaped(value))
	}
	for _, flag := range []string{"silent", "show-error", "include", "globoff", "tlsv1.2", "suppress-connect-headers"} {
		b.WriteString(flag + "\n")
	}
	option("url", u.String())
	option("proto", "="+u.Scheme)
	option("header", "Authorization: Bearer "+c.Key)
	option("header", "Content-Type: application/json")
	option("header", "Accept: application/json")
	option("header", "Expect:")
	option("user-agent", or(c.UserAgent, "overseer"))
	option("max-filesize", strconv.Itoa(maxResponse))
	if isLoopback(u.Hostname()) {
		option("noproxy", "*") // another machine's proxy cannot reach it
	}
	if end, ok := ctx.Deadline(); ok {
		// Should this process be killed, curl ends all the same, if a little later.
		option("max-time", strconv.FormatFloat(max(time.Until(end).Seconds(), 0)+1, 'f', 3, 64))
	}
	before := b.Len()
	option("data-raw", string(body))
	if b.Len()-before > maxConfig {
		return nil, hint.Wrap(fmt.Errorf("the request of %d KiB is larger than curl takes", len(body)>>10), "shorten the judgments, or send no content")
	}
	return b.Bytes(), nil
}

// escaped is a string as curl's configuration has it between double quotes.
func escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\v", `\v`).Replace(s)
}

// curl finds the program. Only the system's own places are searched, not PATH: a
// program of that name in a folder that an agent may write to would get the key.
func (c *Client) curl() (string, error) {
	if c.Curl != "" {
		return c.Curl, nil
	}
	places := []string{
		"/usr/bin/curl", "/bin/curl", "/usr/local/bin/curl", "/run/current-system/sw/bin/curl",
		"/opt/homebrew/bin/curl", "/home/linuxbrew/.linuxbrew/bin/curl", "/data/data/com.termux/files/usr/bin/curl",
	}
	if runtime.GOOS == "windows" {
		root := lookup(c.Env, "SYSTEMROOT")
		if root == "" {
			root = `C:\Windows`
		}
		places = []string{filepath.Join(root, "System32", "curl.exe")}
	}
	for _, p := range places {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return p, nil
		}
	}
	return "", hint.Wrap(errors.New("curl is not installed"), "install curl, or build with -tags nethttp to do without it")
}

// curlEnv passes on what a company's network needs, and nothing else: the key may
// be in the environment, and LD_PRELOAD and its like have no business there.
func curlEnv(env []string) []string {
	keep := []string{ // never nil, which would be the process's own environment
		"LC_ALL=C",
	}
	for _, name := range []string{
		"HTTPS_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
		"CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT",
	} {
		if v := lookup(env, name); v != "" {
			keep = append(keep, name+"="+v)
		}
	}
	return keep
}

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && (k == name || name == "SYSTEMROOT" && strings.EqualFold(k, name)) {
			return v
		}
	}
	return ""
}

// passingCodes are the exit codes of curl that stand for a failed connection:
// https://curl.se/docs/manpage.html, "EXIT CODES".
var passingCodes = []int{
	5,  // the proxy's name is not resolved
	6,  // the host's name is not resolved
	7,  // no connection
	16, // HTTP/2 framing
	18, // the transfer ended early
	28, // timeout
	35, // the TLS handshake failed
	52, // nothing came back
	55, // sending failed
	56, // receiving failed
	92, // an HTTP/2 stream was closed
	95, // HTTP/3
	96, // QUIC
	97, // the handshake with the proxy failed
}

// curlError turns an exit code into an error.
func (c *Client) curlError(err error, stderr string) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("run curl: %w", err)
	}
	code := exit.ExitCode()
	if code == 63 {
		return errTooLarge
	}
	stderr, _, _ = strings.Cut(strings.TrimSpace(stderr), "\n") // the rest is advice
	text := c.clean(stderr)
	if text == "" {
		text = "curl: " + exit.Error()
	}
	if slices.Contains(passingCodes, code) {
		return passing{errors.New(text), -1}
	}
	if code == 60 || code == 77 {
		return hint.Wrap(errors.New(text), "for a company's own certificates set CURL_CA_BUNDLE or SSL_CERT_FILE")
	}
	return errors.New(text)
}

// readResponse reads what curl printed: a status line and headers, once more for
// each interim response, and the body.
func readResponse(out []byte) (response, error) {
	r := bufio.NewReader(bytes.NewReader(out))
	for {
		res := response{header: map[string]string{}}
		line, err := r.ReadString('\n')
		proto, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err != nil || !strings.HasPrefix(proto, "HTTP/") {
			return response{}, errors.New("the response is not HTTP")
		}
		code, _, _ := strings.Cut(rest, " ")
		if res.status, err = strconv.Atoi(code); err != nil {
			return response{}, errors.New("the response has no status")
		}
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return response{}, errors.New("the response ends within its header")
			}
			line = strings.TrimRight(line, "\r\n")
			if line == "" {
				break
			}
			name, value, _ := strings.Cut(line, ":")
			res.header[strings.ToLower(name)] = strings.TrimSpace(value)
		}
		if res.status >= 100 && res.status < 200 {
			continue
		}
		if res.body, err = io.ReadAll(r); err != nil {
			return response{}, err
		}
		if len(res.body) > maxResponse {
			return response{}, errTooLarge
		}
		return res, nil
	}
}

// limited drops what goes beyond a number of bytes.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.w.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}

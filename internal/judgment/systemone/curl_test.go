//go:build unix && !nethttp

package systemone_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/judgment/judgmenttest"
)

func TestCurlTLS(t *testing.T) {
	t.Parallel()
	s := judgmenttest.NewTLS(t).Answer("destroys_work", 0.92)
	c := client(s)
	_, err := c.Ask(t.Context(), state, specs)
	if got := full(err); !strings.Contains(got, "certificate") || !strings.HasSuffix(got, "| for a company's own certificates set CURL_CA_BUNDLE or SSL_CERT_FILE") || strings.Contains(got, "4 times") {
		t.Errorf("an unknown certificate: %s", got)
	}
	if s.Count() != 0 {
		t.Error("the request went out")
	}
	for _, name := range []string{"CURL_CA_BUNDLE", "SSL_CERT_FILE"} {
		c.Env = []string{name + "=" + s.CA}
		got, err := c.Ask(t.Context(), state, specs)
		if err != nil || got["destroys_work"].Noul != 0.92 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// A host that is not this machine is reached through the company's proxy, which
// sees where the request goes, but not the key.
func TestCurlProxy(t *testing.T) {
	t.Parallel()
	s := judgmenttest.NewTLS(t)
	u, err := url.Parse(s.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	var tunnels atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != "example.com:443" {
			t.Errorf("%s %s", r.Method, r.Host)
		}
		if len(r.Header["Authorization"]) > 0 {
			t.Error("the proxy gets the key")
		}
		tunnels.Add(1)
		near, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		far, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(near, "HTTP/1.1 200 Connection established\r\nX-Typesafe-Request-Id: from the proxy\r\n\r\n")
		go func() { _, _ = io.Copy(far, buffered); far.Close() }()
		_, _ = io.Copy(near, far)
		near.Close()
	}))
	defer proxy.Close()
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		c := client(s)
		c.Endpoint = "https://example.com/v1/systemone" // the name that the test's certificate is for
		c.Env = []string{name + "=" + proxy.URL, "SSL_CERT_FILE=" + s.CA}
		before := tunnels.Load()
		if _, err := c.Ask(t.Context(), state, specs); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if tunnels.Load() != before+1 {
			t.Errorf("%s: not by the proxy", name)
		}
	}
	c := client(s)
	c.Env = []string{"HTTPS_PROXY=http://127.0.0.1:1", "ALL_PROXY=http://127.0.0.1:1", "http_proxy=http://127.0.0.1:1", "SSL_CERT_FILE=" + s.CA}
	if _, err := c.Ask(t.Context(), state, specs); err != nil {
		t.Errorf("this machine is not reached directly: %v", err)
	}
	c.Endpoint = "https://example.com/v1"
	if _, err := c.Ask(t.Context(), state, specs); err == nil {
		t.Error("a proxy that is away goes unnoticed")
	}
}

// fakeCurl notes what it is started with and answers like a server.
func fakeCurl(t *testing.T, script string) (program, dir string) {
	t.Helper()
	dir = t.TempDir()
	program = filepath.Join(dir, "curl")
	// Another test that starts a program while the file is open for writing would hand
	// that on, and nobody can run it then.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncd '"+dir+"'\n"+script), 0o700); err != nil { //nolint:gosec // it has to run
		t.Fatal(err)
	}
	return program, dir
}

// The key is neither in argv nor in the environment, which others can read.
func TestCurlShowsNoKey(t *testing.T) {
	t.Parallel()
	c := client(judgmenttest.New(t))
	var dir string
	c.Curl, dir = fakeCurl(t, `printf '%s\n' "$@" >argv; env >env; cat >stdin; printf 'HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200\r\nx-a: b\r\n\r\n{"model":"m","answers":{"destroys_work":{"type":"noul","noul":0.5}}}'`)
	c.Env = []string{"HOOKMON_TYPESAFE_API_KEY=" + judgmenttest.Key, "HTTPS_PROXY=http://p", "LD_PRELOAD=/x.so", "SSLKEYLOGFILE=/x", "HOME=/x"}
	got, err := c.Ask(t.Context(), state, []judgment.Spec{work})
	if err != nil || got["destroys_work"].Noul != 0.5 {
		t.Errorf("%v, %v", got, err)
	}
	if got := read(t, filepath.Join(dir, "argv")); got != "-q\n--config\n-\n" {
		t.Errorf("argv: %q", got)
	}
	env := read(t, filepath.Join(dir, "env"))
	for _, bad := range []string{judgmenttest.Key, "LD_PRELOAD", "SSLKEYLOGFILE", "HOME="} {
		if strings.Contains(env, bad) {
			t.Errorf("the environment has %s: %s", bad, env)
		}
	}
	if !strings.Contains(env, "HTTPS_PROXY=http://p") {
		t.Errorf("the environment has no proxy: %s", env)
	}
	if in := read(t, filepath.Join(dir, "stdin")); !strings.Contains(in, "Bearer "+judgmenttest.Key) {
		t.Errorf("stdin: %s", in)
	}
}

// What curl may do wrong.
func TestCurlFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, want string }{
		{"not HTTP", `echo hello`, "the response is not HTTP"},
		{"nothing", `true`, "the response is not HTTP"},
		{"no status", `printf 'HTTP/1.1 OK\r\n\r\n'`, "the response has no status"},
		{"half a header", `printf 'HTTP/1.1 200 OK\r\nX: y'`, "the response ends within its header"},
		{"unknown option", `echo 'curl: option is unknown' >&2; exit 2`, "curl: option is unknown"},
		{"no words", `exit 3`, "curl: exit status 3"},
		{"without end", `while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`, "the response is larger than 1024 KiB"},
		{"many words", `i=0; while [ $i -lt 2000 ]; do echo "curl: xxxxxxxxxxxxxxxxxxxx" >&2; i=$((i+1)); done; exit 3`, "curl: xxxxxxxxxxxxxxxxxxxx"},
		{"repeats the key", `cat >&2; exit 3`, "silent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := client(judgmenttest.New(t))
			c.Curl, _ = fakeCurl(t, tt.script)
			_, err := c.Ask(t.Context(), state, []judgment.Spec{work})
			if want := "judgments not answered: destroys_work: " + tt.want; full(err) != want {
				t.Errorf("\n got %s\nwant %s", full(err), want)
			}
		})
	}
	t.Run("not there", func(t *testing.T) {
		t.Parallel()
		c := client(judgmenttest.New(t))
		c.Curl = filepath.Join(t.TempDir(), "curl")
		if _, err := c.Ask(t.Context(), state, specs); err == nil || !strings.Contains(err.Error(), "run curl:") {
			t.Errorf("%v", err)
		}
	})
}

// Whatever is in a state arrives as it was: curl's configuration has escapes of its
// own.
func TestCurlCarriesEverything(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"\\ \\\\ \" \n \r \t \v \x00 \x7f", "# comment", "@/etc/passwd", "{a,b}[1-9]", "ü 漢 \u2028 \U0001F600", "%00%{x} $HOME `id`", "\\\"\n\turl = \"http://x\"",
		strings.Repeat("x", 60_000),
	} {
		s := judgmenttest.New(t)
		want, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client(s).Ask(t.Context(), want, specs); err != nil {
			t.Error(err)
			continue
		}
		var got string
		if err := json.Unmarshal(s.Requests()[0].State, &got); err != nil || got != text {
			t.Errorf("%.40q arrives as %.40q, %v", text, got, err)
		}
	}
	s := judgmenttest.New(t)
	_, err := client(s).Ask(t.Context(), json.RawMessage(`"`+strings.Repeat("x", 200_000)+`"`), []judgment.Spec{work})
	if want := "judgments not answered: destroys_work: the request of 195 KiB is larger than curl takes | shorten the judgments, or send no content"; full(err) != want {
		t.Errorf("\n got %s\nwant %s", full(err), want)
	}
}

package dolttest

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"testing"
)

// Proxy stands between a store and a server and breaks connections.
type Proxy struct {
	server string
	listen net.Listener
	mu     sync.Mutex
	arm    Break
	count  int
	broken int
}

// Break says which statement breaks its connection: the count-th from now on that
// contains Needle, before the server sees it or, with After, when it has answered.
type Break struct {
	Needle string
	After  bool
}

// NewProxy starts a proxy before a server.
func NewProxy(tb testing.TB, s *Server) *Proxy {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	p := &Proxy{server: s.Addr, listen: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

// Through is an address with the proxy in place of its server.
func (p *Proxy) Through(address string) string {
	return strings.Replace(address, p.server, p.listen.Addr().String(), 1)
}

// Break arms the proxy for the nth matching statement.
func (p *Proxy) Break(b Break, nth int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.arm, p.count = b, nth
}

// Broken is how many connections it has broken.
func (p *Proxy) Broken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broken
}

// hit reports whether a packet is the one to break on.
func (p *Proxy) hit(packet []byte) (hit, after bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count == 0 || !bytes.Contains(bytes.ToUpper(packet), []byte(p.arm.Needle)) {
		return false, false
	}
	if p.count--; p.count > 0 {
		return false, false
	}
	p.broken++
	return true, p.arm.After
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var swallow sync.Mutex // held once the answer is to be swallowed
	answered := make(chan struct{})
	swallowing := false
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			swallow.Lock()
			quiet := swallowing
			swallow.Unlock()
			if quiet {
				close(answered)
				return
			}
			if err != nil {
				_ = client.Close()
				return
			}
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		hit, after := p.hit(buf[:n])
		if hit && !after {
			return
		}
		if hit {
			swallow.Lock()
			swallowing = true
			swallow.Unlock()
		}
		if _, err := server.Write(buf[:n]); err != nil {
			return
		}
		if hit {
			<-answered
			return
		}
	}
}

// Package dolttest starts real database servers for tests, on free ports of
// 127.0.0.1 and with folders of their own. Each ends with its test.
package dolttest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// ProgramVar is the environment variable that says where the program dolt is;
// without it, it is looked for in PATH.
const ProgramVar = "OVERSEER_TEST_DOLT"

// Server is a running server with a user "overseer" who has no password.
type Server struct {
	// Addr is host:port.
	Addr string
	// Log is the file with the server's own words.
	Log string

	tb      testing.TB
	command func() *exec.Cmd
	process *exec.Cmd
	ended   chan struct{}
}

// Kinds are the servers by name.
var Kinds = map[string]func(testing.TB) *Server{"dolt": Dolt, "mariadb": MariaDB}

// Dolt starts a Dolt server as the documents say.
func Dolt(tb testing.TB) *Server {
	tb.Helper()
	program := os.Getenv(ProgramVar)
	if program == "" {
		program = find(tb, "dolt")
	}
	dir, port := folder(tb), freePort(tb)
	s := &Server{tb: tb, Addr: "127.0.0.1:" + port, Log: filepath.Join(dir, "log")}
	data := filepath.Join(dir, "ledger")
	if err := os.Mkdir(data, 0o700); err != nil {
		tb.Fatal(err)
	}
	s.command = func() *exec.Cmd {
		c := exec.Command(program, "sql-server", "--host", "127.0.0.1", "--port", port)
		c.Dir = data
		// Dolt keeps its settings below HOME, and asks home for its version.
		c.Env = append(os.Environ(), "HOME="+dir, "DOLT_DISABLE_EVENT_FLUSH=1")
		return c
	}
	s.Start()
	s.run("root", "CREATE USER IF NOT EXISTS overseer@'%' IDENTIFIED BY ''; GRANT ALL ON *.* TO overseer@'%' WITH GRANT OPTION")
	return s
}

// MariaDB starts a server of Debian's package mariadb-server.
func MariaDB(tb testing.TB) *Server {
	tb.Helper()
	program := find(tb, "mariadbd")
	dir, port := folder(tb), freePort(tb)
	s := &Server{tb: tb, Addr: "127.0.0.1:" + port, Log: filepath.Join(dir, "log")}
	data := filepath.Join(dir, "data")
	system, err := systemTables()
	if err == nil {
		err = os.CopyFS(data, os.DirFS(system))
	}
	if err != nil {
		tb.Fatal(err)
	}
	s.command = func() *exec.Cmd {
		args := []string{"--no-defaults", "--datadir=" + data, "--bind-address=127.0.0.1", "--port=" + port,
			"--socket=" + filepath.Join(dir, "socket"), "--pid-file=" + filepath.Join(dir, "pid"),
			"--innodb-flush-log-at-trx-commit=2"} // a test survives no power failure
		if os.Getuid() == 0 {
			args = append(args, "--user=root")
		}
		return exec.Command(program, args...)
	}
	s.Start()
	s.run("root", "CREATE USER IF NOT EXISTS overseer@'%' IDENTIFIED BY ''; GRANT ALL ON *.* TO overseer@'%' WITH GRANT OPTION")
	return s
}

// systemTables is a data folder with MariaDB's own tables, which take it seconds to
// make: once for a test program, which removes it with [Cleanup].
var systemTables = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ovs")
	if err != nil {
		return "", err
	}
	leftovers = append(leftovers, dir)
	data := filepath.Join(dir, "data")
	args := []string{"--no-defaults", "--datadir=" + data, "--auth-root-authentication-method=normal", "--skip-test-db"}
	if os.Getuid() == 0 {
		args = append(args, "--user=root")
	}
	if out, err := exec.Command("mariadb-install-db", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("mariadb-install-db: %w\n%s", err, out)
	}
	return data, nil
})

var leftovers []string

// Cleanup removes what the servers of a test program shared. It is the last call
// of a TestMain.
func Cleanup() {
	for _, dir := range leftovers {
		_ = os.RemoveAll(dir)
	}
}

// folder is a short folder: a socket's path has at most 107 bytes.
func folder(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "ovs")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func find(tb testing.TB, program string) string {
	tb.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		tb.Fatalf("%v: run the tests with: make test-dolt", err)
	}
	return path
}

func freePort(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// startTimeout is when a server that does not answer is given up: far more than
// one needs on a busy machine.
const startTimeout = 2 * time.Minute

// Start starts the server, for the first time or after Stop or Kill.
func (s *Server) Start() {
	s.tb.Helper()
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer log.Close()
	c := s.command()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		s.tb.Fatal(err)
	}
	s.process, s.ended = c, make(chan struct{})
	go func(ended chan struct{}) { _ = c.Wait(); close(ended) }(s.ended)
	s.tb.Cleanup(s.Kill)
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(50 * time.Millisecond) {
		if err := s.ping(); err == nil {
			return
		} else if time.Now().After(deadline) {
			s.fail("it does not answer: " + err.Error())
		}
		select {
		case <-s.ended:
			s.fail("it ended")
		default:
		}
	}
}

func (s *Server) fail(why string) {
	s.tb.Helper()
	log, _ := os.ReadFile(s.Log)
	s.tb.Fatalf("%s: %s\n%s", s.process.Path, why, log[max(0, len(log)-4000):])
}

// Stop lets the server end in order, Kill at once.
func (s *Server) Stop() { s.end(os.Interrupt) }

// Kill ends the server at once, if it runs.
func (s *Server) Kill() { s.end(os.Kill) }

func (s *Server) end(sig os.Signal) {
	if s.process == nil {
		return
	}
	if filepath.Base(s.process.Path) == "mariadbd" && sig == os.Interrupt {
		sig = terminate
	}
	_ = s.process.Process.Signal(sig)
	<-s.ended
	s.process = nil
}

var databases atomic.Int64

// Database is the address of a database that is not there yet, as [ledger] path
// has it.
func (s *Server) Database() string {
	return fmt.Sprintf("tcp(%s)/ledger_%d", s.Addr, databases.Add(1))
}

// Disk is the size of the server's files.
func (s *Server) Disk() (sum int64) {
	_ = filepath.WalkDir(filepath.Dir(s.Log), func(_ string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if fi, err := e.Info(); err == nil {
				sum += fi.Size()
			}
		}
		return nil
	})
	return sum
}

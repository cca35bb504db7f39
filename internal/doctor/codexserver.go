package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// codexPatience bounds the talk with Codex; it answers within two seconds.
const codexPatience = 15 * time.Second

// codexHook is one hook as Codex lists it (0.171).
type codexHook struct {
	Key         string `json:"key"`
	SourcePath  string `json:"sourcePath"`
	Enabled     bool   `json:"enabled"`
	TrustStatus string `json:"trustStatus"` // untrusted, trusted, modified, managed
}

// codexHooks asks Codex itself which hooks it would run in CWD. That needs no
// network and no account. The error is fit to be told to the person.
func (a *patient) codexHooks(ctx context.Context) (hooks []codexHook, warnings []string, err error) {
	if a.path == "" {
		return nil, nil, errors.New("codex is not on the PATH")
	}
	ctx, cancel := context.WithTimeout(ctx, codexPatience)
	defer cancel()
	c := exec.CommandContext(ctx, a.path, "app-server")
	c.Dir, c.Env = a.CWD, a.Environ
	var stderr bounded
	c.Stderr = &stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	alone(c)
	c.WaitDelay = time.Second
	if err := c.Start(); err != nil {
		return nil, nil, fmt.Errorf("codex app-server: %w", err)
	}
	defer func() {
		_ = killAll(c) // it serves until it is told to end
		_ = c.Wait()
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("codex app-server gave no answer within %v", codexPatience)
		} else if said := firstLine(stderr.kept.Bytes()); err != nil && said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
	}()
	return askHooks(in, out, a.CWD, a.Version)
}

// askHooks speaks JSON-RPC, one message a line: initialize, then hooks/list.
func askHooks(in io.Writer, out io.Reader, cwd, version string) (hooks []codexHook, warnings []string, err error) {
	enc := json.NewEncoder(in)
	for _, m := range []map[string]any{
		{"id": 1, "method": "initialize", "params": map[string]any{"clientInfo": map[string]any{"name": "overseer-doctor", "version": version}}},
		{"method": "initialized"},
		{"id": 2, "method": "hooks/list", "params": map[string]any{"cwds": []string{cwd}}},
	} {
		if err := enc.Encode(m); err != nil {
			return nil, nil, fmt.Errorf("codex app-server: %w", err)
		}
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, nil, fmt.Errorf("codex app-server ended without an answer: %w", err)
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
			Result struct {
				Data []struct {
					Hooks    []codexHook `json:"hooks"`
					Warnings []string    `json:"warnings"`
					Errors   []struct {
						Message string `json:"message"`
					} `json:"errors"`
				} `json:"data"`
			} `json:"result"`
		}
		// Notifications and what is no JSON are passed over.
		if json.Unmarshal(line, &m) != nil || m.Method != "" || string(m.ID) != "2" && m.Error == nil {
			continue
		}
		if m.Error != nil {
			return nil, nil, fmt.Errorf("codex app-server: %s", firstLine([]byte(m.Error.Message)))
		}
		for _, d := range m.Result.Data {
			hooks = append(hooks, d.Hooks...)
			for _, w := range d.Warnings {
				warnings = append(warnings, firstLine([]byte(w)))
			}
			for _, e := range d.Errors {
				warnings = append(warnings, firstLine([]byte(e.Message)))
			}
		}
		return hooks, warnings, nil
	}
}

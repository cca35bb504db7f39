package cursor

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/event"
)

// call completes the tool call that the event is about.
func call(e *event.Event, f *agent.Payload) {
	t := &e.Tool
	switch e.Native {
	case beforeShellExecution, "afterShellExecution":
		t.Name, t.Command = "Shell", f.String("command")
		t.Input = arguments(f, "command", "cwd", "sandbox")
	case beforeReadFile, beforeTabFileRead:
		t.Name, t.Input = "Read", arguments(f, "file_path")
	case "afterFileEdit", "afterTabFileEdit":
		t.Name, t.Input = "Write", arguments(f, "file_path", "edits")
	case subagentStart:
		t.Name, t.Input = "Task", arguments(f, "subagent_type", "task")
	case beforeMCPExecution, "afterMCPExecution":
		t.Name = mcp + strings.TrimPrefix(t.Name, mcp)
	}
	if args, ok := inString(t.Input); ok {
		t.Input = args
	}
	if strings.EqualFold(t.Name, "Shell") {
		if args, err := agent.ParsePayload(t.Input); err == nil && args.String("cwd") != e.CWD {
			e.CWD = folder(e.CWD, args.String("cwd"))
		}
	}
	t.Aliases = aliases(t, f.String("mcp_server_name"))
}

// arguments makes the input of a call whose arguments stand in the payload
// itself: the named members that are there. One that is false is left out, so
// that an unsandboxed command is the same call as the tool's.
func arguments(f *agent.Payload, names ...string) json.RawMessage {
	var b bytes.Buffer
	for _, n := range names {
		v := f.Get(n)
		if v == nil || string(v) == "false" || string(v) == "null" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + n + `":`)
		b.Write(v)
	}
	if b.Len() == 0 {
		return nil
	}
	return []byte("{" + b.String() + "}")
}

// inString finds arguments in a string of JSON, as beforeMCPExecution gives them.
func inString(input json.RawMessage) (json.RawMessage, bool) {
	var s string
	if len(input) == 0 || input[0] != '"' || json.Unmarshal(input, &s) != nil {
		return nil, false
	}
	args, err := agent.ParsePayload([]byte(s))
	if err != nil {
		return nil, false
	}
	return args.Raw(), true
}

// folder is where a command runs that was given a folder of its own.
func folder(cwd, own string) string {
	switch {
	case own == "":
		return cwd
	case cwd == "", path.IsAbs(own), len(own) > 1 && own[1] == ':':
		return own
	}
	return strings.TrimSuffix(cwd, "/") + "/" + own
}

// mcp begins the name of a tool of an MCP server.
const mcp = "MCP:"

// aliases are Claude Code's names of the tools that do what this one does. Cursor
// has one tool for all edits, and a rule for either of Claude Code's holds.
func aliases(t *event.Tool, server string) []string {
	if name, ok := strings.CutPrefix(t.Name, mcp); ok {
		if server = word(server); server == "" {
			server = "*" // preToolUse does not tell
		}
		return []string{"mcp__" + server + "__" + word(name)}
	}
	switch strings.ToLower(t.Name) {
	case "shell", "writeshellstdin":
		return []string{"Bash"}
	case "write":
		return []string{"Edit", "MultiEdit", "NotebookEdit"}
	case "list":
		return []string{"LS"}
	case "fetch":
		return []string{"WebFetch"}
	case "task":
		return []string{"Agent"}
	case "listmcpresources":
		return []string{"ListMcpResourcesTool"}
	case "fetchmcpresource":
		return []string{"ReadMcpResourceTool"}
	}
	if t.Command != "" { // a shell by a name that is not documented
		return []string{"Bash"}
	}
	return nil
}

// word spells a part of an MCP tool's name as Claude Code does.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}

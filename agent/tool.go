package agent

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/event"
)

// toolOf reads the tool call that the event is about. What cannot be told apart
// is taken in: a path too many is judged in vain, a path too few not at all.
func toolOf(f *Payload, cwd string) event.Tool {
	t := event.Tool{
		Name:  f.String("tool_name", "toolName"),
		UseID: f.String("tool_use_id", "toolUseId"),
	}
	paths := pathSet{cwd: cwd}
	// Events without a tool that name a file: ConfigChange, InstructionsLoaded,
	// DirectoryAdded and their like.
	for _, n := range []string{"file_path", "directory", "worktree_path"} {
		paths.add(f.String(n))
	}
	// Cursor's prompts and reads name what is attached to them, the end of a
	// subagent what that has changed.
	for _, n := range []string{"attachments", "modified_files"} {
		paths.value(n, f.value(n), false, 1)
	}
	input := f.value("tool_input", "toolInput", "toolArgs")
	t.Input = f.slice(input)
	if input.Type == gjson.String {
		// Cursor gives an MCP tool's arguments as a string of JSON.
		if s := strings.TrimSpace(input.Str); strings.HasPrefix(s, "{") && json.Valid([]byte(s)) {
			input = gjson.Parse(s)
		}
	}
	var args object
	if input.IsObject() {
		args = membersOf(input)
	}
	switch {
	case isPatchTool(t.Name):
		paths.patch(patchText(input))
	case input.IsObject():
		t.Command = commandOf(args)
	case runsShell(t.Name):
		t.Command = words(input)
	}
	paths.members(args, isMCP(f, t.Name), 1)
	t.Paths, t.URL = paths.list, paths.url
	return t
}

// isMCP reports whether the call goes to an MCP server.
func isMCP(f *Payload, tool string) bool {
	return strings.HasPrefix(tool, "mcp__") || strings.HasPrefix(tool, "MCP:") || f.Has("mcp_server_name")
}

// runsShell reports whether a tool's bare input is a command line.
func runsShell(tool string) bool {
	switch strings.ToLower(tool) {
	case "bash", "shell", "powershell", "monitor", "exec", "exec_command", "shell_command", "local_shell", "run_shell_command":
		return true
	}
	return false
}

// commandOf finds the command line in a tool's arguments, whatever the tool is
// called: MCP servers that run commands have names of their own. Where several
// arguments could be the command, each is a line of the result.
func commandOf(in object) string {
	var lines []string
	for _, n := range []string{"command", "cmd"} {
		if s := words(in.get(n)); s != "" && (len(lines) == 0 || s != lines[0]) {
			lines = append(lines, s)
		}
	}
	if len(lines) == 1 {
		// {"command": "rm", "args": ["-rf", "/"]}
		if args := in.get("args"); args.IsArray() {
			lines[0] = strings.TrimRight(lines[0]+" "+words(args), " ")
		}
	}
	if many := in.get("commands"); many.IsArray() {
		many.ForEach(func(_, v gjson.Result) bool {
			if s := words(v); s != "" {
				lines = append(lines, s)
			}
			return true
		})
	}
	return strings.Join(lines, "\n")
}

// words is a command line given as a string, or as an array of arguments, which
// it quotes for a shell. Anything else is "".
func words(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	if !v.IsArray() {
		return ""
	}
	var b strings.Builder
	v.ForEach(func(_, w gjson.Result) bool {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote(w.String()))
		return true
	})
	return b.String()
}

// quote makes s one word of a POSIX shell.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// isPatchTool reports whether the tool's "command" is the text of a patch
// (quirk 9).
func isPatchTool(tool string) bool {
	return strings.EqualFold(tool, "apply_patch") || strings.EqualFold(tool, "ApplyPatch")
}

// patchText is the patch among a patch tool's arguments.
func patchText(in gjson.Result) string {
	if in.IsObject() {
		var all []string
		o := membersOf(in)
		for _, n := range []string{"command", "input", "patch"} {
			all = append(all, patchText(o.get(n)))
		}
		return strings.Join(all, "\n")
	}
	if in.IsArray() {
		var all []string
		in.ForEach(func(_, v gjson.Result) bool {
			all = append(all, v.String())
			return true
		})
		return strings.Join(all, "\n")
	}
	return in.String()
}

package model

import (
	"fmt"
	"slices"
	"strings"
)

// Step is one answer of the model, in words that belong to no agent: a tool
// call, or text, which ends the agent's turn.
type Step struct {
	kind  string // "shell", "write", "read", "text"
	text  string // the command line, the file's content, or what is said
	path  string
	later func(*Server) Step
	// together are tool calls that make one answer.
	together []Step
}

// Shell runs a command line in the agent's shell.
func Shell(command string) Step { return Step{kind: "shell", text: command} }

// Write creates the file with the agent's own editing tool. The path is absolute.
func Write(path, content string) Step { return Step{kind: "write", path: path, text: content} }

// Read looks at a file, with the agent's reading tool where it has one, else
// with a command. The path is absolute.
func Read(path string) Step { return Step{kind: "read", path: path} }

// Text says something and calls no tool.
func Text(text string) Step { return Step{kind: "text", text: text} }

// Later chooses the step when its turn comes, by what the model was told so far.
// It is also the place for what a person does meanwhile.
func Later(choose func(*Server) Step) Step { return Step{later: choose} }

// Together makes several tool calls in one answer, which agents may run at the
// same time.
func Together(steps ...Step) Step { return Step{together: steps} }

// tool is a tool that a request offers.
type tool struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Tools []tool `json:"tools"` // of a namespace
}

// call puts the step into the terms of the tools that the agent offers. An error
// says that none of them serves.
func (s Step) call(tools []tool) (Call, error) {
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(t tool) bool { return t.Name == name })
	}
	use := func(name string, input any) (Call, error) {
		return Call{Tool: name, Input: encode(input)}, nil
	}
	freeform := func(name, input string) (Call, error) {
		return Call{Tool: name, Input: encode(input), freeform: true}, nil
	}
	type in map[string]any

	switch s.kind {
	case "text":
		return Call{Text: s.text}, nil

	case "shell":
		switch {
		case has("Bash"): // Claude Code
			return use("Bash", in{"command": s.text, "description": "run it"})
		case has("exec_command"): // Codex
			return use("exec_command", in{"cmd": s.text})
		case has("shell_command"): // Codex without unified exec
			return use("shell_command", in{"command": s.text})
		case has("exec"): // Codex in code mode: JavaScript in one tool
			return freeform("exec", fmt.Sprintf("text(JSON.stringify(await tools.exec_command(%s)))", encode(in{"cmd": s.text})))
		}

	case "write":
		switch {
		case has("Write"):
			return use("Write", in{"file_path": s.path, "content": s.text})
		case has("apply_patch"):
			return freeform("apply_patch", s.patch())
		case has("exec"):
			return freeform("exec", fmt.Sprintf("text(JSON.stringify(await tools.apply_patch(%s)))", encode(s.patch())))
		}

	case "read":
		if has("Read") {
			return use("Read", in{"file_path": s.path})
		}
		return Shell("cat '" + strings.ReplaceAll(s.path, "'", `'\''`) + "'").call(tools)

	default:
		return Call{}, fmt.Errorf("an empty step")
	}
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return Call{}, fmt.Errorf("no tool for %q among %s", s.kind, strings.Join(names, ", "))
}

// patch is the step's file as a patch that adds it.
func (s Step) patch() string {
	var b strings.Builder
	fmt.Fprintf(&b, "*** Begin Patch\n*** Add File: %s\n", s.path)
	for _, line := range strings.Split(strings.TrimSuffix(s.text, "\n"), "\n") {
		fmt.Fprintf(&b, "+%s\n", line)
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}

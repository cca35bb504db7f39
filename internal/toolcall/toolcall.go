// Package toolcall says what an agent's tool call would do, whichever tool it is:
// a command of the shell, a file tool, a patch, a fetch, a tool of an MCP server.
// It reports the same effects for all of them. It is pure.
package toolcall

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/patch"
)

const (
	fileMove    effect.Kind = "file.move"
	shellEscape effect.Kind = "exec.shell-escape"
)

// Effects lists what the tool call of an event would do, as far as work allows. Paths
// are seen from pl; command says what a command line for bash would do.
func Effects(e *event.Event, pl effect.Places, work *budget.Budget, command func(string) []effect.Effect) []effect.Effect {
	if e.Tool.Name == "" {
		return nil // events that name files and do nothing to them
	}
	c := &call{tool: &e.Tool, places: pl, work: work, command: command}
	switch name := strings.ToLower(e.Tool.Name); {
	case IsMCP(&e.Tool):
		c.mcp()
	case slices.Contains(patchTools, name):
		c.patch()
	case name == "powershell":
		c.run("pwsh -Command " + quote(e.Tool.Command))
	case name == "repl":
		c.run("node -e " + quote(c.argument("code")))
	default:
		if e.Tool.Command != "" {
			c.run(e.Tool.Command)
		}
		if k := fileTools(name); k != "" {
			c.add(k, e.Tool.Paths...)
		}
		if name == "grep" {
			c.grep()
		}
	}
	c.fetch()
	c.written()
	c.pipelines()
	return c.effects
}

// fileTools are the agents' own tools for files, with what they do to the files that
// they name. Those that only list names are left out.
func fileTools(tool string) effect.Kind {
	switch tool {
	case "read", "notebookread", "read_file", "readfile", "view", "view_image", "grep", "fetch", "webfetch":
		return effect.FileRead
	case "write", "edit", "multiedit", "notebookedit", "write_file", "create", "create_file", "edit_file", "replace",
		"search_replace", "save-file", "str-replace-editor":
		return effect.FileWrite
	case "delete", "delete_file", "remove-files":
		return effect.FileDelete
	}
	return ""
}

var patchTools = []string{"apply_patch", "applypatch"}

// call gathers the effects of one tool call.
type call struct {
	tool    *event.Tool
	places  effect.Places
	work    *budget.Budget
	command func(string) []effect.Effect
	effects []effect.Effect
}

// run adds what a command line would do.
func (c *call) run(line string) { c.effects = append(c.effects, c.command(line)...) }

// add adds an effect on files and what follows from it.
func (c *call) add(k effect.Kind, paths ...string) {
	var targets []effect.Target
	for _, p := range paths {
		if p != "" && c.work.Spend(effect.Work(p)) {
			targets = append(targets, effect.Target{Name: c.places.Abs(p), Scope: effect.ScopeOf(effect.Lit(p), c.places)})
		}
	}
	if len(targets) > 0 {
		c.effect(effect.Effect{Kind: k, Targets: targets})
	}
}

// on adds an effect on what is no file.
func (c *call) on(k effect.Kind, names ...string) {
	e := effect.Effect{Kind: k}
	for _, n := range names {
		e.Targets = append(e.Targets, effect.Target{Name: n})
	}
	c.effect(e)
}

func (c *call) effect(e effect.Effect) {
	if !c.work.Spend(1) {
		return
	}
	c.effects = append(append(c.effects, e), effect.Derive(e, c.places)...)
}

// patchText is the text of an apply_patch call, which stands under one of several
// names.
func (c *call) patchText() string {
	text := c.input().Str
	for _, n := range []string{"command", "input", "patch"} {
		text += "\n" + c.argument(n)
	}
	return text
}

// patch reads an apply_patch call.
func (c *call) patch() {
	var from string // the file that a *** Move to: renames
	for _, ch := range patch.Changes(c.patchText()) {
		switch ch.Op {
		case patch.Delete:
			c.add(effect.FileDelete, ch.File)
		case patch.Move:
			c.add(fileMove, from)
			c.add(effect.FileWrite, ch.File)
		default:
			c.add(effect.FileWrite, ch.File)
		}
		c.content(ch.File, ch.Added, "")
		from = ch.File
	}
}

// grep adds the file that a search is restricted to by a name.
func (c *call) grep() {
	glob := strings.TrimPrefix(c.argument("glob"), "**/")
	if glob == "" || strings.ContainsAny(glob, "*?[{!") {
		return
	}
	dir := c.places.CWD
	if len(c.tool.Paths) > 0 {
		dir = c.tool.Paths[0]
	}
	c.add(effect.FileRead, path.Join(dir, glob))
}

// input is the call's arguments; one given as a text of JSON is read.
func (c *call) input() gjson.Result {
	in := gjson.ParseBytes(c.tool.Input)
	if s := strings.TrimSpace(in.Str); strings.HasPrefix(s, "{") && json.Valid([]byte(s)) {
		return gjson.Parse(s)
	}
	return in
}

// argument is a text among the arguments, "" if there is none of this name. An
// array of words is one text with spaces.
func (c *call) argument(name string) string {
	return strings.Join(texts(c.input(), []string{name}, maxNesting), " ")
}

// quote makes s one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

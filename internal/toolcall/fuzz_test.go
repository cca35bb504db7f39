package toolcall_test

import (
	"encoding/json"
	"testing"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/toolcall"
)

// FuzzEffects looks for calls of tools that their reader fails on.
func FuzzEffects(f *testing.F) {
	for _, s := range [][2]string{
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n*** Move to: /etc/b\n"}`}, {"mcp__fs__delete_files", `{"paths":["/a",{"path":"b"}]}`},
		{"mcp__pg__query", `{"sql":"drop table x; \\! id"}`}, {"mcp__x__run_code", `{"language":"Ruby","code":"a"}`}, {"MCP:execute_command", `"{\"command\":[\"a\",\"b\"]}"`},
		{"WebFetch", `{"url":"http://169.254.169.254/"}`}, {"Grep", `{"glob":"**/.env","path":"/x"}`}, {"REPL", `{"code":"x'y"}`},
	} {
		f.Add(s[0], []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, name string, input []byte) {
		e := event.Event{Name: event.PreToolUse, CWD: "/repo", Tool: event.Tool{Name: name, Input: input}}
		if !json.Valid(input) {
			e.Tool.Input = nil
		}
		for _, x := range toolcall.Effects(&e, effect.Places{Home: "/home/dev", CWD: "/repo"}, budget.New(), func(string) []effect.Effect { return nil }) {
			if !effect.Known(x.Kind) {
				t.Errorf("unknown kind %q", x.Kind)
			}
		}
	})
}

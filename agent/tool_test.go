package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTool(t *testing.T) {
	t.Parallel()
	patch := "*** Begin Patch\n*** Add File: a.txt\n+*** Add File: data.txt\n*** Update File: /etc/hosts\r\n*** Move to: ../b.txt\n@@\n- x\n  *** Delete File: sub/./c.txt\n*** Environment ID: e\n*** End Patch\n"
	patched := []string{"/p/a.txt", "/etc/hosts", "/b.txt", "/p/sub/c.txt"}
	tests := []struct {
		name, tool, input string
		cwd               string // "/p" if empty
		command           string
		paths             []string
		url               string
	}{
		{name: "Bash", tool: "Bash", input: `{"command":"ls -l","description":"d"}`, command: "ls -l"},
		{name: "cmd", tool: "exec_command", input: `{"cmd":"ls"}`, command: "ls"},
		{name: "array", tool: "shell", input: `{"command":["bash","-lc","echo 'it''s' $HOME",""]}`, command: `bash -lc 'echo '\''it'\'''\''s'\'' $HOME' ''`},
		{name: "array of anything", tool: "shell", input: `{"command":["kill",-9,1,null]}`, command: `kill -9 1 ''`},
		{name: "program and arguments", tool: "mcp__sh__run", input: `{"command":"rm","args":["-rf","/"]}`, command: "rm -rf /"},
		{name: "no arguments", tool: "mcp__sh__run", input: `{"command":"ls","args":[]}`, command: "ls"},
		{name: "two that could be it", tool: "mcp__sh__run", input: `{"command":"ls","cmd":"rm -rf /"}`, command: "ls\nrm -rf /"},
		{name: "one twice", tool: "mcp__sh__run", input: `{"command":"ls","cmd":"ls"}`, command: "ls"},
		{name: "many", tool: "mcp__sh__batch", input: `{"commands":["ls",["rm","-rf","a b"],7]}`, command: "ls\nrm -rf 'a b'"},
		{name: "bare string of a shell tool", tool: "shell", input: `"rm x"`, command: "rm x"},
		{name: "bare array of a shell tool", tool: "local_shell", input: `["rm","x y"]`, command: "rm 'x y'"},
		{name: "bare string of another tool", tool: "Custom", input: `"rm x"`},
		{name: "arguments as a string of JSON", tool: "mcp__sh__run", input: `" {\"command\":\"ls\",\"path\":\"/etc\"}"`, command: "ls", paths: []string{"/etc"}},
		{name: "PowerShell", tool: "PowerShell", input: `{"command":"Remove-Item x"}`, command: "Remove-Item x"},
		{name: "command of another type", tool: "Bash", input: `{"command":{"a":1}}`},

		{name: "patch", tool: "apply_patch", input: `{"command":` + quoted(patch) + `}`, paths: patched},
		{name: "patch as input", tool: "apply_patch", input: `{"input":` + quoted(patch) + `}`, paths: patched},
		{name: "patch as a string", tool: "apply_patch", input: quoted(patch), paths: patched},
		{name: "patch as arguments", tool: "apply_patch", input: `{"command":["apply_patch",` + quoted(patch) + `]}`, paths: patched},
		{name: "patch of nothing", tool: "apply_patch", input: `{"command":"rm -rf /"}`},
		{name: "patch with an address for a path", tool: "apply_patch", input: `{"command":"*** Add File: https://../../../etc/passwd"}`,
			paths: []string{"/etc/passwd"}, url: "https://../../../etc/passwd"},

		{name: "Write", tool: "Write", input: `{"file_path":"/p/x/../y","content":"path: /no"}`, paths: []string{"/p/y"}},
		{name: "relative", tool: "Read", input: `{"file_path":"./a/../../q"}`, paths: []string{"/q"}},
		{name: "no folder known", cwd: "-", tool: "Read", input: `{"file_path":"a/./b"}`, paths: []string{"a/b"}},
		{name: "MultiEdit", tool: "MultiEdit", input: `{"file_path":"/a","edits":[{"old_string":"x"},{"file_path":"/b"}]}`, paths: []string{"/a", "/b"}},
		{name: "NotebookEdit", tool: "NotebookEdit", input: `{"notebook_path":"/n.ipynb","new_source":"s"}`, paths: []string{"/n.ipynb"}},
		{name: "Grep", tool: "Grep", input: `{"pattern":"/x/","path":"src"}`, paths: []string{"/p/src"}},
		{name: "lists", tool: "mcp__fs__read", input: `{"paths":["a","/b","a"],"files":[{"path":"c"}]}`, paths: []string{"/p/a", "/b", "/p/c"}},
		{name: "names of paths", tool: "mcp__fs__x", input: `{"filePath":"1","output-file":"2","fileName":"3","file_name":"4","dir2":"5","workingDirectory":"6","filename":"7","source":"8","destination":"9"}`,
			paths: []string{"/p/1", "/p/2", "/p/3", "/p/4", "/p/5", "/p/6", "/p/7", "/p/8", "/p/9"}},
		{name: "names of other things", tool: "mcp__fs__x", input: `{"profile":"1","name":"2","pathology":"3","profile_name":"4","xpathExpression":"5","file":7,"path":""}`},
		{name: "source is a path for MCP tools alone", tool: "Skill", input: `{"source":"x"}`},
		{name: "file address", tool: "mcp__fs__x", input: `{"uri":"file:///etc/%70asswd","path":"FILE://host/a%20b"}`, paths: []string{"/etc/passwd", "/a b", "/p/FILE:/host/a%20b"}},
		{name: "both of two equal names", tool: "Read", input: `{"file_path":"/a","file_path":"/b"}`, paths: []string{"/a", "/b"}},
		{name: "home", tool: "Read", input: `{"file_path":"~/.ssh/./id","paths":["~","~//x","~user/y"]}`, paths: []string{"~/.ssh/id", "~", "~/x", "/p/~user/y"}},
		{name: "out of home", tool: "Read", input: `{"file_path":"~/../../etc/shadow"}`, paths: []string{"~/../../etc/shadow", "/etc/shadow"}},
		{name: "Windows", cwd: `C:\w`, tool: "Write", input: `{"paths":["a\\..\\b","D:\\x\\y","D:/z","\\\\host\\share\\f","file:///C:/u"]}`,
			paths: []string{"C:/w/b", "D:/x/y", "D:/z", "//host/share/f", "C:/u", "C:/w/file:/C:/u"}},
		{name: "a drive means nothing elsewhere", tool: "Write", input: `{"file_path":"c:/../../etc/passwd"}`, paths: []string{"/etc/passwd"}},
		{name: "a line break in a name", tool: "Write", input: `{"file_path":"x\n/../../etc/passwd"}`, paths: []string{"/etc/passwd"}},
		{name: "deep", tool: "mcp__a__b", input: `{"a":{"b":[{"c":[{"path":"x"}]}]}}`, paths: []string{"/p/x"}},

		{name: "WebFetch", tool: "WebFetch", input: `{"url":"https://example.com/a?b#c","prompt":"p"}`, url: "https://example.com/a?b#c"},
		{name: "fetching a file", tool: "WebFetch", input: `{"url":"file:///etc/passwd"}`, paths: []string{"/etc/passwd"}},
		{name: "resource", tool: "mcp__a__b", input: `{"uri":"memo://x"}`, url: "memo://x"},
		{name: "no input", tool: "Bash", input: `null`},
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		if seen[tt.name] {
			t.Fatalf("two cases are called %q", tt.name)
		}
		seen[tt.name] = true
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cwd := tt.cwd
			switch cwd {
			case "":
				cwd = "/p"
			case "-":
				cwd = ""
			}
			e, err := provider(t, "codex").Decode("PreToolUse", fmt.Appendf(nil, `{"cwd":%s,"tool_name":%s,"tool_input":%s}`, quoted(cwd), quoted(tt.tool), tt.input))
			if err != nil {
				t.Fatal(err)
			}
			if e.Tool.Command != tt.command {
				t.Errorf("command %q, want %q", e.Tool.Command, tt.command)
			}
			if diff := cmp.Diff(tt.paths, e.Tool.Paths); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
			if e.Tool.URL != tt.url {
				t.Errorf("url %q, want %q", e.Tool.URL, tt.url)
			}
			if string(e.Tool.Input) != strings.TrimPrefix(tt.input, "null") {
				t.Errorf("input %s, want %s", e.Tool.Input, tt.input)
			}
		})
	}
}

// TestPathsOfOtherEvents: some events name a file and no tool.
func TestPathsOfOtherEvents(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"hook_event_name":"ConfigChange","source":"user_settings","file_path":"/h/.claude/settings.json"}`: "/h/.claude/settings.json",
		`{"hook_event_name":"InstructionsLoaded","cwd":"/p","file_path":"CLAUDE.md"}`:                        "/p/CLAUDE.md",
		`{"hook_event_name":"DirectoryAdded","directory":"/srv","source":"x"}`:                               "/srv",
	} {
		e, err := provider(t, "claude").Decode("", []byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{want}, e.Tool.Paths); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.Name, diff)
		}
	}
}

// TestManyFiles: a patch may name any number of files; looking for repeats must
// not take the square of that.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	const n = 200_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "*** Add File: f%d\n", i)
	}
	e, err := provider(t, "codex").Decode("PreToolUse", fmt.Appendf(nil, `{"tool_name":"apply_patch","tool_input":{"command":%s}}`, quoted(b.String())))
	if err != nil || len(e.Tool.Paths) != n {
		t.Errorf("%d paths, error %v", len(e.Tool.Paths), err)
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

package main

import (
	"fmt"
	"strings"
)

// tool is a call of another tool.
func tool(name, tool string, input func(s int) map[string]any) load {
	return load{name, func(s int) (string, map[string]any) { return tool, input(s) }}
}

// tools are the agents' other tools.
func tools() []load {
	return []load{
		tool("Write 1 MiB", "Write", func(s int) map[string]any {
			return map[string]any{"file_path": "a.txt", "content": filled("a line of text\n", mib/2*s)}
		}),
		tool("Write 16 MiB", "Write", func(s int) map[string]any {
			return map[string]any{"file_path": "a.txt", "content": filled("a line of text\n", 8*mib*s)}
		}),
		tool("Write, a path of 1 MiB", "Write", func(s int) map[string]any {
			return map[string]any{"file_path": "/" + filled("a/", mib/2*s), "content": "x"}
		}),
		tool("Write, a path of globs", "Write", func(s int) map[string]any {
			return map[string]any{"file_path": "/" + filled("*a?/", 4000*s), "content": "x"}
		}),
		tool("MultiEdit, 10000 edits", "MultiEdit", func(s int) map[string]any {
			var edits []map[string]string
			for i := range 5000 * s {
				edits = append(edits, map[string]string{"old_string": fmt.Sprint("a", i), "new_string": "b"})
			}
			return map[string]any{"file_path": "a.go", "edits": edits}
		}),
		tool("apply_patch, 10000 files", "apply_patch", func(s int) map[string]any {
			return map[string]any{"input": "*** Begin Patch\n" + number("*** Update File: d#/f#.go\n@@\n-a\n+b\n", 5000*s) + "*** End Patch\n"}
		}),
		tool("apply_patch, 20000 deletes", "apply_patch", func(s int) map[string]any {
			return map[string]any{"input": "*** Begin Patch\n" + number("*** Delete File: /etc/d#/f#\n", 10000*s) + "*** End Patch\n"}
		}),
		tool("apply_patch, 1 MiB", "apply_patch", func(s int) map[string]any {
			return map[string]any{"input": "*** Begin Patch\n*** Update File: a.go\n" + filled("+ a line of text\n", mib/2*s) + "*** End Patch\n"}
		}),
		bash("apply_patch in a here-document", func(s int) string {
			return "apply_patch <<'EOF'\n*** Begin Patch\n" + number("*** Update File: d#/f#.go\n@@\n-a\n+b\n", 5000*s) + "*** End Patch\nEOF\n"
		}),
		tool("MCP, deep arguments", "mcp__fs__write_file", func(s int) map[string]any {
			var v any = "x"
			for range 2000 * s {
				v = map[string]any{"path": "a", "b": v}
			}
			return map[string]any{"a": v}
		}),
		tool("MCP, wide arguments", "mcp__fs__write_file", func(s int) map[string]any {
			in := map[string]any{}
			for i := range 15000 * s {
				in[fmt.Sprint("path", i)] = "/etc/x"
			}
			return in
		}),
		tool("MCP, 30000 paths", "mcp__fs__delete_files", func(s int) map[string]any {
			var paths []string
			for i := range 15000 * s {
				paths = append(paths, fmt.Sprint("/srv/d", i))
			}
			return map[string]any{"paths": paths}
		}),
		tool("MCP, 20000 queries", "mcp__postgres__query", func(s int) map[string]any {
			var q []map[string]string
			for i := range 10000 * s {
				q = append(q, map[string]string{"sql": fmt.Sprint("drop table x", i)})
			}
			return map[string]any{"queries": q}
		}),
		tool("MCP, one query of 1 MiB", "mcp__postgres__query", func(s int) map[string]any {
			return map[string]any{"sql": filled("drop table x; delete from y where a=1; ", mib/2*s)}
		}),
		tool("MCP, 20000 command lines", "mcp__shell__execute_command", func(s int) map[string]any {
			var q []map[string]string
			for i := range 10000 * s {
				q = append(q, map[string]string{"command": fmt.Sprint("rm x", i)})
			}
			return map[string]any{"list": q}
		}),
		tool("MCP, one command of 1 MiB", "mcp__shell__execute_command", func(s int) map[string]any {
			return map[string]any{"command": filled("rm x;", mib/2*s-1024)}
		}),
		tool("MCP, code of 1 MiB", "mcp__python__run_code", func(s int) map[string]any {
			return map[string]any{"code": filled("os.remove('x')\n", mib/2*s-1024)}
		}),
		tool("MCP, URLs", "mcp__web__fetch", func(s int) map[string]any {
			return map[string]any{"url": number("http://h#.example/a ", 20_000*s)}
		}),
		tool("WebFetch, a URL of 1 MiB", "WebFetch", func(s int) map[string]any {
			return map[string]any{"url": "https://x.example/" + filled("a/", mib/2*s), "prompt": "x"}
		}),
		tool("Grep, a pattern of 1 MiB", "Grep", func(s int) map[string]any {
			return map[string]any{"pattern": filled("a|", mib/2*s), "glob": filled("a", mib/2*s)}
		}),
		tool("PowerShell, 1 MiB", "PowerShell", func(s int) map[string]any {
			return map[string]any{"command": filled("Remove-Item x; ", mib/2*s-1024)}
		}),
		tool("PowerShell, 100 KiB", "PowerShell", func(s int) map[string]any {
			return map[string]any{"command": filled("Remove-Item x; ", 50<<10*s)}
		}),
		tool("unknown tool, 1 MiB", "Frobnicate", func(s int) map[string]any {
			return map[string]any{"x": strings.Repeat("y", mib/2*s)}
		}),
	}
}

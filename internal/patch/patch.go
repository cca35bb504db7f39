// Package patch reads the text of an apply_patch call, which Codex takes as a tool
// of its own and as a command of the shell.
package patch

import "strings"

var headers = []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"}

// Files lists the files that the headers of a patch name, as they stand there.
// Codex trims a line before it looks for a header, and so does this.
func Files(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "*** ") {
			continue
		}
		for _, h := range headers {
			if name, ok := strings.CutPrefix(line, h); ok {
				out = append(out, strings.TrimSpace(name))
			}
		}
	}
	return out
}

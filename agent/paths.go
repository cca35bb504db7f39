package agent

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/fireharp/overseer/internal/patch"
)

// pathSet gathers the files and the address that a call names.
type pathSet struct {
	cwd  string
	list []string
	seen map[string]bool
	url  string
}

// maxNesting bounds how deep arguments are searched for paths.
const maxNesting = 8

// members takes in every value whose key says that it is a path or an address,
// at any depth: tools nest them ({"edits": [{"file_path": …}]}).
func (s *pathSet) members(o object, mcp bool, depth int) {
	for _, m := range o {
		s.value(m.name, m.value, mcp, depth)
	}
}

func (s *pathSet) value(key string, v gjson.Result, mcp bool, depth int) {
	switch {
	case v.Type == gjson.String:
		switch {
		case isURLKey(key):
			s.address(v.Str)
		case isPathKey(key) || mcp && isTransferKey(key):
			s.add(v.Str)
		}
	case depth == maxNesting:
	case v.IsObject():
		s.members(membersOf(v), mcp, depth+1)
	case v.IsArray():
		v.ForEach(func(_, m gjson.Result) bool {
			s.value(key, m, mcp, depth+1)
			return true
		})
	}
}

// patch takes in the files that the headers of an apply_patch text name.
func (s *pathSet) patch(text string) {
	for _, name := range patch.Files(text) {
		s.add(name)
	}
}

// add takes in one path. One that reads like an address is taken as both: a tool
// that joins "x://../../etc/passwd" to a folder reaches a file.
func (s *pathSet) add(p string) {
	if p == "" {
		return
	}
	if hasScheme(p, "file") || hasScheme(p, "http") || hasScheme(p, "https") {
		s.address(p)
	}
	if isHome(p) {
		s.insert(home(p))
		if !strings.Contains(p, "..") {
			return
		}
	}
	s.insert(absolute(s.cwd, p))
}

func (s *pathSet) insert(p string) {
	if s.seen[p] {
		return
	}
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	s.seen[p] = true
	s.list = append(s.list, p)
}

// address takes in the first address; one of a file is a path.
func (s *pathSet) address(a string) {
	if !hasScheme(a, "file") {
		if s.url == "" {
			s.url = a
		}
		return
	}
	p := strings.TrimPrefix(a[len("file:"):], "//")
	if i := strings.IndexByte(p, '/'); i > 0 {
		p = p[i:] // without the host
	}
	if u, err := url.PathUnescape(p); err == nil {
		p = u
	}
	if len(p) > 1 && drive(p[1:]) {
		p = p[1:] // file:///C:/x
	}
	if p != "" {
		s.insert(absolute(s.cwd, p))
	}
}

func hasScheme(a, scheme string) bool {
	return len(a) > len(scheme) && a[len(scheme)] == ':' && strings.EqualFold(a[:len(scheme)], scheme)
}

// absolute joins a relative path to cwd and cleans it, by the letters alone. In
// a Windows folder the result has slashes.
func absolute(cwd, p string) string {
	if drive(cwd) || strings.HasPrefix(cwd, `\\`) || cwd == "" && drive(p) {
		p, cwd = strings.ReplaceAll(p, `\`, "/"), strings.ReplaceAll(cwd, `\`, "/")
		if drive(p) {
			return path.Clean(p)
		}
		if strings.HasPrefix(p, "//") {
			return "/" + path.Clean(p) // a share: //host/share
		}
	}
	if strings.HasPrefix(p, "/") || cwd == "" {
		return path.Clean(p)
	}
	return path.Join(cwd, p)
}

func isHome(p string) bool { return p == "~" || strings.HasPrefix(p, "~/") }

// home cleans a path below "~" and keeps the "~", also from "..": where home is,
// the caller knows.
func home(p string) string {
	rest := path.Clean(strings.TrimLeft(p[1:], "/"))
	if rest == "." {
		return "~"
	}
	return "~/" + rest
}

// drive reports whether p begins with a drive, as in C:\ or C:/.
func drive(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') &&
		p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z'
}

// isPathKey reports whether a tool's argument of this name is a path: its last
// word says so (file_path, notebookPath, output-file, but not "profile").
func isPathKey(key string) bool {
	switch lastWord(key) {
	case "path", "paths", "filepath", "filepaths", "file", "files", "filename", "filenames",
		"dir", "dirs", "directory", "directories", "folder", "folders":
		return true
	case "name", "names":
		return len(key) < len("file_names")+1 && strings.HasPrefix(strings.ToLower(key), "file")
	}
	return false
}

// isTransferKey reports whether an MCP tool's argument of this name is likely a
// path; the agents' own tools use such names for other things.
func isTransferKey(key string) bool {
	switch lastWord(key) {
	case "source", "destination", "src", "dst", "dest":
		return true
	}
	return false
}

func isURLKey(key string) bool {
	switch lastWord(key) {
	case "url", "urls", "uri", "uris":
		return true
	}
	return false
}

// lastWord is the last word of a name in snake, kebab or camel case, lowered and
// without a number behind it (file1, path_2).
func lastWord(key string) string {
	key = strings.TrimRight(strings.TrimRight(key, "0123456789"), "_-")
	start := 0
	for i, r := range key {
		switch {
		case r == '_' || r == '-' || r == '.':
			start = i + 1
		case unicode.IsUpper(r) && i > 0 && key[i-1] >= 'a' && key[i-1] <= 'z':
			start = i
		}
	}
	return strings.ToLower(key[start:])
}

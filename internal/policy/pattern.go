package policy

import (
	"errors"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/fireharp/overseer/internal/hint"
)

// pattern is one entry of paths, in the manner of a .gitignore line:
//
//	.env       *.pem        a file of that name, at any depth
//	.git/                   any file below a folder of that name, at any depth
//	config/*.yml  /build/   from the policy file's folder or the event's
//	/etc/passwd   ~/.ssh/   also absolute, and from the home folder
//	!example.env            takes back what an earlier entry selected
//
// Whole path components are compared, never a part of one. Unlike in a
// .gitignore, a name without a slash behind it is a file's and not a folder's.
type pattern struct {
	source string
	negate bool
	// folder is set for a pattern that ends in a slash.
	folder bool
	// anchored is set for one with a slash elsewhere; glob then has no leading
	// slash.
	anchored bool
	// absolute is set for one that begins with a slash, home for one that begins
	// with "~/".
	absolute, home bool
	glob           string
}

// places are the folders from which anchored patterns count, absolute and clean.
type places struct {
	home  string
	roots []string
}

// parsePattern reads one pattern. With fold, capitals do not matter to it, and
// what it is to match must be in lower case.
func parsePattern(source string, fold bool) (pattern, error) {
	p := pattern{source: source}
	s := source
	if rest, ok := strings.CutPrefix(s, "!"); ok {
		p.negate, s = true, rest
	}
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		p.home, p.anchored, s = true, true, rest
	}
	if rest, ok := strings.CutPrefix(s, "./"); ok {
		p.anchored, s = true, rest
	}
	if rest := strings.TrimRight(s, "/"); rest != s {
		p.folder, s = true, rest
	}
	if rest, ok := strings.CutPrefix(s, "/"); ok {
		p.absolute, p.anchored, s = !p.home, true, rest
	}
	p.anchored = p.anchored || strings.Contains(s, "/")
	for _, component := range strings.Split(s, "/") {
		switch component {
		case "":
			return p, errors.New("an empty component")
		case ".", "..":
			return p, hint.Wrap(errors.New(`"." or ".." as a component`), "write the path as it is when cleaned, if need be from / or ~/")
		}
	}
	if fold {
		s = strings.ToLower(s)
	}
	// Braces are plain characters in a .gitignore.
	p.glob = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, `{`, `\{`, `}`, `\}`).Replace(s)
	if !doublestar.ValidatePattern(p.glob) {
		return p, hint.Wrap(errors.New("not a glob"), `an open "[" or a "\" at the end: put a "\" before a character that is meant as it is`)
	}
	return p, nil
}

// selects reports whether the last of the patterns that match p takes it in.
func selects(patterns []pattern, p string, from places) bool {
	selected := false
	for i := range patterns {
		if patterns[i].negate == selected && patterns[i].match(p, from) {
			selected = !selected
		}
	}
	return selected
}

// match matches one clean path.
func (p *pattern) match(file string, from places) bool {
	if !p.anchored {
		if !p.folder {
			return doublestar.MatchUnvalidated(p.glob, path.Base(file))
		}
		for dir := path.Dir(file); dir != "/" && dir != "."; dir = path.Dir(dir) {
			if doublestar.MatchUnvalidated(p.glob, path.Base(dir)) {
				return true
			}
		}
		return false
	}
	if p.home {
		rel, ok := below(from.home, file)
		return ok && p.matchRelative(rel)
	}
	if !path.IsAbs(file) || p.absolute || strings.HasPrefix(p.glob, "**") {
		if p.matchRelative(strings.TrimPrefix(file, "/")) {
			return true
		}
	}
	for _, root := range from.roots {
		if rel, ok := below(root, file); ok && p.matchRelative(rel) {
			return true
		}
	}
	return false
}

// matchRelative matches a path, or for a folder's pattern one of the folders that
// it is in.
func (p *pattern) matchRelative(rel string) bool {
	if !p.folder {
		return doublestar.MatchUnvalidated(p.glob, rel)
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if doublestar.MatchUnvalidated(p.glob, dir) {
			return true
		}
	}
	return false
}

// below makes file relative to a folder that it is in.
func below(folder, file string) (string, bool) {
	if folder == "" {
		return "", false
	}
	return strings.CutPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

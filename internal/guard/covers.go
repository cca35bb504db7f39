package guard

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Whether a path that an event names, which may hold wildcards, is one of overseer's.

func (w writes) coversAny(paths []string, above bool) bool {
	for _, p := range paths {
		if w.covers(p, above) {
			return true
		}
	}
	return false
}

// covers reports whether a clean path, which may hold wildcards, is one of the
// places or below it. With above, a folder that contains a place counts too: it
// would go with it.
func (w writes) covers(p string, above bool) bool {
	if !strings.ContainsAny(p, `*?[{\\`) && !strings.Contains(p, "//") {
		return w.coversPlain(p, above)
	}
	parts := split(p)
	for _, u := range w.under {
		if overlap(parts, split(u), above) {
			return true
		}
	}
	for _, rel := range w.project {
		want := split(rel)
		for i := range parts {
			if i+len(want) <= len(parts) && alike(parts[i:], want) {
				return true
			}
		}
	}
	return false
}

// coversPlain is covers for a path without wildcards. There are many.
func (w writes) coversPlain(p string, above bool) bool {
	p = strings.Trim(p, "/")
	for _, u := range w.under {
		u = strings.Trim(u, "/")
		if within(p, u) || above && p != "" && within(u, p) {
			return true
		}
	}
	for _, rel := range w.project {
		for rest := p; strings.IndexByte(rest, rel[0]) >= 0; {
			i := strings.Index(rest, rel)
			if i < 0 {
				break
			}
			if (i == 0 || rest[i-1] == '/') && within(rest[i:], rel) {
				return true
			}
			rest = rest[i+1:]
		}
	}
	return false
}

// within reports whether a path is a folder or below it.
func within(p, dir string) bool {
	return strings.HasPrefix(p, dir) && (len(p) == len(dir) || p[len(dir)] == '/')
}

func split(p string) []string {
	return strings.FieldsFunc(p, func(c rune) bool { return c == '/' })
}

// overlap compares a path with a place component by component. A "**" is what a
// search from a folder on finds: anything below it of the name that follows.
func overlap(p, place []string, above bool) bool {
	if above && len(p) == 0 { // the whole machine is the constitution's matter
		return false
	}
	for i, part := range p {
		switch {
		case part == "**" && i+1 < len(p):
			return found(p[i+1:], place[min(i, len(place)):], above)
		case i == len(place):
			return true
		case !sameName(part, place[i]):
			return false
		}
	}
	return above || len(p) >= len(place)
}

// alike reports whether a path begins with a place.
func alike(p, place []string) bool {
	for i := range place {
		if !sameName(p[i], place[i]) {
			return false
		}
	}
	return true
}

// found reports whether a search for names can find the place, a folder above it or,
// below it, a file that has its name from overseer or an agent.
func found(names, place []string, above bool) bool {
	if len(place) == 0 {
		return true
	}
	for i := range place {
		for n := range min(len(names), len(place)-i) {
			if !sameFound(names[n], place[i+n]) {
				break
			}
			if n == len(names)-1 && (above || i+n == len(place)-1) || i+n == len(place)-1 && n < len(names)-1 {
				return true
			}
		}
	}
	return len(names) == 1 && slices.ContainsFunc(ownNames, func(own string) bool { return sameFound(names[0], own) })
}

// ownNames are names in overseer's folder that little else has.
var ownNames = []string{"precedents", "approvals.json", "ledger.db", "constitution"}

// sameFound is sameName for what a search finds, whose wildcards stand for dots too.
func sameFound(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok
}

// sameName reports whether a component, which may hold wildcards, stands for a
// name. As in the shell, a wildcard at the beginning stands for no dot.
func sameName(pattern, name string) bool {
	if pattern == name {
		return true
	}
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") && !strings.HasPrefix(pattern, "{") {
		return false
	}
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok
}

package shell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// How effects are noted: each once, with what follows from it.

// effects notes an effect with its targets, and what follows from them. Kinds that
// are about files have paths for targets.
func (e *eval) effects(label string, k effect.Kind, targets []effect.Value) {
	x := effect.Effect{Kind: k, Program: label}
	for _, t := range targets {
		if (k == effect.FileDelete || k == effect.DeleteRecursive) && e.everyFile(&t) {
			x.Kind = effect.DeleteRecursive
		}
		if !aboutFiles(k) {
			x.Targets = append(x.Targets, effect.Target{Name: t.Text})
			x.Unsure = x.Unsure || t.Open
			continue
		}
		if t.Text == "" || t.Text == "-" {
			continue
		}
		p := e.path(t)
		if !e.spend(effect.Work(p.Text)) {
			continue
		}
		scope := effect.ScopeOf(p, e.ctx.Places)
		if e.fromFile && scope == effect.Unknown {
			continue
		}
		name := p.Text
		if scope != effect.Unknown {
			name = e.ctx.Places.Abs(name)
		}
		x.Targets = append(x.Targets, effect.Target{Name: name, Scope: scope})
		x.Unsure = x.Unsure || t.Open
	}
	if len(targets) > 0 && len(x.Targets) == 0 {
		return
	}
	e.add(x)
}

// everyFile reports whether what is deleted one by one is all that a folder holds, as
// in find / -type f -exec rm: no rm without -r takes a folder.
func (e *eval) everyFile(t *effect.Value) bool {
	if dir, ok := strings.CutSuffix(t.Text, "/"+every); ok {
		if dir == "" {
			dir = "/"
		}
		*t = effect.Value{Text: dir, Origin: t.Origin}
		return true
	}
	if strings.HasPrefix(t.Text, "/"+Found+"/") { // as locate names them, wherever they are
		return true
	}
	return strings.Contains(t.Text, "/**/") || effect.IsWhole(e.path(*t), e.ctx.Places)
}

// aboutFiles reports whether the targets of a kind are paths.
func aboutFiles(k effect.Kind) bool {
	group, _, _ := strings.Cut(string(k), ".")
	switch group {
	case "file", "delete", "disk", "permission", "persist", "trace", "privilege":
		return true
	}
	return k == effect.SecretRead
}

// add notes an effect and what follows from it.
func (e *eval) add(x effect.Effect) {
	if x.Via == nil {
		x.Via = e.via
	}
	fresh := e.isNew(x)
	if !fresh && e.change == nil {
		return // and so is what follows from it
	}
	for i, d := range append([]effect.Effect{x}, effect.Derive(x, e.ctx.Places)...) {
		if !e.spend(effectWork) {
			return
		}
		if i == 0 && !fresh || i > 0 && (d.Kind == "trust.build" && e.ordinary(d) || !e.isNew(d)) {
			continue
		}
		e.out.Effects = append(e.out.Effects, d)
		at := e.owner
		if at < 0 {
			at = len(e.out.Commands) - 1
		}
		if at >= 0 && at < len(e.out.Commands) {
			c := &e.out.Commands[at]
			c.Effects = append(c.Effects, d)
		}
	}
}

// isNew reports whether the line has not had this effect yet.
func (e *eval) isNew(x effect.Effect) bool {
	b := append(e.key[:0], x.Kind...)
	b = append(append(b, 0), x.Program...)
	for _, v := range x.Via {
		b = append(append(b, 1), v...)
	}
	for _, t := range x.Targets {
		b = append(append(b, 2), t.Scope...)
		b = append(append(b, 0), t.Name...)
	}
	e.key = b
	if e.seen[string(b)] {
		return false
	}
	e.seen[string(b)] = true
	return true
}

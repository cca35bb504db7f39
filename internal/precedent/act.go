package precedent

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/fireharp/overseer/internal/effect"
)

// Act is an action as far as rulings look at it.
type Act struct {
	// Tool is the sort of tool: shell, file, or other.
	Tool string
	// Programs are the programs with their subcommands, or the tool.
	Programs []string
	// Text is what words are taken from.
	Text string
	// Form is all that must be the same for a ruling to speak for another action,
	// nil if none can.
	Form []string
	// Effects are what the action would do. Where Loose is set, they are all on files
	// in Root, the project's folder, or in folders for temporary files, and Form does
	// not tell on which.
	Effects []effect.Effect
	Loose   bool
	Root    string
}

// Action is an action that is judged: its signature, and where a ruling on it
// could have been given.
type Action struct {
	Signature
	// within has for each target of a loose action the anchors of which one must be
	// among the precedent's.
	within []place
}

type place struct {
	kind    effect.Kind
	anchors []uint64
}

// Loosely reports whether effects are of the sort that an action may be loose
// about: on single files, nothing that is known only later, in the project or in
// folders for temporary files.
func Loosely(list []effect.Effect) bool {
	for _, e := range list {
		switch e.Kind {
		case effect.FileRead, effect.FileWrite, effect.FileDelete, effect.DeleteRecursive, fileMove:
		default:
			return false
		}
		if e.Unsure || len(e.Targets) == 0 {
			return false
		}
		for _, t := range e.Targets {
			if t.Scope != effect.Repo && t.Scope != effect.Temp || !path.IsAbs(t.Name) {
				return false
			}
		}
	}
	return len(list) > 0
}

const fileMove effect.Kind = "file.move"

// Of describes an action. The key is the person's own.
func Of(a Act, key []byte) Action {
	k := hasher(key)
	out := Action{Signature: Signature{Tool: a.Tool}}
	s := &out.Signature
	for _, e := range a.Effects {
		s.add(e)
		if !a.Loose {
			continue
		}
		for _, t := range e.Targets {
			if t.Scope != effect.Repo {
				continue
			}
			mine, any := k.anchors(e.Kind, t.Name, a.Root)
			out.within = append(out.within, place{e.Kind, any})
			mineIn(s, e.Kind, mine)
		}
	}
	slices.SortFunc(s.Effects, func(a, b Effect) int { return cmp.Compare(a.Kind, b.Kind) })
	fits := true
	for i := range s.Effects {
		slices.Sort(s.Effects[i].Anchors)
		fits = fits && len(s.Effects[i].Anchors) <= maxAnchors
	}
	for _, p := range a.Programs {
		s.Programs = append(s.Programs, uint32(k.short(programSize, "program", p)))
	}
	s.Programs = sorted(s.Programs)
	if len(s.Programs) > maxPrograms {
		s.Programs, fits = s.Programs[:maxPrograms], false
	}
	s.Words = k.words(a, s.Effects)
	if a.Form != nil && fits {
		s.Form = k.form(a.Form)
	} else {
		for i := range s.Effects {
			s.Effects[i].Anchors = nil
		}
	}
	return out
}

func mineIn(s *Signature, k effect.Kind, anchor uint64) {
	for i := range s.Effects {
		if e := &s.Effects[i]; e.Kind == k && !slices.Contains(e.Anchors, anchor) {
			e.Anchors = append(e.Anchors, anchor)
		}
	}
}

// add joins an effect with those of its kind.
func (s *Signature) add(e effect.Effect) {
	i := slices.IndexFunc(s.Effects, func(x Effect) bool { return x.Kind == e.Kind })
	if i < 0 {
		i = len(s.Effects)
		s.Effects = append(s.Effects, Effect{Kind: e.Kind})
	}
	mine := &s.Effects[i]
	mine.Unsure = mine.Unsure || e.Unsure
	for _, t := range e.Targets {
		if t.Scope != "" {
			mine.Scopes = append(mine.Scopes, string(t.Scope))
		}
	}
	slices.Sort(mine.Scopes)
	mine.Scopes = slices.Compact(mine.Scopes)
}

// anchors gives where a ruling on this target lets others follow, and from where
// one would let it follow. Deleting a folder speaks for what is in it. What is done
// to a single file speaks for files in the same folder and below; in the project's
// own top folder only for files there, and of deleting and moving only for that
// very file. A file whose name begins with a dot has most likely settings, and is
// like no other.
func (k hasher) anchors(kind effect.Kind, file, root string) (mine uint64, any []uint64) {
	at := func(p string) uint64 { return k.short(anchorSize, "at", p) }
	in := func(p string) uint64 { return k.short(anchorSize, "in", p) }
	dir := path.Dir(file)
	switch {
	case kind != effect.DeleteRecursive && strings.HasPrefix(path.Base(file), "."):
		return at(file), []uint64{at(file)}
	case kind == effect.DeleteRecursive:
		mine = at(file)
		for p := file; len(p) > len(root) && p != "/"; p = path.Dir(p) {
			any = append(any, at(p))
		}
		return mine, any
	case dir == root && (kind == effect.FileDelete || kind == fileMove):
		return at(file), []uint64{at(file)}
	case dir == root:
		return in(dir), []uint64{in(dir)}
	}
	for p := dir; len(p) > len(root) && p != "/"; p = path.Dir(p) {
		any = append(any, in(p))
	}
	return in(dir), any
}

// words are the hashes that likeness is told from: the words of the text and the
// kinds of the effects.
func (k hasher) words(a Act, effects []Effect) []uint32 {
	text := a.Text[:min(len(a.Text), maxText)]
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, e := range effects {
		list = append(list, "effect "+string(e.Kind))
	}
	slices.Sort(list)
	var out []uint32
	for _, w := range slices.Compact(list) {
		out = append(out, uint32(k.short(wordSize, "word", w)))
	}
	out = sorted(out)
	return out[:min(len(out), maxWords)]
}

// maxText bounds the text that words are taken from.
const maxText = 4 << 10

func sorted(list []uint32) []uint32 {
	slices.Sort(list)
	return slices.Compact(list)
}

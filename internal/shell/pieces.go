package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Piece is a stretch of a command line: as it is written, or a word in whose place
// another of its sort could stand and the line would still be the same sort of act.
type Piece struct {
	Sort Sort
	Text string
}

// Sort says what may stand in the place of a piece.
type Sort uint8

// The sorts.
const (
	Written Sort = iota // nothing but these very bytes
	File                // another file that the same is done to
	Message             // another text for people: a commit message, a title
)

// fileTools are the programs of which only the files matter that they are given:
// what they do to them does not depend on what is in the files or in a folder, and
// they start nothing.
var fileTools = []string{
	"rm", "rmdir", "unlink", "mv", "cp", "ln", "touch", "mkdir",
	"tee", "cat", "head", "tail",
}

// IsFileTool reports whether only the files matter that a program of this name is
// given.
func IsFileTool(name string) bool { return slices.Contains(fileTools, name) }

// messageFlags are the flags whose value is a text for people, by program and
// subcommand. Of -am only the last letter counts.
func messageFlags(command string) []string {
	switch command {
	case "git commit", "git tag", "git merge", "git notes", "git stash":
		return []string{"-m", "--message"}
	case "gh pr create", "gh issue create":
		return []string{"-t", "--title", "-b", "--body"}
	case "gh pr comment", "gh issue comment":
		return []string{"-b", "--body"}
	case "gh release create":
		return []string{"-t", "--title", "-n", "--notes"}
	case "glab mr create", "glab issue create":
		return []string{"-t", "--title", "-d", "--description"}
	}
	return nil
}

// OnlyFileTools reports whether the line runs nothing but programs of which only
// the files matter that they are given.
func (p *Program) OnlyFileTools() bool {
	return len(p.Commands) > 0 && !slices.ContainsFunc(p.Commands, func(c Command) bool {
		return !slices.Contains(fileTools, c.Program) && c.Program != "cd" || c.Path != "" || len(c.Via) > 0
	})
}

// Pieces parts the line into what counts as it is written and what may vary: the
// words that file takes for files (nil for none), here-documents that such a line
// writes into files, and messages. What shortens the output at the end of the
// line, and a cd to where it is already (here), is left out. open is true if
// something remains that is known only while the line runs.
func (p *Program) Pieces(file, here func(word string) bool) (_ []Piece, open bool) {
	if p.file == nil || p.Incomplete {
		return []Piece{{Text: p.src}}, true
	}
	c := cutter{src: p.src, file: file}
	if len(p.file.Stmts) == 1 {
		c.trim(p.file.Stmts[0], here)
	}
	for _, s := range p.file.Stmts {
		c.texts(s)
	}
	c.walk(p.file)
	return c.pieces(), c.open
}

// cutter collects the stretches that may vary.
type cutter struct {
	src  string
	file func(string) bool
	cuts []cut
	open bool
}

// cut is a stretch of the source; drop leaves it out.
type cut struct {
	from, to int
	sort     Sort
	drop     bool
}

func (c *cutter) cut(from, to syntax.Pos, s Sort, drop bool) {
	c.cuts = append(c.cuts, cut{int(from.Offset()), int(to.Offset()), s, drop})
}

func (c *cutter) isCut(n syntax.Node) bool {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	return slices.ContainsFunc(c.cuts, func(x cut) bool { return x.from <= from && to <= x.to })
}

// trim leaves out a cd to the current folder in front, and what only shortens the
// output behind. Both are done only where nothing depends on whether they succeed.
func (c *cutter) trim(s *syntax.Stmt, here func(string) bool) {
	for b, ok := s.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.AndStmt; b, ok = b.X.Cmd.(*syntax.BinaryCmd) {
		if words, ok := plainCall(b.X); ok && len(b.X.Redirs) == 0 && len(words) == 2 && words[0] == "cd" && here(words[1]) {
			c.cut(b.X.Pos(), b.Y.Pos(), Written, true)
		}
	}
	for {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || s.Negated || s.Background || len(s.Redirs) > 0 {
			break
		}
		if b.Op == syntax.Pipe && len(b.Y.Redirs) == 0 && shortens(b.Y) {
			c.cut(b.X.End(), b.Y.End(), Written, true)
			s = b.X
			continue
		}
		if b.Op == syntax.OrStmt {
			return // what is left of it decides whether this runs
		}
		s = b.Y
	}
	if n := len(s.Redirs); n > 0 {
		r := s.Redirs[n-1]
		if r.Op == syntax.DplOut && r.N != nil && r.N.Value == "2" && r.Word.Lit() == "1" {
			from := int(r.Pos().Offset())
			for from > 0 && c.src[from-1] == ' ' {
				from--
			}
			c.cuts = append(c.cuts, cut{from, int(r.End().Offset()), Written, true})
		}
	}
}

// plainCall gives the words of a simple command that are all known.
func plainCall(s *syntax.Stmt) ([]string, bool) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || s.Negated || s.Background {
		return nil, false
	}
	var out []string
	for _, w := range call.Args {
		text, ok := static(w)
		if !ok {
			return nil, false
		}
		out = append(out, text)
	}
	return out, len(out) > 0
}

// shortens reports whether a command passes on the beginning or the end of its
// input and does nothing else.
func shortens(s *syntax.Stmt) bool {
	words, ok := plainCall(s)
	if !ok || words[0] != "head" && words[0] != "tail" {
		return false
	}
	for i, w := range words[1:] {
		number := strings.Trim(w, "-+0123456789") == "" && w != "-"
		switch {
		case w == "-n" || w == "-c":
		case number && (w[0] == '-' || i > 0 && (words[i] == "-n" || words[i] == "-c")):
		case strings.HasPrefix(w, "-n") && strings.Trim(w[2:], "+-0123456789") == "":
		default:
			return false
		}
	}
	return true
}

// texts cuts out here-documents that go into a file and nowhere else.
func (c *cutter) texts(s *syntax.Stmt) {
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.AndStmt || b.Op == syntax.OrStmt) {
		c.texts(b.X)
		c.texts(b.Y)
		return
	}
	words, ok := plainCall(s)
	if c.file == nil || !ok || words[0] != "cat" && words[0] != "tee" {
		return
	}
	for _, r := range s.Redirs {
		if r.Hdoc != nil {
			if _, ok := static(r.Hdoc); ok {
				c.cut(r.Hdoc.Pos(), r.Hdoc.End(), Message, false)
			}
		}
	}
}

// walk cuts out words and finds what is not known.
func (c *cutter) walk(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil:
			return true
		case *syntax.Stmt:
			c.redirects(n)
		case *syntax.CallExpr:
			c.call(n)
		case *syntax.Word:
			return !c.isCut(n)
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.ExtGlob, *syntax.CoprocClause, *syntax.FuncDecl:
			c.open = c.open || !c.isCut(n)
		}
		return true
	})
}

// redirects cuts out the files that output goes to.
func (c *cutter) redirects(s *syntax.Stmt) {
	if c.file == nil {
		return
	}
	for _, r := range s.Redirs {
		if r.Op != syntax.RdrOut && r.Op != syntax.AppOut && r.Op != syntax.RdrAll && r.Op != syntax.AppAll {
			continue
		}
		if text, ok := unvaried(r.Word); ok && c.file(text) {
			c.cut(r.Word.Pos(), r.Word.End(), File, false)
		}
	}
}

func (c *cutter) call(call *syntax.CallExpr) {
	if len(call.Args) < 2 {
		return
	}
	first, ok := static(call.Args[0])
	if !ok {
		return
	}
	if slices.Contains(fileTools, first) && c.file != nil {
		for _, w := range call.Args[1:] {
			if text, ok := unvaried(w); ok && !strings.HasPrefix(text, "-") && c.file(text) {
				c.cut(w.Pos(), w.End(), File, false)
			}
		}
		return
	}
	name := first
	var flags []string
	for _, w := range call.Args[1:min(len(call.Args), 3)] {
		sub, _ := static(w)
		name += " " + sub
		if f := messageFlags(name); f != nil {
			flags = f
		}
	}
	free := true // the word before takes none
	for i := 2; i < len(call.Args) && flags != nil; i++ {
		w := call.Args[i]
		text, ok := unvaried(w)
		name, _, attached := strings.Cut(text, "=")
		before := free
		free = ok && !wantsMore(text)
		switch {
		case text == "--":
			return
		case !ok || !before:
		case attached && strings.HasPrefix(name, "--") && slices.Contains(flags, name):
			c.cut(w.Pos(), w.End(), Message, false)
		case i+1 < len(call.Args) && takesMessage(text, flags) && isMessage(call.Args[i+1]):
			i++
			c.cut(call.Args[i].Pos(), call.Args[i].End(), Message, false)
			free = true
		}
	}
}

// wantsMore reports whether a word may be a flag that takes the next word as its
// value: -F -m names a file called -m.
func wantsMore(word string) bool {
	if !strings.HasPrefix(word, "-") || strings.HasPrefix(word, "--") && strings.Contains(word, "=") {
		return false
	}
	return !slices.Contains(switches, word)
}

// switches are flags without a value, of all programs in [messageFlags].
var switches = []string{"-a", "--all", "-s", "--signoff", "-q", "--quiet", "-v", "--verbose", "--no-verify", "--amend",
	"--allow-empty", "--draft", "--prerelease", "--no-ff", "--ff-only", "--squash"}

// takesMessage reports whether the next word is the flag's value. -am is -a -m.
func takesMessage(word string, flags []string) bool {
	if slices.Contains(flags, word) {
		return true
	}
	return word == "-am" && slices.Contains(flags, "-m")
}

// isMessage reports whether a word is a text: one that is known, or what agents
// write for longer ones, "$(cat <<'EOF' … EOF)".
func isMessage(w *syntax.Word) bool {
	if _, ok := unvaried(w); ok {
		return true
	}
	if len(w.Parts) != 1 {
		return false
	}
	q, ok := w.Parts[0].(*syntax.DblQuoted)
	if !ok || len(q.Parts) != 1 {
		return false
	}
	sub, ok := q.Parts[0].(*syntax.CmdSubst)
	if !ok || len(sub.Stmts) != 1 {
		return false
	}
	s := sub.Stmts[0]
	words, ok := plainCall(s)
	if !ok || len(words) != 1 || words[0] != "cat" || len(s.Redirs) != 1 || s.Redirs[0].Hdoc == nil {
		return false
	}
	_, ok = static(s.Redirs[0].Hdoc)
	return ok
}

// unvaried is [static] for words that stand for nothing else: no glob, no braces and no
// tilde outside of quotes, which could become several words and flags.
func unvaried(w *syntax.Word) (string, bool) {
	text, ok := static(w)
	return text, ok && !varies(w)
}

// varies reports whether a word has a character outside of quotes that the shell
// may expand.
func varies(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.ContainsAny(lit.Value, "*?[]{}~")
	})
}

// static gives a word's text if all of it is known, quotes removed. Globs, braces
// and a tilde are known: the text is, not what it stands for.
func static(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// pieces puts the line together again. Several files in a row are as one.
func (c *cutter) pieces() []Piece {
	slices.SortFunc(c.cuts, func(a, b cut) int { return a.from - b.from })
	var out []Piece
	at := 0
	for _, x := range c.cuts {
		if x.from < at || x.to > len(c.src) {
			continue // inside of what was cut already
		}
		between := c.src[at:x.from]
		at = x.to
		last := len(out) - 1
		if x.sort == File && last >= 0 && out[last].Sort == File && strings.Trim(between, " ") == "" {
			continue
		}
		if between != "" {
			out = append(out, Piece{Text: between})
		}
		if !x.drop {
			out = append(out, Piece{Sort: x.sort, Text: c.src[x.from:x.to]})
		}
	}
	if rest := strings.TrimRight(c.src[at:], " \n"); rest != "" {
		out = append(out, Piece{Text: rest})
	}
	return out
}

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// filters only show what they are fed, and run nothing of it.
var filters = []string{"cat", "head", "tail", "tee", "grep", "egrep", "fgrep", "rg", "wc", "sort", "uniq", "cut", "tr", "jq", "less", "more", "column", "nl", "fold", "rev", "tac", "true"}

// loaders are variables that name programs, or code that programs load.
var loaders = []string{"BASH_ENV", "ENV", "NODE_OPTIONS", "EDITOR", "VISUAL", "PAGER", "BROWSER", "SHELL", "IFS", "MAKEFLAGS", "MAKEFILES", "RUSTC_WRAPPER", "JAVA_TOOL_OPTIONS", "PROMPT_COMMAND", "CC", "CXX", "LD"}

// Fixed reports whether the line and the files that it names tell all of what runs:
// no code or arguments that a program prints into another, no file that only a
// pattern names, and nothing that has programs found or loaded elsewhere.
func (p *Program) Fixed() bool {
	if p.file == nil || p.Incomplete {
		return false
	}
	for _, c := range p.Commands {
		if strings.Contains(c.Program, "$") || (c.Program == "." || c.Program == "source") && (len(c.Args) == 0 || strings.Contains(c.Args[0], "$") || strings.HasPrefix(c.Args[0], "/dev/")) {
			return false
		}
	}
	fixed := !loads(p.src)
	syntax.Walk(p.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			fixed = fixed && (n.Op != syntax.Pipe && n.Op != syntax.PipeAll || filter(n.Y) || says(n.X))
		case *syntax.CallExpr:
			first := ""
			if len(n.Args) > 0 {
				first, _ = unvaried(n.Args[0])
			}
			fixed = fixed && (slices.Contains(fileTools, first) || first == "cd" || first == "echo" || first == "printf" || !slices.ContainsFunc(n.Args, globs))
		case *syntax.Redirect:
			fixed = fixed && (n.Word == nil || !varies(n.Word))
		}
		return fixed
	})
	return fixed
}

// globs is [varies] but for words that a tilde begins.
func globs(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		if _, ok := p.(*syntax.ExtGlob); ok {
			return true
		}
		lit, ok := p.(*syntax.Lit)
		return ok && strings.ContainsAny(lit.Value, "*?[{")
	})
}

// filter reports whether a command only shows its input.
func filter(s *syntax.Stmt) bool {
	words, ok := plainCall(s)
	return ok && slices.Contains(filters, words[0])
}

// says reports whether what a command prints stands in the line.
func says(s *syntax.Stmt) bool {
	words, ok := plainCall(s)
	if !ok {
		return false
	}
	hdoc := len(s.Redirs) == 1 && s.Redirs[0].Hdoc != nil
	return words[0] == "echo" || words[0] == "printf" || words[0] == "yes" || words[0] == "true" || words[0] == "cat" && len(words) == 1 && hdoc
}

// loads reports whether a text sets a variable of [loaders] or one of their kind.
func loads(src string) bool {
	letter := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	for i := range len(src) {
		if src[i] != '=' {
			continue
		}
		end := i
		if end > 0 && src[end-1] == '+' {
			end--
		}
		from := end
		for from > 0 && letter(src[from-1]) {
			from--
		}
		switch name := src[from:end]; {
		case slices.Contains(loaders, name), strings.HasSuffix(name, "PATH"), strings.HasSuffix(name, "_COMMAND"):
			return true
		case slices.ContainsFunc([]string{"LD_", "DYLD_", "PYTHON", "PERL5", "RUBY", "GIT_", "BASH_", "LESS"}, func(s string) bool { return strings.HasPrefix(name, s) }):
			return true
		}
	}
	return false
}

package program

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/effect"
)

// TestTables runs all examples of all tables.
func TestTables(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range headers(t) {
		name := b.names[0]
		if seen[name] {
			continue
		}
		seen[name] = true
		lookup := strings.NewReplacer("*", "", "?", "x").Replace(name)
		t.Run(b.file+"/"+name, func(t *testing.T) {
			t.Parallel()
			table := load(find(lookup), nil, func(err error) { t.Error(err) })
			for _, l := range table.lines {
				if len(l.yes) == 0 || len(l.no) == 0 {
					t.Errorf("%s: lacks an example that fires or one that does not", l.at)
				}
				for _, ex := range l.yes {
					if !fires(t, name, l, ex) {
						t.Errorf("%s: does not fire on %s", l.at, ex)
					}
				}
				for _, ex := range l.no {
					if fires(t, name, l, ex) {
						t.Errorf("%s: fires on %s", l.at, ex)
					}
				}
			}
		})
	}
}

// fires reports whether the line with this place fits one of the commands of the
// example.
func fires(t *testing.T, name string, want *line, example string) bool {
	t.Helper()
	for _, c := range commands(t, name, example) {
		tab := new(Tables).table(c.name, c.words)
		if tab == nil {
			continue
		}
		hit := false
		tab.match(c.name, c.words, c.fed, "/repo", func(l *line) { hit = hit || l.at == want.at })
		if hit {
			return true
		}
	}
	return false
}

type call struct {
	name  string
	words []effect.Value
	fed   bool
}

// commands splits an example into its simple commands.
func commands(t *testing.T, name, example string) []call {
	t.Helper()
	if tab := load(find(strings.ReplaceAll(name, "*", "")), nil, nil); tab.style == slash || tab.style == pwsh {
		return windows(example)
	}
	f, err := syntax.NewParser().Parse(strings.NewReader(example), "")
	if err != nil {
		t.Errorf("example %q: %v", example, err)
		return nil
	}
	var out []call
	fed := map[*syntax.Stmt]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			fed[n.Y] = n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		case *syntax.Stmt:
			c, ok := n.Cmd.(*syntax.CallExpr)
			if !ok || len(c.Args) == 0 {
				return true
			}
			var words []effect.Value
			for _, w := range c.Args {
				words = append(words, literal(w))
			}
			in := slices.ContainsFunc(n.Redirs, func(r *syntax.Redirect) bool {
				return r.Op == syntax.RdrIn || r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc
			})
			out = append(out, call{Name(words[0].Text), words[1:], fed[n] || in})
		}
		return true
	})
	return out
}

func literal(w *syntax.Word) effect.Value {
	var v effect.Value
	var add func(parts []syntax.WordPart)
	add = func(parts []syntax.WordPart) {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				v.Text += strings.ReplaceAll(p.Value, `\`, "")
			case *syntax.SglQuoted:
				v.Text += p.Value
			case *syntax.DblQuoted:
				add(p.Parts)
			default:
				v.Text += "$x"
				v.Open = true
			}
		}
	}
	add(w.Parts)
	return v
}

// windows splits an example of cmd.exe or PowerShell at pipes and spaces.
func windows(example string) []call {
	var out []call
	for i, part := range strings.Split(example, " | ") {
		var words []effect.Value
		word, quote, has := "", byte(0), false
		for j := 0; j <= len(part); j++ {
			switch {
			case j == len(part) || quote == 0 && part[j] == ' ':
				if word != "" || has {
					words = append(words, effect.Lit(word))
				}
				word, has = "", false
			case quote != 0 && part[j] == quote:
				quote = 0
			case quote == 0 && (part[j] == '"' || part[j] == '\''):
				quote, has = part[j], true
			default:
				word += string(part[j])
			}
		}
		if len(words) > 0 {
			out = append(out, call{Name(words[0].Text), words[1:], i > 0})
		}
	}
	return out
}

package shell

import (
	"path"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/pipeline"
)

// change is what a command puts into a file that it writes.
type change struct {
	text  stream
	old   string
	add   bool // to the end
	whole bool // in the place of all that was there
}

// ordinary reports whether a file of a CI service gets what nobody has to look at.
func (e *eval) ordinary(d effect.Effect) bool {
	c := e.change
	if c == nil || !c.text.fed || c.text.Open || len(e.via) > maxNested || !e.spend(len(c.text.Text)/copyBytes+stepWork) {
		return false
	}
	if c.add && !strings.HasSuffix(c.text.Text, "\n") { // a line may come in pieces
		return false
	}
	read := func(line string) []effect.Effect {
		s := newEval(e.ctx)
		s.tables, s.work, s.ctx.Read, s.depth, s.via = e.tables, e.work, nil, e.depth+1, append(e.via[:len(e.via):len(e.via)], "job")
		s.source(effect.Lit(line), stream{})
		if s.out.Cut {
			e.stop()
		}
		return s.out.Effects
	}
	for _, t := range d.Targets {
		if !pipeline.Ordinary(pipeline.Change{File: t.Name, Old: c.old, New: c.text.Text, Whole: c.whole}, read) {
			return false
		}
	}
	return true
}

// maxNested bounds jobs that write the files of jobs.
const maxNested = 8

// changed is what a program is known to put into files: what tee is fed, what sed or yq
// put in the place of something. nil where that is not known.
func changed(label string, words []effect.Value, in stream) *change {
	switch name, _, _ := strings.Cut(label, " "); name {
	case "tee", "sponge":
		add := false
		for _, w := range words {
			add = add || w.Text == "-a" || w.Text == "--append"
		}
		return &change{text: in, add: add, whole: !add}
	case "sed", "gsed":
		return substitution(words)
	case "yq":
		return assignment(words)
	}
	return nil
}

// substitution reads the scripts of sed if they do nothing but put one text in the place
// of another.
func substitution(words []effect.Value) *change {
	c := &change{text: stream{fed: true}}
	var scripts []string
	explicit := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w.Open:
			return nil
		case w.Text == "-e" || w.Text == "--expression":
			if i++; i < len(words) && !words[i].Open {
				scripts, explicit = append(scripts, words[i].Text), true
			}
		case strings.HasPrefix(w.Text, "--expression="):
			scripts, explicit = append(scripts, w.Text[len("--expression="):]), true
		case w.Text == "-f" || strings.HasPrefix(w.Text, "--file"):
			return nil
		case strings.HasPrefix(w.Text, "-") || w.Text == "": // -i '' on a Mac
		case !explicit && len(scripts) == 0:
			scripts = append(scripts, w.Text)
		}
	}
	for _, s := range scripts {
		for s = strings.TrimLeft(s, " ;\n"); s != ""; s = strings.TrimLeft(s, " ;\n") {
			if len(s) < 4 || s[0] != 's' || isWordByte(s[1]) || s[1] == '\\' {
				return nil
			}
			old, rest, ok1 := upTo(s[2:], s[1])
			put, rest, ok2 := upTo(rest, s[1])
			if !ok1 || !ok2 || strings.TrimSpace(put) == "" || strings.Contains(old, "*") && !strings.Contains(old, ":") {
				return nil // what it takes away is not known
			}
			rest = strings.TrimLeft(rest, "gIi0123456789p")
			if rest != "" && rest[0] != ';' && rest[0] != '\n' && rest[0] != ' ' {
				return nil // e runs what comes of it, w writes elsewhere
			}
			c.old += old + "\n"
			c.text.Text += strings.ReplaceAll(put, `\n`, "\n") + "\n"
			s = rest
		}
	}
	if c.text.Text == "" {
		return nil
	}
	return c
}

// upTo cuts a text at a delimiter of sed's.
func upTo(s string, end byte) (before, after string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case end:
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ' ' || c == '\n'
}

// assignment reads an expression of yq if it sets one key to a text that stands there.
func assignment(words []effect.Value) *change {
	for _, w := range words {
		if strings.HasPrefix(w.Text, "-") {
			continue
		}
		key, value, ok := strings.Cut(w.Text, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if w.Open || !ok || strings.ContainsAny(key, "|()*+$") || strings.ContainsAny(value, "|()=$") {
			return nil
		}
		name := strings.Trim(path.Ext(strings.NewReplacer(`["`, ".", `"]`, "", "[]", "").Replace(key)), ".")
		parent := strings.TrimSuffix(strings.NewReplacer(`["`, ".", `"]`, "", "[]", "").Replace(key), "."+name)
		return &change{text: stream{effect.Lit(parent + ":\n  " + name + ": " + strings.Trim(value, `"`) + "\n"), true}}
	}
	return nil
}

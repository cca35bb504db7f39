package shell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/program"
)

// What a program prints, as far as it is known.

// prints gives what a table says that a program prints.
func (e *eval) prints(label string, a program.Act, words []effect.Value, in stream) stream {
	switch a.Arg {
	case "download":
		return unknown(effect.Downloaded)
	case "secret":
		return unknown(effect.Secret)
	case "mixed":
		return unknown(effect.Mixed)
	case "local":
		return unknown(effect.Local)
	case "text":
		v := joined(a.Targets)
		return stream{v, true}
	case "decoded":
		src := in
		if len(a.Targets) > 0 {
			all := output{e: e}
			for _, t := range a.Targets {
				all.add(e.content(t))
			}
			src = all.stream()
		}
		name, _, _ := strings.Cut(label, " ")
		if src.fed && !src.Open {
			if s, ok := decode(name, texts(words), src.Text); ok {
				return stream{effect.Value{Text: s, Origin: effect.Decoded}, true}
			}
		}
		if src.fed && src.Origin.Has(effect.Secret|effect.Downloaded) {
			return unknown(effect.Decoded | src.Origin)
		}
		return unknown(effect.Decoded)
	case "stdin":
		return e.passed(label, words, in)
	case "content":
		if len(a.Targets) == 0 {
			if !a.Named || in.fed {
				return e.passed(label, words, in)
			}
			return stream{}
		}
		out := output{e: e}
		for _, t := range a.Targets {
			if t.Text == "-" {
				out.add(in)
				continue
			}
			out.add(e.content(t))
		}
		return e.passed(label, words, out.stream())
	}
	return unknown(0)
}

// passed is what a program prints that hands on what it is fed, as it is or
// changed. Only what is certain to be handed on as it is, is still known.
func (e *eval) passed(label string, words []effect.Value, in stream) stream {
	if !in.fed {
		return unknown(0)
	}
	name, _, _ := strings.Cut(label, " ")
	if name != "cat" && strings.Contains(in.Text, every) { // it chooses some
		in.Text = strings.ReplaceAll(in.Text, every, Found)
	}
	if list, ok := narrowed(name, words, in); ok {
		return list
	}
	if strings.HasPrefix(in.Text, dump) && in.Open && name != "grep" && name != "head" && name != "tail" {
		return in // packed or not, it is all that a database holds
	}
	switch name {
	case "cat", "tee", "sponge", "pv", "head", "tail", "sort", "uniq", "nl", "buffer", "less", "more", "dd", "cut", "grep":
		return in // of parts, the whole is read: it is at least that
	case "rev", "tac":
		if !in.Open && e.spend(len(in.Text)/decodeBytes) {
			s, _ := decode(name, nil, in.Text)
			return stream{effect.Value{Text: s, Origin: in.Origin | effect.Decoded}, true}
		}
	case "tr":
		if !in.Open && e.spend(len(in.Text)/decodeBytes) {
			if s, ok := translate(texts(words), in.Text); ok {
				return stream{effect.Value{Text: s, Origin: in.Origin | effect.Decoded}, true}
			}
		}
	}
	if !in.Open {
		return unknown(in.Origin | effect.Decoded) // made from a text of the line: assembled
	}
	return unknown(in.Origin)
}

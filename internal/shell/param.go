package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/fireharp/overseer/internal/effect"
)

// param expands $name in all its forms, as far as the value is known.
func (e *eval) param(p *syntax.ParamExp) piece {
	if p.Param == nil {
		return piece{Value: effect.Value{Text: "$()", Open: true}}
	}
	name := p.Param.Value
	open := piece{Value: effect.Value{Text: "$" + name, Open: true}}
	if p.Length || p.Width || p.Names != 0 || p.IsSet {
		return piece{Value: effect.Value{Text: "${#" + name + "}", Open: true}}
	}
	if list, ok := e.list(name, p.Index); ok {
		if p.Slice != nil || p.Repl != nil || p.Exp != nil {
			if off, n, ok := slice(p.Slice, len(list)); ok && name == "@" {
				if off > 0 { // ${@:1} counts from $0
					off--
				}
				return piece{list: list[min(off, len(list)):min(off+n, len(list))], many: true}
			} else if ok {
				return piece{list: list[off:min(off+n, len(list))], many: true}
			}
			return open
		}
		return piece{list: list, many: true}
	}
	v, known := e.lookup(name, p.Index)
	if p.Excl && known && !v.Open {
		v, known = e.lookup(v.Text, nil)
	}
	switch {
	case p.Exp != nil:
		return piece{Value: e.operate(p.Exp, v, known, name)}
	case !known:
		if p.Slice != nil || p.Repl != nil {
			// A text cut out of the environment is a way to spell without letters.
			return piece{Value: effect.Value{Text: "${" + name + ":…}", Open: true}}
		}
		return open
	case v.Open:
		return piece{Value: v}
	case p.Slice != nil:
		off, n, ok := slice(p.Slice, len(v.Text))
		if !ok {
			return piece{Value: effect.Value{Text: "${" + name + ":…}", Open: true}}
		}
		return piece{Value: effect.Lit(v.Text[off : off+n])}
	case p.Repl != nil:
		from, to := e.word(p.Repl.Orig), e.word(p.Repl.With)
		if from.Open || to.Open || strings.ContainsAny(from.Text, "*?[") {
			return piece{Value: effect.Value{Text: "${" + name + "/…}", Open: true, Origin: v.Origin}}
		}
		n := 1
		if p.Repl.All {
			n = -1
		}
		if from.Text == "" {
			n = 0
		}
		if from.Text != "" && !e.spend((len(v.Text)+8*strings.Count(v.Text, from.Text))/copyBytes) {
			return piece{Value: effect.Value{Text: "${" + name + "/…}", Open: true, Origin: v.Origin}}
		}
		return piece{Value: e.grown(strings.Replace(v.Text, from.Text, to.Text, n), name)}
	}
	return piece{Value: v}
}

// grown bounds what expansions add up to.
func (e *eval) grown(s, name string) effect.Value {
	if e.expanded += len(s); e.expanded > maxText {
		e.stop()
		return effect.Value{Text: "$" + name, Open: true}
	}
	return effect.Lit(s)
}

// list gives $@, $* and whole arrays.
func (e *eval) list(name string, index syntax.ArithmExpr) ([]effect.Value, bool) {
	if name == "@" || name == "*" {
		return e.args, true
	}
	if w, ok := index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		if a, ok := e.arrays.get(name); ok {
			return a, true
		}
	}
	return nil, false
}

// lookup gives the value of a variable.
func (e *eval) lookup(name string, index syntax.ArithmExpr) (effect.Value, bool) {
	if a, ok := e.arrays.get(name); ok {
		i := 0
		if w, ok := index.(*syntax.Word); ok {
			n, err := strconv.Atoi(w.Lit())
			if err != nil {
				return effect.Value{}, false
			}
			i = n
			if i < 0 {
				i += len(a)
			}
		}
		if i >= 0 && i < len(a) {
			return a[i], true
		}
		return effect.Value{}, true
	}
	if v, ok := e.vars.get(name); ok {
		return v, true
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 {
		if n <= len(e.args) {
			return e.args[n-1], true
		}
		return effect.Value{}, len(e.running) > 0 || e.args != nil
	}
	switch name {
	case "HOME":
		return effect.Lit(e.home()), true
	case "PWD":
		return effect.Lit(e.cwd()), true
	case "TMPDIR":
		return effect.Lit("/tmp"), true
	case "IFS":
		return effect.Lit(" \t\n"), true
	case "SHELL", "BASH":
		return effect.Lit("/bin/bash"), true
	case "CLAUDE_PROJECT_DIR":
		if e.ctx.Places.Repo != "" {
			return effect.Lit(e.ctx.Places.Repo), true
		}
	}
	return effect.Value{}, false
}

// operate follows ${x:-y}, ${x#y} and their like.
func (e *eval) operate(x *syntax.Expansion, v effect.Value, known bool, name string) effect.Value {
	open := effect.Value{Text: "${" + name + "…}", Open: true, Origin: v.Origin}
	if known && v.Open {
		open.Text = v.Text
	}
	arg := e.word(x.Word)
	switch x.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if !known || v.Text == "" {
			// The environment may hold it too, but most lines are written for the
			// case that it does not.
			if x.Op == syntax.AssignUnset || x.Op == syntax.AssignUnsetOrNull {
				e.set(name, arg)
			}
			return arg
		}
		return v
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if known && v.Text != "" {
			return arg
		}
		if known {
			return effect.Value{}
		}
		return arg
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if known {
			return v
		}
		return effect.Value{Text: "$" + name, Open: true}
	}
	if !known || v.Open {
		return open
	}
	pat := arg.Text
	switch x.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return trim(v, pat, x.Op, open)
	case syntax.UpperFirst:
		if v.Text != "" {
			v.Text = strings.ToUpper(v.Text[:1]) + v.Text[1:]
		}
		return v
	case syntax.UpperAll:
		return effect.Lit(strings.ToUpper(v.Text))
	case syntax.LowerFirst:
		if v.Text != "" {
			v.Text = strings.ToLower(v.Text[:1]) + v.Text[1:]
		}
		return v
	case syntax.LowerAll:
		return effect.Lit(strings.ToLower(v.Text))
	}
	return open
}

// trim removes a prefix or suffix that is a plain text, or * and a plain text.
func trim(v effect.Value, pat string, op syntax.ParExpOperator, open effect.Value) effect.Value {
	plain := strings.Trim(pat, "*")
	if strings.ContainsAny(plain, "*?[") {
		return open
	}
	s := v.Text
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		switch {
		case pat == plain:
			s = strings.TrimPrefix(s, plain)
		case strings.HasPrefix(pat, "*") && plain != "":
			i := strings.Index(s, plain)
			if op == syntax.RemLargePrefix {
				i = strings.LastIndex(s, plain)
			}
			if i >= 0 {
				s = s[i+len(plain):]
			}
		}
	default:
		switch {
		case pat == plain:
			s = strings.TrimSuffix(s, plain)
		case strings.HasSuffix(pat, "*") && plain != "":
			i := strings.LastIndex(s, plain)
			if op == syntax.RemLargeSuffix {
				i = strings.Index(s, plain)
			}
			if i >= 0 {
				s = s[:i]
			}
		}
	}
	return effect.Lit(s)
}

// slice gives offset and length of ${x:off:len} within a text of length n.
func slice(s *syntax.Slice, n int) (off, length int, ok bool) {
	if s == nil {
		return 0, 0, false
	}
	number := func(x syntax.ArithmExpr, otherwise int) (int, bool) {
		switch x := x.(type) {
		case nil:
			return otherwise, true
		case *syntax.Word:
			v, err := strconv.Atoi(x.Lit())
			return v, err == nil
		case *syntax.UnaryArithm:
			if w, ok := x.X.(*syntax.Word); ok && x.Op == syntax.Minus {
				v, err := strconv.Atoi(w.Lit())
				return -v, err == nil
			}
		}
		return 0, false
	}
	off, ok1 := number(s.Offset, 0)
	length, ok2 := number(s.Length, n)
	if off < 0 {
		off += n
	}
	if !ok1 || !ok2 || off < 0 {
		return 0, 0, false
	}
	off = min(off, n)
	if length < 0 {
		length += n - off
	}
	return off, max(0, min(length, n-off)), true
}

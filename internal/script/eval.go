package script

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/budget"
	"github.com/fireharp/overseer/internal/effect"
)

// session is the reading of one script.
type session struct {
	work  *budget.Budget
	lang  string
	lx    lexis
	calls []Call
	vars  map[string]*value
	funcs map[string]*function
	stars []string // modules all of whose names are imported

	ts         []token
	i          int
	depth      int
	nest       int
	folded     int
	line       int    // before the text that is read
	printing   bool   // in the arguments of awk's print
	feed       *value // what the function that is read next is called with
	again      bool
	second     bool
	incomplete bool
	in         *function
}

// function is one of the script's own functions.
type function struct {
	params []string
	args   []*value // what it was called with
	result *value
}

// text reads a text of the language, also one within another.
func (s *session) text(src string) *value {
	if s.nest >= maxNest {
		s.incomplete = true
		return &value{}
	}
	ts, i, line := s.ts, s.i, s.line
	s.nest++
	if s.nest > 1 {
		s.line += s.peek().line - 1
	}
	if !s.spend(len(src) * lexWork) {
		src = ""
	}
	s.ts, s.i = lex(s.lang, s.lx, src), 0
	var last *value
	for s.peek().sort != end {
		at := s.i
		s.spend(useWork)
		if v := s.statement(); v != nil {
			last = v
		}
		if s.i == at {
			s.i++
		}
	}
	s.ts, s.i, s.line = ts, i, line
	s.nest--
	if last == nil {
		last = &value{}
	}
	return last
}

// spend takes steps of the budget. Where they are not left, the rest of the text
// stays unread: all that is left of it counts as its end. The tokens stay as many as
// they were, since those who read a bracket hold the place where it closes.
func (s *session) spend(n int) bool {
	if s.work.Spend(n) {
		return true
	}
	s.incomplete = true
	if s.peek().sort != end {
		for i := s.i; i < len(s.ts); i++ {
			s.ts[i] = token{sort: end}
		}
	}
	return false
}

func (s *session) peek() token {
	if s.i >= len(s.ts) {
		return token{sort: end}
	}
	return s.ts[s.i]
}

func (s *session) ahead(n int) token {
	if s.i+n >= len(s.ts) || s.i+n < 0 {
		return token{sort: end}
	}
	return s.ts[s.i+n]
}

// is reports whether the next token is this word or operator.
func (s *session) is(word string) bool {
	t := s.peek()
	return (t.sort == op || t.sort == ident && t.sigil == 0) && t.text == word
}

func (s *session) accept(word string) bool {
	if s.is(word) {
		s.i++
		return true
	}
	return false
}

func (s *session) lines() {
	for s.peek().sort == newline {
		s.i++
	}
}

// skipTo moves behind the bracket that closes the one at open.
func (s *session) skipTo(open int) {
	if m := s.ts[open].match; m > open {
		s.i = m + 1
	} else {
		s.i = open + 1
	}
}

// statement reads one statement, or as much of one as it understands.
func (s *session) statement() *value {
	t := s.peek()
	switch t.sort {
	case newline:
		s.i++
		return nil
	case op:
		switch t.text {
		case "{", "}", ";", ")", "]", ",", ":", "=>", "->", "?", "|", "#", "&&", "||", "=", "then":
			if t.text == "{" && s.lang == "node" && t.match > 0 && s.matchIs(t.match+1, "=") {
				break // ({a} = b)
			}
			s.i++
			return nil
		}
	case ident:
		if t.sigil == 0 && s.keyword(t.text) {
			return nil
		}
	}
	if s.lang == "c" {
		s.declarator()
	}
	s.postfixLoop()
	return s.assignment()
}

// declarator moves to the name in the declaration of C's list, char *name[] = {…}, which
// is then read as an assignment to it.
func (s *session) declarator() {
	for j := 1; j < 6 && s.ahead(j).sort != end; j++ {
		if t := s.ahead(j); s.ahead(j-1).sort == ident && t.sort == op && t.text == "[" && t.match > 0 && s.matchIs(t.match+1, "=") && s.matchIs(t.match+2, "{") {
			s.i += j - 1
			v := s.peek().text
			s.i = t.match + 2
			s.bind(v, s.braces(s.peek()))
			return
		}
		if t := s.ahead(j); t.sort != ident && !(t.sort == op && t.text == "*") {
			return
		}
	}
}

func (s *session) matchIs(i int, word string) bool {
	return i < len(s.ts) && s.ts[i].sort == op && s.ts[i].text == word
}

// keyword reads the statements that begin with a word. false: it is an expression.
func (s *session) keyword(w string) bool {
	next := s.ahead(1)
	if next.sort == op && (next.text == "=" || next.text == "." && w != "import") {
		return false
	}
	switch w {
	case "import":
		if s.lang == "r" || next.text == "(" && s.lang == "node" {
			return false
		}
		s.i++
		s.imports()
	case "from":
		if s.lang != "python" {
			return false
		}
		s.i++
		s.fromImport()
	case "use":
		if s.lang != "perl" && s.lang != "php" {
			return false
		}
		s.i++
		s.use()
	case "const", "let", "var", "my", "our", "local", "global", "set":
		if w == "set" && s.lang != "applescript" || w == "local" && next.sort == op && next.text == "(" && s.lang != "perl" {
			return false
		}
		s.i++
		s.assignment()
	case "def", "function", "func", "sub", "fn", "fun":
		s.i++
		s.define()
	case "for", "foreach":
		s.i++
		s.loop()
	case "with":
		if s.lang != "python" && s.lang != "lua" {
			return false
		}
		s.i++
	case "if", "elif", "elsif", "while", "until", "unless", "switch", "case", "when", "catch", "except":
		s.i++
		if s.lang == "perl" && (w == "while" || w == "until") {
			s.whileRead()
		}
	case "else", "try", "finally", "do", "begin", "end", "then", "pass", "async", "static", "public", "private", "rescue", "ensure", "repeat", "export", "default", "tell", "BEGIN", "END", "defer", "go", "final", "try_", "class", "module", "package", "in", "of", "and", "or", "not", "is", "nonlocal", "global_", "continue", "break", "next", "last", "redo":
		if (w == "do" || w == "not") && next.sort != newline && next.text != "{" && s.lang != "lua" && s.lang != "ruby" && s.lang != "awk" {
			return false
		}
		if w == "class" || w == "package" && s.lang != "perl" || w == "module" && s.lang == "ruby" {
			if next.sort != ident {
				return false
			}
			s.i++
		}
		s.i++
	case "return", "yield":
		s.i++
		if !s.ends() {
			if v := s.exprList(); s.in != nil {
				s.in.result = either(s.in.result, v)
			}
		} else if s.in != nil {
			s.in.result = either(s.in.result)
		}
	case "del", "delete", "assert", "raise", "throw", "await", "new", "typeof":
		if w == "delete" && s.lang != "node" || w == "new" || w == "await" {
			return false
		}
		s.i++
	case "as":
		s.i++
	default:
		return false
	}
	return true
}

// ends reports whether the statement ends here.
func (s *session) ends() bool {
	t := s.peek()
	switch t.sort {
	case end, newline:
		return true
	case op:
		return t.text == ";" || t.text == "}" || t.text == ")" || t.text == "]"
	}
	return false
}

// assignment reads an expression and, where = follows, binds it.
func (s *session) assignment() *value {
	start := s.i
	tuples := true // a, b = c, d
	switch s.lang {
	case "node", "java", "php", "awk":
		tuples = false
	}
	read := s.expr
	if tuples {
		read = func(int) *value { return s.exprList() }
	}
	left := read(0)
	for s.accept("as") { // with open(x) as f
		if t := s.peek(); t.sort == ident {
			s.bind(t.text, left)
			s.i++
		} else if s.is("(") {
			s.skipTo(s.i)
		}
		if s.accept(",") {
			left = s.expr(0)
		}
	}
	t := s.peek()
	if s.lang == "applescript" && t.sort == ident && t.text == "to" {
		s.i++
		right := s.expr(0)
		s.assign(left, right)
		return right
	}
	if t.sort == op && t.text == ":" && s.lang != "perl" && s.ahead(1).sort == ident && left.ref != "" {
		// A type: x: str = 1
		j := s.i + 1
		for j < s.i+12 && j < len(s.ts) && (s.ts[j].sort == ident || s.ts[j].sort == op && strings.Contains("[]|.<>", s.ts[j].text)) {
			j++
		}
		if s.matchIs(j, "=") {
			s.i = j
			t = s.peek()
		}
	}
	if t.sort != op {
		return left
	}
	switch t.text {
	case "=", ":=", "<-", "<<-", "||=", "??=", "//=":
		if t.text == "//=" && s.lang == "python" || t.text == "<-" && s.lang == "go" {
			return left
		}
		s.i++
		s.lines()
		if s.i <= start || !s.enter() {
			return left
		}
		var right *value
		if tuples {
			right = s.assignment()
		} else {
			right = s.assignmentOne()
		}
		s.depth--
		s.assign(left, right)
		return right
	case "+=", ".=", "<<", "*=":
		if t.text == "<<" && s.lang != "ruby" {
			return left
		}
		s.i++
		right := read(0)
		if t.text != "*=" {
			right = s.concat(left, right)
		}
		s.assign(left, right)
		return right
	case "+", "-", "*", "/", "%", "|", "&", "<", ">", "==", "!=", "?":
		s.i++
	}
	return left
}

func (s *session) enter() bool {
	if s.depth >= maxDepth {
		s.incomplete = true
		return false
	}
	s.depth++
	return true
}

// assign binds the variables of a left side.
func (s *session) assign(left, right *value) {
	if left == nil || right == nil {
		return
	}
	switch {
	case left.ref != "" && left.ref[0] != '.':
		s.bind(left.ref, right)
	case left.kind == list && left.lit:
		for i, l := range left.list {
			switch {
			case right.kind == list && i < len(right.list):
				s.assign(l, right.list[i])
			case right.kind != list && l.ref != "":
				s.bind(l.ref, s.elements(right))
			}
		}
	case left.kind == dict:
		for i, l := range left.list {
			if l.ref != "" {
				s.bind(l.ref, s.member(right, left.keys[i]))
			}
		}
	case left.kind == name && strings.HasPrefix(left.name, "process.env.") || strings.HasPrefix(left.name, "os.environ.") || strings.HasPrefix(left.name, "ENV."):
		n := left.name[strings.LastIndexByte(left.name, '.')+1:]
		s.emit("setenv", []*value{lit(n), right}, nil)
	}
}

func (s *session) bind(n string, v *value) {
	if v == nil {
		return
	}
	if len(s.vars) > 1<<14 {
		s.incomplete = true
		return
	}
	w := *v
	w.ref = ""
	s.vars[n] = &w
}

// define reads the head of a function. What its parameters are is known in the
// second reading, if the script calls it.
func (s *session) define() {
	s.accept("*")
	fname := ""
	for s.peek().sort == ident {
		fname = s.peek().text
		s.i++
		if !s.accept(".") {
			break
		}
	}
	f := s.funcs[fname]
	if f == nil {
		f = &function{}
		if fname != "" && len(s.funcs) < 4096 {
			s.funcs[fname] = f
		}
	}
	s.in = f
	f.result = nil
	if !s.is("(") {
		if s.lang == "perl" {
			s.bind("_", &value{kind: list, list: f.args, lit: true, open: len(f.args) == 0})
		}
		return
	}
	stop := s.peek().match
	s.i++
	s.params(f, stop)
}

// params binds the parameters up to the bracket at stop.
func (s *session) params(f *function, stop int) {
	f.params = f.params[:0]
	for s.i < stop {
		t := s.peek()
		if t.sort == op && (t.text == "(" || t.text == "[" || t.text == "{") && t.match > s.i {
			s.skipTo(s.i)
			continue
		}
		s.i++
		if t.sort != ident {
			continue
		}
		k := len(f.params)
		f.params = append(f.params, t.text)
		v := &value{ref: t.text}
		if s.second && k < len(f.args) && f.args[k] != nil {
			v = f.args[k]
		}
		var def *value
		if s.is(":") && s.lang != "lua" {
			for s.i < stop && !s.is(",") && !s.is("=") {
				if (s.is("[") || s.is("(") || s.is("{")) && s.peek().match > s.i {
					s.skipTo(s.i)
				} else {
					s.i++
				}
			}
		}
		if s.accept("=") {
			def = s.expr(0)
		}
		if v.kind == unknown && len(v.alts) == 0 && v.ref != "" && def != nil {
			v = def
		}
		if v.kind == unknown && len(v.alts) == 0 && v.ref != "" {
			delete(s.vars, t.text)
			s.vars[t.text] = &value{ref: t.text}
		} else {
			s.bind(t.text, v)
		}
		for s.i < stop && !s.is(",") {
			if (s.is("[") || s.is("(") || s.is("{")) && s.peek().match > s.i {
				s.skipTo(s.i)
			} else {
				s.i++
			}
		}
	}
	if stop > 0 && stop >= s.i {
		s.i = stop + 1
	}
}

// emit notes a call, one for each round where an argument is a loop's variable.
func (s *session) emit(fn string, args []*value, namedArgs []pair2) {
	rounds := 1
	var flat []*value
	for _, a := range args {
		if a.name != "(function)" {
			flat = a.flat(flat, 0)
		}
	}
	for _, a := range flat {
		rounds = max(rounds, len(a.alts))
	}
	for _, n := range namedArgs {
		rounds = max(rounds, len(n.value.alts))
	}
	var content []effect.Value
	for _, a := range args {
		content = a.gather(content)
	}
	for _, n := range namedArgs {
		if !credential(n.name) {
			content = n.value.gather(content)
		}
	}
	for i := 0; i < len(content); i++ {
		if slices.Contains(content[:i], content[i]) {
			content = slices.Delete(content, i, i+1)
			i--
		}
	}
	for r := range rounds {
		if len(s.calls) >= maxCalls {
			s.incomplete = true
			return
		}
		c := Call{Name: s.lang + ":" + strings.ReplaceAll(fn, "/", "."), Line: s.line + max(1, s.ahead(-1).line)}
		for _, a := range flat {
			for _, x := range a.at(r).flat(nil, 0) {
				c.Args = append(c.Args, x.value())
			}
		}
		for _, n := range namedArgs {
			c.Named = append(c.Named, Named{n.name, s.shown(n.value.at(r))})
		}
		for i, x := range content {
			if i < maxAlts {
				c.Named = append(c.Named, Named{"content", x})
			}
		}
		s.calls = append(s.calls, c)
	}
}

// credential reports whether an argument of this name is there to prove who sends:
// a key that goes where it belongs.
func credential(n string) bool {
	switch strings.ToLower(n) {
	case "headers", "header", "auth", "api_key", "apikey", "token", "password", "authorization", "cert", "verify", "env", "cookies":
		return true
	}
	return false
}

// shown is the text of a named argument; the elements of a list are joined.
func (s *session) shown(v *value) effect.Value {
	if v.kind != list && v.kind != dict {
		return v.value()
	}
	out := effect.Value{Origin: v.origin}
	for i, x := range v.flat(nil, 0) {
		if i > 0 {
			out.Text += " "
		}
		if i > 32 {
			break
		}
		w := x.value()
		out.Text, out.Open, out.Origin = out.Text+w.Text, out.Open || w.Open, out.Origin|w.Origin
	}
	return out
}

// pair2 is a named argument.
type pair2 struct {
	name  string
	value *value
}

package script

// lexis says how a language is written, as far as its languages differ.
type lexis struct {
	line      []string // begin a comment up to the end of the line
	block     [][2]string
	sigils    bool // $x, @x are variables
	regex     bool // /…/ is a regular expression where no operator can stand
	backtick  byte // what `…` is: s a shell command, t a template, r a raw text, 0 nothing
	triple    bool // """…"""
	doubled   bool // "…" has variables or #{code} in it
	interp    string
	concat    string // operators that join texts, separated by spaces
	bare      bool   // f "x" is a call without parentheses
	adjacent  bool   // "a" "b" is one text
	space     bool   // a b joins two values (awk)
	indent    bool   // blocks are told by their indentation
	oneEscape bool   // '…' knows only \\ and \'
}

// settings gives the lexis of a language.
func settings(lang string) lexis {
	c := [][2]string{{"/*", "*/"}}
	switch lang {
	case "python":
		return lexis{line: []string{"#"}, triple: true, concat: "+", adjacent: true, indent: true}
	case "node":
		return lexis{line: []string{"//"}, block: c, regex: true, backtick: 't', concat: "+"}
	case "perl":
		return lexis{line: []string{"#"}, sigils: true, regex: true, backtick: 's', doubled: true, interp: "$@", concat: ".", bare: true, oneEscape: true}
	case "ruby":
		return lexis{line: []string{"#"}, block: [][2]string{{"\n=begin", "\n=end"}}, sigils: true, regex: true, backtick: 's', doubled: true, interp: "#", concat: "+ <<", bare: true, adjacent: true, oneEscape: true}
	case "php":
		return lexis{line: []string{"#", "//"}, block: c, sigils: true, backtick: 's', doubled: true, interp: "${", concat: ".", bare: true, oneEscape: true}
	case "awk":
		return lexis{line: []string{"#"}, regex: true, space: true}
	case "lua":
		return lexis{line: []string{"--"}, block: [][2]string{{"--[[", "]]"}}, concat: "..", bare: true}
	case "r":
		return lexis{line: []string{"#"}, backtick: 'r'}
	case "haskell":
		return lexis{line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, concat: "++", bare: true}
	case "ocaml":
		return lexis{block: [][2]string{{"(*", "*)"}}, concat: "^", bare: true}
	case "nim":
		return lexis{line: []string{"#"}, triple: true, concat: "&"}
	case "applescript":
		return lexis{line: []string{"--", "#"}, block: [][2]string{{"(*", "*)"}}, concat: "&"}
	case "go":
		return lexis{line: []string{"//"}, block: c, backtick: 'r', concat: "+"}
	}
	return lexis{line: []string{"//"}, block: c, triple: true, concat: "+"}
}

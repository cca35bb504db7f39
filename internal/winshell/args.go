package winshell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// Args are the words of powershell.exe or cmd.exe, told apart.
type Args struct {
	// Source is the code that is run; HasSource is true where there is some.
	Source    effect.Value
	HasSource bool
	// File is the script that is run, with Rest as its arguments.
	File effect.Value
	Rest []effect.Value
	// Stdin is true where the code is read from standard input.
	Stdin bool
}

// PowerShellArgs reads the words behind powershell or pwsh (about_PowerShell_exe).
// -EncodedCommand is decoded; it counts as decoded, also where it is known. A word
// without a parameter is code for powershell and a file for pwsh: what ends in .ps1
// counts as a file.
func PowerShellArgs(words []effect.Value) Args {
	for i := 0; i < len(words); i++ {
		w := words[i]
		s := lower(w.Text)
		for _, dash := range []string{"\u2013", "\u2014", "\u2015"} {
			if rest, ok := strings.CutPrefix(s, dash); ok {
				s = "-" + rest
			}
		}
		if len(s) > 1 && s[0] == '/' && !strings.Contains(s[1:], "/") {
			s = "-" + s[1:]
		}
		if s == "-" {
			return Args{Stdin: true}
		}
		if !strings.HasPrefix(s, "-") || w.Open && s == "-" {
			if strings.HasSuffix(s, ".ps1") {
				return Args{File: w, Rest: words[i+1:]}
			}
			return Args{Source: sentence(words[i:]), HasSource: true}
		}
		name := strings.TrimLeft(s, "-")
		name, value, joined := strings.Cut(name, ":")
		is := func(full string, least int) bool { return len(name) >= least && strings.HasPrefix(full, name) }
		rest := words[i+1:]
		if joined {
			rest = append([]effect.Value{{Text: w.Text[len(w.Text)-len(value):], Open: w.Open, Origin: w.Origin}}, rest...)
		}
		switch {
		case is("command", 1), is("commandwithargs", 8), name == "cwa":
			if len(rest) == 0 || rest[0].Text == "-" {
				return Args{Stdin: true}
			}
			return Args{Source: sentence(rest), HasSource: true}
		case is("encodedcommand", 1), name == "ec":
			if len(rest) == 0 {
				return Args{Stdin: true}
			}
			v := rest[0]
			if !v.Open {
				if b, ok := fromBase64(v.Text); ok {
					if t, ok := fromUTF16(b); ok {
						v.Text = t
					}
				}
			} else {
				v.Text = "$()"
			}
			v.Open, v.Origin = true, v.Origin|effect.Decoded
			return Args{Source: v, HasSource: true}
		case is("file", 1):
			if len(rest) == 0 || rest[0].Text == "-" {
				return Args{Stdin: true}
			}
			return Args{File: rest[0], Rest: rest[1:]}
		case is("executionpolicy", 2), name == "ep", name == "ex", is("windowstyle", 1), is("version", 1), is("inputformat", 2), name == "if", is("outputformat", 1), name == "of", is("configurationname", 4), is("workingdirectory", 2), name == "wd", is("psconsolefile", 1), is("encodedarguments", 8), name == "ea", is("settingsfile", 2), is("custompipename", 3), is("configurationfile", 14):
			if !joined {
				i++
			}
		}
	}
	return Args{Stdin: true}
}

// sentence joins words to code.
func sentence(words []effect.Value) effect.Value { return effect.Join(words, " ") }

// CmdArgs reads the words behind cmd.exe: all behind /c, /k or /r is the line.
func CmdArgs(words []effect.Value) Args {
	for i, w := range words {
		s := lower(w.Text)
		if strings.HasPrefix(s, "//") { // as MSYS shells need it
			s = s[1:]
		}
		if len(s) < 2 || s[0] != '/' && s[0] != '-' {
			continue
		}
		for j := 0; j+1 < len(s); j++ {
			if s[j] != '/' && !(j == 0 && s[j] == '-') {
				continue
			}
			if c := s[j+1]; c != 'c' && c != 'k' && c != 'r' {
				continue
			}
			v := w
			v.Text = w.Text[len(w.Text)-len(s)+j+2:]
			line := words[i+1:]
			if v.Text != "" && v.Text != ":" {
				line = append([]effect.Value{v}, line...)
			}
			return Args{Source: unquote(line), HasSource: true}
		}
	}
	return Args{Stdin: true}
}

// unquote joins the words of a line. A word with blanks among others had quotes.
func unquote(words []effect.Value) effect.Value {
	if len(words) == 1 {
		v := words[0]
		if n := len(v.Text); n > 1 && v.Text[0] == '"' && v.Text[n-1] == '"' {
			v.Text = v.Text[1 : n-1]
		}
		return v
	}
	quoted := make([]effect.Value, len(words))
	for i, w := range words {
		if i > 0 && strings.ContainsAny(w.Text, " \t") && !strings.Contains(w.Text, `"`) {
			w.Text = `"` + w.Text + `"`
		}
		quoted[i] = w
	}
	return sentence(quoted)
}

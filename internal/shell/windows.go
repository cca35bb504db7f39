package shell

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/winshell"
)

// windowsShell is powershell.exe and cmd.exe.
func windowsShell(e *eval, name string, args []effect.Value, in stream) (stream, bool) {
	s := e.through(name)
	lang, read := "powershell", winshell.PowerShellArgs
	if name == "cmd" {
		lang, read = "cmd", winshell.CmdArgs
	}
	switch a := read(args); {
	case a.HasSource:
		s.code(lang, a.Source)
	case strings.HasPrefix(a.File.Text, "//") && !strings.HasPrefix(a.File.Text, "//."): // on another machine
		s.runUnknown(effect.Value{Text: a.File.Text, Open: true, Origin: effect.Downloaded})
	case a.File.Text != "":
		e.scriptFile(lang, name, a.File, in)
	case a.Stdin && in.fed:
		s.code(lang, in.Value)
	}
	return unknown(0), true
}

// windows follows a line of PowerShell or cmd.exe.
func (e *eval) windows(p winshell.Program) {
	if p.Incomplete && !e.fromFile {
		e.stop()
	}
	e.pipelines(p.Pipelines)
}

func (e *eval) pipelines(list []winshell.Pipeline) {
	for _, p := range list {
		var in stream
		for _, c := range p {
			in = e.windowsCommand(c, in)
		}
	}
}

func (e *eval) windowsCommand(c winshell.Command, in stream) stream {
	e.pipelines(c.Inner)
	if c.Stdin != nil {
		in = stream{*c.Stdin, true}
	}
	for _, w := range c.Writes {
		e.effects("", effect.FileWrite, []effect.Value{w})
	}
	for _, r := range c.Reads {
		e.effects("", effect.FileRead, []effect.Value{r})
		in = e.content(r)
	}
	if len(c.Words) == 0 {
		return stream{}
	}
	return e.call(c.Words, in, nil)
}

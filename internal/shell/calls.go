package shell

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/program"
	"github.com/fireharp/overseer/internal/script"
)

// calls follows the calls of a script.
func (e *eval) calls(lang string, r script.Result) {
	if r.Incomplete && !e.fromFile {
		e.stop()
	}
	var opened effect.Value // the file that was opened last to be written
	for _, c := range r.Calls {
		if !e.step() {
			return
		}
		words := c.Words()
		e.printed(c.Name, words)
		e.saved(c.Name, words)
		switch _, call, _ := strings.Cut(c.Name, ":"); {
		case (call == "open" || call == "fs.createWriteStream") && len(words) > 0:
			opened = words[0]
		case opened.Text != "" && pours(call) && slices.ContainsFunc(words, func(w effect.Value) bool { return w.Origin.Has(effect.Downloaded) || strings.Contains(w.Text, "://") }):
			e.write(opened, unknown(effect.Downloaded))
		}
		m, ok := e.tables.Match(program.Name(c.Name), words, false, e.cwd())
		if !ok || len(m.Acts) == 0 {
			continue
		}
		cmd := Command{Program: c.Name, Via: e.via, Dir: e.dir, Args: texts(words)}
		e.out.Commands = append(e.out.Commands, cmd)
		e.acts(m, words, stream{}, nil)
	}
}

// pours reports whether a call hands on all of a stream: what is downloaded goes into
// the file that was opened.
func pours(call string) bool {
	return call == "shutil.copyfileobj" || strings.HasSuffix(call, ".pipe") || strings.HasSuffix(call, "pipeline")
}

// saved notes a file that a script writes a download to: the line may run it later.
func (e *eval) saved(name string, words []effect.Value) {
	if len(words) < 2 || words[0].Open || !isPath(words[0].Text) {
		return
	}
	switch _, call, _ := strings.Cut(name, ":"); call {
	case "open.write", "fs.writeFileSync", "fs.writeFile", "fs.promises.writeFile", "File.write", "IO.write", "File.binwrite", "IO.binwrite", "file_put_contents", "pathlib.Path.write_bytes", "pathlib.Path.write_text":
	default:
		return
	}
	for _, w := range words[1:] {
		if w.Origin.Has(effect.Downloaded) {
			e.write(words[0], unknown(effect.Downloaded))
			return
		}
	}
}

// environs are the values of a script that stand for all variables with what they hold.
var environs = []string{"os_environ", "process_env", "ENV", "environ", "dict", "JSON_stringify", "json_dumps", "getenv", "entries", "os_environ_items"}

// printed notes a secret variable, or all variables, that a script prints where the agent reads it.
func (e *eval) printed(name string, words []effect.Value) {
	switch name {
	case "python:print", "node:console.log", "node:console.error", "node:console.info", "ruby:puts", "ruby:p", "ruby:print", "perl:print", "perl:say", "php:echo", "php:print",
		"php:var_dump", "php:print_r", "python:sys.stdout.write", "node:process.stdout.write":
	default:
		return
	}
	all := slices.Contains(texts(words), "--content=$environ")
	for _, w := range words {
		if v, ok := strings.CutPrefix(w.Text, "$"); ok && (secretName(v) || all && w.Origin.Has(effect.Secret) && slices.Contains(environs, v)) {
			e.add(effect.Effect{Kind: effect.SecretRead, Program: name, Targets: []effect.Target{{Name: w.Text}}})
		}
	}
}

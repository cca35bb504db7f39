package winshell

import (
	"encoding/base64"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// framework folds calls of .NET whose result can be known.
func (r *reader) framework(v value, name string, args []value, o effect.Origin) (value, bool) {
	arg := func(i int) value {
		if i < len(args) {
			return args[i]
		}
		return value{kind: text}
	}
	full := v.name + "." + name
	if v.kind == class {
		full = v.name + "::" + name
	}
	decoded := func(v value) value { v.origin |= effect.Decoded; return v }
	switch full {
	case "convert::frombase64string":
		return decoded(r.derive(arg(0), fromBase64)), true
	case "convert::fromhexstring":
		return decoded(r.derive(arg(0), fromHex)), true
	case "convert::tobase64string", "bitconverter::tostring", "convert::tohexstring":
		a := arg(0)
		if full == "convert::tobase64string" && a.kind == text {
			return r.derive(a, func(s string) (string, bool) { return base64.StdEncoding.EncodeToString([]byte(s)), true }), true
		}
		return of("$()", o), true
	case "convert::toint32", "convert::tobyte", "convert::toint16", "convert::toint64":
		base := arg(1).string()
		return arg(0).each(func(x value) value {
			t := x.string()
			switch base {
			case "16":
				t = "0x" + strings.TrimPrefix(strings.ToLower(t), "0x")
			case "2":
				t = "0b" + t
			case "8":
				t = "0o" + t
			}
			if n, ok := (value{kind: text, text: t, open: x.open}).int(); ok {
				k := number(n)
				k.origin = x.origins() | effect.Decoded
				return k
			}
			return value{kind: num, text: "$()", open: true, origin: x.origins() | effect.Decoded}
		}), true
	case "convert::tochar", "char::convertfromutf32":
		return arg(0).each(r.char), true
	case "convert::tostring":
		return arg(0), true
	case "string::join":
		rest := arg(1)
		if len(args) > 2 {
			rest = value{kind: list, list: args[1:]}
		}
		return r.join(rest, arg(0).string()), true
	case "string::concat", "string::new", "string::copy":
		return r.join(value{kind: list, list: flatten(args)}, ""), true
	case "string::format":
		if len(args) > 0 {
			return r.format(args[0], flatten(args[1:]), o), true
		}
	case "array::reverse":
		if x := arg(0); x.ref != "" && x.kind == list {
			out := value{kind: list, origin: x.origins() | effect.Decoded}
			for i := len(x.list) - 1; i >= 0; i-- {
				out.list = append(out.list, x.list[i])
			}
			r.vars[x.ref] = out
		}
		return value{}, true
	case "regex::replace", "text.regularexpressions.regex::replace":
		return r.replace(arg(0), arg(1).string(), arg(2).string(), true), true
	case "regex::split":
		return r.split(arg(0), arg(1)), true
	case "regex::matches":
		if strings.EqualFold(arg(2).string(), "righttoleft") {
			return r.chars(decoded(r.derive(arg(0), func(s string) (string, bool) { return reverse(s), true }))), true
		}
		return r.chars(arg(0)), true
	case "regex::unescape", "regex::escape", "uri::unescapedatastring", "net.webutility::urldecode":
		return arg(0), true
	case "scriptblock::create", "executioncontext.invokecommand.newscriptblock":
		r.code(arg(0))
		return value{kind: block, origin: o}, true
	case "executioncontext.invokecommand.invokescript", "management.automation.scriptblock::create":
		r.code(arg(0))
		return value{kind: block, origin: o}, true
	case "executioncontext.invokecommand.expandstring":
		return arg(0), true
	case "executioncontext.invokecommand.getcommand", "executioncontext.invokecommand.getcmdlet", "executioncontext.invokecommand.getcommandname":
		c := call{args: []argument{{value: arg(0)}}, name: "get-command"}
		c.Words = []effect.Value{word("get-command")}
		return r.bind(&c), true
	case "io.path::combine":
		out := arg(0)
		for i := 1; i < len(args) && i < 8; i++ {
			out = r.concat(r.concat(out, lit("/")), args[i])
		}
		return out, true
	case "io.directory::getfiles", "io.directory::enumeratefiles", "io.directory::getdirectories", "io.directory::getfilesystementries", "io.directory::enumeratefilesystementries", "io.directory::enumeratedirectories":
		filter := "*"
		if arg(1).known() && arg(1).text != "" {
			filter = arg(1).text
		}
		return r.concat(arg(0), lit("/"+filter)), true
	case "io.path::gettemppath":
		return lit("$env:TEMP/"), true
	case "io.path::gettempfilename", "io.path::getrandomfilename":
		return of("$tmp", effect.Bounded), true
	case "environment::getenvironmentvariable":
		return r.named("env:" + arg(0).string()), true
	case "environment::setenvironmentvariable":
		w := arg(1).word()
		w.Text = arg(0).string() + "=" + w.Text
		r.emit(w)
		r.emit(word(full), arg(0).word(), arg(1).word(), arg(2).word())
		return value{}, true
	case "environment::expandenvironmentvariables":
		return arg(0), true
	case "environment::getfolderpath":
		switch strings.ToLower(arg(0).string()) {
		case "startup":
			return lit("$env:APPDATA/Microsoft/Windows/Start Menu/Programs/Startup"), true
		case "userprofile":
			return lit("$HOME"), true
		case "system", "windows":
			return lit("C:/Windows/System32"), true
		case "applicationdata":
			return lit("$env:APPDATA"), true
		case "localapplicationdata":
			return lit("$env:LOCALAPPDATA"), true
		}
		return lit("$HOME/" + arg(0).string()), true
	case "activator::createinstance":
		a := arg(0)
		return a, true
	case "type::gettypefromprogid", "type::gettypefromclsid":
		c := value{kind: object, name: strings.ToLower(arg(0).string()), open: true}
		if len(args) > 1 { // of another machine
			r.emit(word(full), arg(0).word(), arg(1).word())
		}
		r.emit(word("new-object"), word("-comobject"), arg(0).word())
		return c, true
	case "net.webrequest::create", "net.httpwebrequest::create":
		r.emit(word(full), arg(0).word())
		return value{kind: object, name: "net.webrequest", args: args, open: true, origin: o}, true
	case "io.file::readalltext", "io.file::readallbytes", "io.file::readalllines", "io.file::openread", "io.file::opentext":
		w := value{args: args}.words2(nil)
		r.emit(append([]effect.Value{word(full)}, w...)...)
		return value{kind: object, name: full, open: true, origin: o | r.fileOrigin(w)}, true
	}
	if strings.HasPrefix(v.name, "text.encoding::") || strings.HasPrefix(v.name, "text.") && strings.Contains(v.name, "encoding") {
		switch name {
		case "getbytes":
			return arg(0), true
		case "getstring", "getchars":
			a := arg(0)
			if a.kind == list {
				out := value{kind: list}
				for _, x := range a.list {
					out.list = append(out.list, r.char(x))
				}
				return r.join(out, ""), true
			}
			wide := strings.Contains(v.name, "unicode")
			a.prod, a.at = nil, 0
			return r.derive(a, func(s string) (string, bool) {
				if wide && len(s) > 1 && s[1] == 0 {
					return fromUTF16(s)
				}
				return readable(s), true
			}), true
		case "getencoding":
			return value{kind: object, name: "text.encoding::" + arg(0).string(), open: true}, true
		}
	}
	if v.kind == class && name == "new" {
		return r.construct(v.name, args, o), true
	}
	if v.out != nil && (name == "readtoend" || name == "toarray" || name == "readline" || name == "readtoendasync") {
		return *v.out, true
	}
	if name == "getnetworkcredential" || name == "gettype" || name == "getawaiter" || name == "getresult" {
		v.name += "." + name
		v.prod = nil
		return v, name != "getnetworkcredential" && name != "gettype" || v.name == "pscredential."+name
	}
	return value{}, false
}

package script

import (
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// special does calls that only stand for another name: __import__('os').
func (s *session) special(fn string, args []*value, kw []pair2) (*value, bool) {
	arg := func(i int) *value {
		if i < len(args) {
			return args[i]
		}
		return &value{}
	}
	switch fn {
	case "__import__", "importlib.import_module", "importlib.__import__", "import_module", "Object.const_get", "const_get", "Kernel.const_get":
		if arg(0).known() {
			return named(module(arg(0).text)), true
		}
		s.emit("__import__", args, kw)
		return of("module", arg(0).origin), true
	case "require", "createRequire", "process.mainModule.require":
		if s.lang == "lua" || s.lang == "node" {
			s.emit("require", args, kw)
			if arg(0).known() {
				return named(module(arg(0).text)), true
			}
			return of("module", arg(0).origin), true
		}
	case "module.createRequire":
		return named("require"), true
	case "import":
		s.emit("import", args, kw)
		if arg(0).known() {
			return named(module(arg(0).text)), true
		}
		return of("module", arg(0).origin), true
	case "getattr", "Reflect.get":
		if arg(1).known() {
			return s.member(arg(0), arg(1).text), true
		}
		if arg(0).kind == name && dangerous(arg(0).name) {
			return named("<unresolved>"), true
		}
		return &value{}, true
	case "send", "__send__", "public_send", "method", "call_user_func", "call_user_func_array", "do.call":
		if len(args) > 0 && arg(0).known() && arg(0).kind == text && (fn != "send" || s.lang == "ruby") {
			if fn == "method" {
				return named(arg(0).text), true
			}
			var flat []*value
			for _, a := range args[1:] {
				if strings.HasSuffix(fn, "_array") || fn == "do.call" {
					flat = a.flat(flat, 0)
				} else {
					flat = append(flat, a)
				}
			}
			return s.call(named(arg(0).text), flat, kw), true
		}
	case "array_map", "array_walk":
		if len(args) > 1 && s.lang == "php" {
			f, x := args[0], args[1]
			if fn == "array_walk" {
				f, x = x, f
			}
			if f.known() {
				f = named(f.text)
			}
			return &value{kind: list, list: s.call(f, []*value{s.elements(x)}, nil).rounds(), lit: true}, true
		}
	case "open":
		if s.lang == "perl" {
			return s.perlOpen(args), true
		}
		if s.lang == "ruby" && arg(0).kind == text && strings.HasPrefix(arg(0).text, "|") {
			cmd := s.derive(arg(0), func(t string) (string, bool) { return t[min(1, len(t)):], true })
			s.emit("system", []*value{cmd}, nil)
			return s.output([]*value{cmd}), true
		}
	case "globals", "locals", "vars", "sys._getframe.f_globals":
		if len(args) == 1 && arg(0).kind == name {
			return arg(0), true
		}
		return named("globals"), true
	case "functools.partial", "partial", "util.promisify", "promisify":
		if arg(0).kind == name {
			return &value{kind: name, name: arg(0).name, recv: args[1:]}, true
		}
	case "exports", "isinstance", "len", "Object.freeze", "Promise.resolve", "asyncio.run", "list", "iter", "Array.from", "sorted", "tuple", "set", "asyncio.create_task", "asyncio.gather", "Array", "array", "array_values", "ipairs", "pairs", "asyncio.wait", "reversed_":
		if len(args) > 0 && fn != "len" && fn != "isinstance" {
			if s.lang == "php" && fn == "array" || len(args) > 1 && fn == "Array" {
				return &value{kind: list, list: args, lit: true}, true
			}
			return arg(0), true
		}
	}
	if m, ok := strings.CutSuffix(fn, ".send"); ok && s.lang == "ruby" && arg(0).known() && arg(0).kind == text {
		return s.call(named(m+"."+arg(0).text), args[1:], kw), true
	}
	for _, suffix := range []string{".__send__", ".public_send", ".method", ".const_get", ".__getattribute__", ".__getitem__"} {
		if m, ok := strings.CutSuffix(fn, suffix); ok && arg(0).known() {
			f := named(arg(0).text)
			if m != "" && m != "Kernel" && m != "self" {
				f = named(m + "." + arg(0).text)
			}
			if suffix == ".__send__" || suffix == ".public_send" {
				return s.call(f, args[1:], kw), true
			}
			return f, true
		}
	}
	if m, ok := strings.CutSuffix(fn, ".call"); ok && m != "" && s.lang == "ruby" {
		return s.call(named(m), args, kw), true
	}
	if fn == "os.environ.copy" || fn == "environ.copy" {
		v := named("os.environ")
		s.environ(v)
		return v, true
	}
	return nil, false
}

// output is what programs print: the content of a command.
func (s *session) output(args []*value) *value {
	v := of("output", effect.Local)
	var words []string
	for _, a := range args {
		for _, x := range a.flat(nil, 0) {
			if len(words) < 16 {
				words = append(words, x.string())
			}
		}
		v.mark(a)
	}
	text := strings.Join(words, " ")
	if len(text) > 200 {
		text = text[:200]
	}
	v.content = append(v.content, effect.Value{Text: "$(" + text + ")", Open: true, Origin: effect.Local})
	return v
}

// contents is what is in a file.
func (s *session) contents(label string, path *value) *value {
	v := of(label, effect.Local)
	v.recv = []*value{path}
	for _, p := range path.flat(nil, 0) {
		for i := range max(1, len(p.alts)) {
			w := p.at(i).value()
			w.Origin |= effect.Local
			if len(v.content) < maxAlts && p.at(i).kind == text {
				v.content = append(v.content, w)
			}
		}
	}
	if isURL(path.string()) {
		v.origin = effect.Downloaded
		v.content = nil
	}
	return v
}

func isURL(u string) bool {
	return strings.HasPrefix(u, "http://") || strings.HasPrefix(u, "https://") || strings.HasPrefix(u, "ftp://")
}

// readline is a line of an open file of Perl: <F>.
func (s *session) readline(t token) *value {
	if v := s.vars[t.text]; v != nil && t.text != "" {
		w := *v
		return &w
	}
	return &value{kind: object, name: "readline", open: true}
}

// downloads are functions whose result comes from the network.
func downloads(fn string) bool {
	switch fn {
	case "fetch", "axios", "got", "request", "curl_exec", "curl_multi_getcontent", "LWP.Simple.get", "needle", "superagent.get", "getURL", "url", "RCurl.getURL", "httr.GET", "https.get", "http.get", "http.request", "https.request", "node-fetch", "cross-fetch", "undici.request", "undici.fetch", "URI.open", "OpenURI.open_uri", "open_uri", "Net.HTTP.get", "Net.HTTP.get_response", "Net.HTTP.start", "HTTP.get", "HTTParty.get", "Faraday.get", "RestClient.get", "Excon.get", "HTTP.Tiny.get", "urllib.urlopen", "urllib.request.urlopen", "urlopen", "http.Get", "socket.http.request", "http.client.HTTPSConnection.getresponse", "http.client.HTTPConnection.getresponse", "curl.exec", "fsockopen", "stream_socket_client", "dns.resolver.resolve", "dns.resolver.query", "dns.resolveTxt", "dns.lookup", "dns_get_record", "net.connect", "net.createConnection", "TCPSocket", "TCPSocket.open", "socket.connect", "socket.tcp", "socket.create_connection", "IO.Socket.INET", "Mojo.UserAgent.get", "WWW.Mechanize.get", "readLines.url", "download":
		return true
	}
	for _, p := range []string{"requests.get", "requests.request", "requests.post", "requests.Session", "requests.session", "httpx.", "aiohttp.", "urllib3.", "axios.", "got.", "LWP.UserAgent", "http.client.", "pycurl.", "net.Socket", "socket.socket.recv", "urllib.request.build_opener", "urllib.request.Request", "WebSocket", "websocket.", "xmlrpc.", "paramiko.", "ftplib.", "HTTP.Tiny", "Net.HTTP", "OpenURI", "Excon", "GuzzleHttp", "URL.openStream", "HttpClient"} {
		if strings.HasPrefix(fn, p) && !strings.HasSuffix(fn, ".Request") {
			return true
		}
	}
	return false
}

// result is what a known function gives, nil for others.
func (s *session) result(fn string, args []*value, kw []pair2) *value {
	arg := func(i int) *value {
		if i < len(args) {
			return args[i]
		}
		return &value{}
	}
	if downloads(fn) {
		v := of(fn, effect.Downloaded)
		v.recv = args
		return v
	}
	for _, suffix := range []string{".recv", ".recvfrom", ".recv_into", ".recvLine"} {
		if strings.HasSuffix(fn, suffix) {
			return of(fn, effect.Downloaded)
		}
	}
	if v := s.decode(fn, args); v != nil {
		return v
	}
	if v := s.paths(fn, args); v != nil {
		return v
	}
	switch fn {
	case "site.getusersitepackages", "distutils.sysconfig.get_python_lib", "sysconfig.get_python_lib", "get_python_lib", "sysconfig.get_path":
		return lit(SitePackages)
	case "site.getsitepackages":
		return &value{kind: list, list: []*value{lit(SitePackages)}, lit: true}
	case "chr", "String.fromCharCode", "String.fromCodePoint", "string.char", "unichr", "intToUtf8", "rawToChar":
		out := lit("")
		for _, a := range args {
			for _, x := range a.flat(nil, 0) {
				out = s.concat(out, x.each(func(x *value) *value {
					n, ok := x.int()
					if !ok || n < 0 || n > 0x10ffff {
						return &value{kind: text, text: variable("chr"), open: true, origin: x.origin | effect.Decoded}
					}
					v := lit(string(rune(n)))
					v.origin = effect.Decoded
					return v
				}))
			}
		}
		return out
	case "ord":
		return arg(0).each(func(x *value) *value {
			if x.known() && len(x.text) > 0 {
				return &value{kind: num, text: itoa(int([]rune(x.text)[0]))}
			}
			return &value{}
		})
	case "int", "parseInt", "Number", "Integer", "tonumber", "hex", "oct":
		base := 10
		if n, ok := arg(1).int(); ok && n >= 2 && n <= 36 {
			base = n
		} else if fn == "hex" && s.lang == "perl" {
			base = 16
		} else if fn == "oct" && s.lang == "perl" {
			base = 8
		}
		if fn == "hex" && s.lang == "python" {
			return nil
		}
		return arg(0).each(func(x *value) *value {
			if n, ok := parseInt(x, base); ok {
				return &value{kind: num, text: itoa(n)}
			}
			out := &value{kind: num, open: true, text: x.string()}
			out.mark(x)
			return out
		})
	case "str", "String", "bytes", "bytearray", "memoryview", "repr", "unicode", "tostring", "strval", "as.character", "Buffer.from", "Buffer", "decodeURIComponent", "unescape", "decodeURI", "escapeshellarg", "escapeshellcmd", "shlex.quote", "pipes.quote", "Shellwords.escape", "String.raw", "quotemeta", "lc", "trim", "codecs.encode", "Uint8Array":
		a := arg(0)
		if a.kind == list && (fn == "bytes" || fn == "bytearray" || strings.HasPrefix(fn, "Buffer") || fn == "Uint8Array") {
			out := s.result("chr", []*value{a}, nil)
			return out
		}
		if strings.Contains(fn, "decodeURI") || fn == "unescape" {
			return s.derive(a, unpercent)
		}
		if a.kind == text || a.kind == num {
			return s.derive(a, func(t string) (string, bool) { return t, true })
		}
		return nil
	case "path.join.apply":
		return nil
	case "map":
		if len(args) == 2 && arg(0).kind == name && arg(0).name != "(function)" && arg(1).kind == list {
			n := len(s.calls)
			r := s.result(s.canonical(arg(0).name), []*value{s.elements(arg(1))}, nil)
			s.calls = s.calls[:n]
			if r != nil {
				return &value{kind: list, list: either(r).rounds(), lit: true}
			}
		}
		if len(args) == 2 && arg(0).name == "(function)" && arg(0).owner != nil {
			return &value{kind: list, list: arg(0).owner.rounds(), lit: true}
		}
	case "reversed", "reverse", "strrev", "string.reverse", "scalar.reverse", "stringi.stri_reverse":
		if len(args) == 1 {
			return s.reverse(arg(0))
		}
	case "scalar", "lcfirst", "ucfirst", "Buffer.concat":
		return arg(0)
	case "join", "implode", "table.concat":
		if fn == "table.concat" {
			sep := lit("")
			if len(args) > 1 {
				sep = arg(1)
			}
			return s.join(sep.string(), arg(0))
		}
		if fn == "implode" && len(args) == 1 {
			return s.join("", arg(0))
		}
		if len(args) > 0 {
			return s.join(arg(0).string(), &value{kind: list, list: args[1:], lit: true})
		}
	case "paste0", "paste", "c", "concat":
		sep := ""
		if fn == "c" {
			return &value{kind: list, list: args, lit: true}
		}
		if fn == "paste" {
			sep = " "
		}
		for _, k := range kw {
			if k.name == "sep" || k.name == "collapse" {
				sep = k.value.string()
			}
		}
		return s.join(sep, &value{kind: list, list: args, lit: true})
	case "sprintf", "format", "string.format", "fmt.Sprintf", "util.format", "String.format", "Kernel.sprintf":
		if len(args) > 0 {
			var flat []*value
			for _, a := range args[1:] {
				flat = a.flat(flat, 0)
			}
			return s.format(args[0], flat, nil)
		}
	case "str_replace", "string.gsub", "gsub", "sub":
		if fn == "str_replace" && len(args) == 3 {
			return s.derive(args[2], func(t string) (string, bool) {
				return strings.ReplaceAll(t, args[0].string(), args[1].string()), args[0].known() && args[0].text != ""
			})
		}
	case "string.rep", "str_repeat", "strrep":
		if n, ok := arg(1).int(); ok {
			return s.repeat(arg(0), n)
		}
	case "open", "io.open", "codecs.open", "os.open", "gzip.open", "File.open", "File.new", "IO.open", "fopen", "os.Open", "file", "SplFileObject", "IO.File":
		if fn == "open" && s.lang == "perl" {
			return nil
		}
		mode := arg(1).string()
		for _, k := range kw {
			if k.name == "mode" {
				mode = k.value.string()
			}
		}
		if arg(1).kind == text && strings.ContainsAny(mode, "wax") && fn != "os.open" || strings.Contains(mode, "O_WRONLY") {
			return &value{kind: object, name: fn, open: true, recv: []*value{arg(0)}}
		}
		return s.contents(fn, arg(0))
	case "fs.readFileSync", "fs.readFile", "fs.createReadStream", "file_get_contents", "readfile", "Deno.readTextFile", "Deno.readFile", "Deno.readTextFileSync", "Deno.readFileSync", "Bun.file", "File.read", "IO.read", "File.binread", "File.readlines", "IO.readlines", "File.foreach", "readLines", "scan", "readRDS", "os.ReadFile", "ioutil.ReadFile", "io.lines", "File.Slurp.read_file", "read_file", "Pathname.read", "pathlib.Path.read_text", "pathlib.Path.read_bytes", "pathlib.Path.open", "Files.readString", "Files.readAllBytes", "numpy.loadtxt", "linecache.getlines", "linecache.getline", "Path.read_text", "fs.openAsBlob", "CURLFile", "curl_file_create", "fs.openSync", "Files.readAllLines", "FileReader", "FileInputStream", "read.csv", "read.table":
		return s.contents(fn, arg(0))
	case "fs.writeFileSync", "exec", "eval":
		if fn == "exec" && s.lang == "php" {
			return s.output(args)
		}
		return &value{kind: object, name: fn, open: true, recv: args}
	case "os.popen", "subprocess.check_output", "subprocess.run", "subprocess.Popen", "subprocess.getoutput", "subprocess.getstatusoutput", "child_process.execSync", "child_process.exec", "child_process.execFile", "child_process.execFileSync", "child_process.spawnSync", "child_process.spawn", "shell_exec", "popen", "passthru", "system", "io.popen", "IO.popen", "Open3.capture2", "Open3.capture3", "Open3.capture2e", "Bun.spawn", "Bun.spawnSync", "Deno.Command", "system2", "exec.Command", "$", "Bun.$", "Deno.run":
		v := s.output(args)
		v.name, v.recv = fn, nil
		return v
	case "os.getenv", "getenv", "os.environ.get", "environ.get", "os.environb.get", "ENV.fetch", "process.env.get", "Deno.env.get", "os.Getenv", "Sys.getenv", "System.getenv", "os.environ.setdefault", "os.environ.pop":
		if arg(0).known() {
			return s.variable(arg(0).text)
		}
		if len(args) == 0 {
			v := named("ENV")
			v.origin, v.content = effect.Secret, []effect.Value{{Text: "$environ", Open: true, Origin: effect.Secret}}
			return v
		}
		return &value{ref: "environ"}
	case "os.environ.items", "os.environ.values", "Object.entries", "Object.values", "JSON.stringify", "json.dumps", "dict", "Object.fromEntries", "Object.assign":
		v := of(fn, 0)
		for _, a := range args {
			v.mark(a)
			v.content = a.gather(v.content)
		}
		for _, k := range kw {
			if k.name != "indent" {
				v.content = k.value.gather(v.content)
			}
		}
		if strings.HasPrefix(fn, "os.environ") {
			v.origin, v.content = effect.Secret, []effect.Value{{Text: "$environ", Open: true, Origin: effect.Secret}}
		}
		return v
	case "os.walk":
		// Below a project, what is taken from it is chosen by a test that is not followed.
		if root := arg(0); root.kind == text && (strings.HasPrefix(root.text, "/") || strings.HasPrefix(root.text, "~")) {
			each := lit("*")
			return &value{kind: list, list: []*value{{kind: list, list: []*value{root, each, each}}}}
		}
		return &value{kind: object, name: fn, open: true, recv: args}
	case "glob.glob", "glob.iglob", "glob", "glob.sync", "Dir.glob", "Dir.[]", "Dir", "fast-glob.sync", "filepath.Glob":
		return arg(0).each(func(v *value) *value {
			if v.kind == text {
				w := *v
				w.name = ""
				return &w
			}
			return &value{ref: "glob"}
		})
	case "os.listdir", "os.scandir", "fs.readdirSync", "fs.readdir", "scandir", "Dir.children", "Dir.entries", "list.files", "os.ReadDir":
		out := &value{kind: object, name: "entry", open: true}
		return out
	case "len", "print", "time.time", "datetime.datetime.now", "os.getpid", "os.stat", "hashlib.sha256", "hashlib.md5", "isset", "console.log", "puts", "p":
		return &value{}
	case "open.read":
	}
	return nil
}

// rounds are the values of a loop.
func (v *value) rounds() []*value {
	if len(v.alts) > 0 {
		return v.alts
	}
	return []*value{v}
}

// joinPath joins parts as os.path.join does.
func (s *session) joinPath(parts []*value) *value {
	out := lit("")
	for _, p := range parts {
		if p.kind == list {
			p = s.joinPath(p.list)
		}
		if p.known() && (strings.HasPrefix(p.text, "/") || strings.HasPrefix(p.text, "~")) && (s.lang == "python" || s.lang == "ruby") {
			w := *p
			out = &w
			continue
		}
		if out.text == "" && !out.open && len(out.alts) == 0 {
			w := *p
			if w.kind != text {
				w = *s.concat(lit(""), p)
			}
			out = &w
			continue
		}
		sep := "/"
		if out.known() && strings.HasSuffix(out.text, "/") || p.known() && strings.HasPrefix(p.text, "/") {
			sep = ""
		}
		out = s.concat(s.concat(out, lit(sep)), p)
	}
	out.ref = ""
	return out
}

// paths does the functions of paths.
func (s *session) paths(fn string, args []*value) *value {
	class := func(v *value, c string) *value {
		return v.each(func(v *value) *value {
			w := *v
			if w.kind != text {
				w = *s.concat(lit(""), v)
			}
			w.ref, w.name, w.owner = "", c, nil
			return &w
		})
	}
	first := &value{}
	if len(args) > 0 {
		first = args[0]
	}
	switch fn {
	case "os.path.join", "posixpath.join", "path.join", "path.resolve", "path.posix.join", "File.join", "file.path", "filepath.Join", "path.Join", "File.Spec.catfile", "File.Spec.catdir", "Paths.get", "Path.of", "std.path.join":
		return s.joinPath(args)
	case "os.path.expanduser", "os.path.expandvars", "File.expand_path", "os.path.abspath", "os.path.realpath", "os.path.normpath", "path.normalize", "realpath", "path.expand", "normalizePath", "untildify", "fs.realpathSync", "filepath.Abs", "filepath.Clean", "File.realpath":
		if first.kind == text {
			return s.derive(first, func(t string) (string, bool) {
				for _, h := range []string{"${HOME}", "$HOME"} {
					t = strings.Replace(t, h, "~", 1)
				}
				return t, true
			})
		}
		if strings.Contains(fn, "expand_path") && len(args) == 2 {
			return s.joinPath([]*value{args[1], args[0]})
		}
		return nil
	case "os.path.dirname", "path.dirname", "File.dirname", "dirname":
		return s.derive(first, func(t string) (string, bool) {
			if i := strings.LastIndexByte(t, '/'); i > 0 {
				return t[:i], true
			}
			if strings.HasPrefix(t, "/") {
				return "/", true
			}
			return ".", true
		})
	case "os.path.basename", "path.basename", "File.basename", "basename":
		if !first.known() {
			return nil
		}
		return s.derive(first, func(t string) (string, bool) { return t[strings.LastIndexByte(t, '/')+1:], true })
	case "os.getcwd", "process.cwd", "Dir.pwd", "getcwd", "cwd", "Cwd.cwd", "Cwd.getcwd", "os.Getwd", "getwd", "Deno.cwd", "os.getcwdb":
		return lit(".")
	case "os.homedir", "Dir.home", "os.UserHomeDir", "File.HomeDir.my_home", "path.home":
		return lit("~")
	case "os.tmpdir", "tempfile.gettempdir", "Dir.tmpdir", "sys_get_temp_dir", "os.TempDir", "tempdir":
		return lit("/tmp")
	case "tempfile.mkdtemp", "tempfile.mkstemp", "tempfile.mktemp", "fs.mkdtempSync", "fs.mkdtemp", "Dir.mktmpdir", "tempnam", "tempfile", "os.MkdirTemp", "File.Temp.tempdir", "Deno.makeTempDir", "Deno.makeTempDirSync", "tempfile.TemporaryDirectory", "tempfile.NamedTemporaryFile", "os.CreateTemp":
		v := &value{kind: text, text: "$tmp", open: true, origin: effect.Bounded}
		return v
	case "pathlib.Path", "pathlib.PosixPath", "Path", "pathlib.PurePath":
		if s.lang != "python" {
			return nil
		}
		if len(args) == 0 {
			return class(lit("."), "pathlib.Path")
		}
		return class(s.joinPath(args), "pathlib.Path")
	case "pathlib.Path.home", "Path.home":
		return class(lit("~"), "pathlib.Path")
	case "pathlib.Path.cwd", "Path.cwd":
		return class(lit("."), "pathlib.Path")
	case "Pathname":
		return class(first, "Pathname")
	case "pathlib.Path.joinpath", "Pathname.join", "Pathname.+", "pathlib.Path.with_name":
		return class(s.joinPath(args), fn[:strings.LastIndexByte(fn, '.')])
	case "pathlib.Path.expanduser", "pathlib.Path.resolve", "pathlib.Path.absolute", "pathlib.Path.as_posix", "pathlib.Path.with_suffix", "Pathname.expand_path", "Pathname.to_s", "pathlib.Path.__str__":
		return class(first, fn[:strings.LastIndexByte(fn, '.')])
	case "pathlib.Path.glob", "pathlib.Path.rglob", "Pathname.glob":
		return class(s.joinPath(args), fn[:strings.LastIndexByte(fn, '.')])
	case "pathlib.Path.iterdir", "Pathname.children", "pathlib.Path.walk":
		return class(s.joinPath([]*value{first, lit("*")}), fn[:strings.LastIndexByte(fn, '.')])
	case "URI", "URI.parse", "URL", "new URL", "java.net.URL", "urllib.request.Request":
		if first.kind == text {
			w := *first
			w.ref = ""
			w.name = fn
			for _, a := range args[1:] {
				w.content = a.gather(w.content)
				w.origin |= a.origin
			}
			return &w
		}
	}
	return nil
}

// pathMember is an attribute of a path: Path(x).parent.
func (s *session) pathMember(v *value, key string) *value {
	if v.name != "pathlib.Path" && v.name != "Pathname" {
		return nil
	}
	switch key {
	case "parent", "dirname":
		out := s.derive(v, func(t string) (string, bool) {
			if i := strings.LastIndexByte(t, '/'); i > 0 {
				return t[:i], true
			} else if i == 0 {
				return "/", true
			}
			if t == "~" {
				return "~/..", true
			}
			return ".", true
		})
		return out
	case "name", "stem", "suffix":
		w := s.derive(v, func(t string) (string, bool) { return t[strings.LastIndexByte(t, '/')+1:], true })
		w.name = ""
		return w
	}
	return nil
}

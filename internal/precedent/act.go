package precedent

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/fireharp/overseer/internal/effect"
)

// Act is an action as far as rulings look at it.
type Act struct {
	// Tool is the sort of tool: shell, file, or other.
	Tool string
	// Programs are the programs with their subcommands, or the tool.
	Programs []string
	// Text is what words are taken from.
	Text string
	// Form is all that must be the same for a ruling to speak for another action,
	// nil if none can.
	Form []string
	// Effects are what the action would do. Where Loose is set, they are all on files
	// in Root, the project's folder, or in folders for temporary files, and Form does
	// not tell on which.
	Effects []effect.Effect
	Loose   bool
	Root    string
}

// Action is an action that is judged: its signature, and where a ruling on it
// could have been given.
type Action struct {
	Signature
	// within has for each target of a loose action the anchors of which one must be
	// among the precedent's.
	within []place
}

type place struct {
	kind    effect.Kind
	anchors []uint64
}

// Loosely reports whether effects are of the sort that an action may be loose
// about: on single files, nothing that is known only later, in the project or in
// folders for temporary files.
func Loosely(list []effect.Effect) bool {
	for _, e := range list {
		switch e.Kind {
		case effect.FileRead, effect.FileWrite, effect.FileDelete, effect.DeleteRecursive, fileMove:
		default:
			return false
		}
		if e.Unsure || len(e.Targets) == 0 {
			return false
		}
		for _, t := range e.Targets {
			// A glob may match a link that leads elsewhere.
			if t.Scope != effect.Repo && t.Scope != effect.Temp || !path.IsAbs(t.Name) || strings.ContainsAny(t.Name, "*?[]{}") {
				return false
			}
		}
	}
	return len(list) > 0
}

const fileMove effect.Kind = "file.move"

// Of describes an action. The key is the person's own.
func Of(a Act, key []byte) Action {
	k := hasher(key)
	out := Action{Signature: Signature{Key: keyOf(key), Tool: a.Tool}}
	s := &out.Signature
	for _, e := range a.Effects {
		s.add(e)
		if !a.Loose {
			continue
		}
		for _, t := range e.Targets {
			root := a.Root
			if t.Scope == effect.Temp {
				root = tempRoot(t.Name)
			}
			mine, any := k.anchors(e.Kind, t.Name, root)
			out.within = append(out.within, place{e.Kind, any})
			mineIn(s, e.Kind, mine)
		}
	}
	slices.SortFunc(s.Effects, func(a, b Effect) int { return cmp.Compare(a.Kind, b.Kind) })
	fits := true
	for i := range s.Effects {
		slices.Sort(s.Effects[i].Anchors)
		fits = fits && len(s.Effects[i].Anchors) <= maxAnchors
	}
	for _, p := range a.Programs {
		s.Programs = append(s.Programs, uint32(k.short(programSize, "program", p)))
	}
	s.Programs = sorted(s.Programs)
	if len(s.Programs) > maxPrograms {
		s.Programs, fits = s.Programs[:maxPrograms], false
	}
	s.Words = k.words(a, s.Effects)
	if a.Form != nil && fits {
		s.Form = k.form(a.Form)
	} else {
		for i := range s.Effects {
			s.Effects[i].Anchors = nil
		}
	}
	return out
}

func mineIn(s *Signature, k effect.Kind, anchor uint64) {
	for i := range s.Effects {
		if e := &s.Effects[i]; e.Kind == k && !slices.Contains(e.Anchors, anchor) {
			e.Anchors = append(e.Anchors, anchor)
		}
	}
}

// add joins an effect with those of its kind.
func (s *Signature) add(e effect.Effect) {
	i := slices.IndexFunc(s.Effects, func(x Effect) bool { return x.Kind == e.Kind })
	if i < 0 {
		i = len(s.Effects)
		s.Effects = append(s.Effects, Effect{Kind: e.Kind})
	}
	mine := &s.Effects[i]
	mine.Unsure = mine.Unsure || e.Unsure
	for _, t := range e.Targets {
		if t.Scope != "" {
			mine.Scopes = append(mine.Scopes, string(t.Scope))
		}
	}
	slices.Sort(mine.Scopes)
	mine.Scopes = slices.Compact(mine.Scopes)
}

// anchors gives where a ruling on this target lets others follow, and from where
// one would let it follow. Deleting a folder speaks for what is in it. What is done
// to a single file speaks for files in the same folder and below; in the project's
// own top folder only for files there, and of deleting and moving only for that
// very file. A file that programs run or that agents take instructions from is like
// no other, see [speaksForItself].
func (k hasher) anchors(kind effect.Kind, file, root string) (mine uint64, any []uint64) {
	at := func(p string) uint64 { return k.short(anchorSize, "at", p) }
	in := func(p string) uint64 { return k.short(anchorSize, "in", p) }
	dir := path.Dir(file)
	switch {
	case kind != effect.DeleteRecursive && (speaksForItself(file, root) || kind == effect.FileWrite && !strings.Contains(path.Base(file), ".")):
		return at(file), []uint64{at(file)}
	case kind == effect.DeleteRecursive:
		mine = at(file)
		for p := file; len(p) > len(root) && p != "/"; p = path.Dir(p) {
			any = append(any, at(p))
		}
		return mine, any
	case dir == root && (kind == effect.FileDelete || kind == fileMove):
		return at(file), []uint64{at(file)}
	case dir == root:
		return in(dir), []uint64{in(dir)}
	}
	for p := dir; len(p) > len(root) && p != "/"; p = path.Dir(p) {
		any = append(any, in(p))
	}
	return in(dir), any
}

// temps are the folders for temporary files, the longer ones first.
var temps = []string{"/private/var/tmp", "/private/var/folders", "/private/tmp", "/var/folders", "/var/tmp", "/dev/shm", "/tmp"}

// tempRoot is the folder for temporary files that a file lies in. Of one that is not
// known, the folder above the file is taken: then a ruling speaks for that alone.
func tempRoot(file string) string {
	for _, t := range temps {
		if file == t || strings.HasPrefix(file, t+"/") {
			return t
		}
	}
	return path.Dir(file)
}

// ownNames are files that are run, or read as instructions, because of their names.
var ownNames = []string{
	"makefile", "gnumakefile", "justfile", "rakefile", "gemfile", "procfile", "vagrantfile", "jenkinsfile", "containerfile", "dockerfile", "brewfile",
	"package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml", "deno.json", "bun.lockb", "bunfig.toml",
	"setup.py", "setup.cfg", "pyproject.toml", "conftest.py", "tox.ini", "pytest.ini", "noxfile.py", "manage.py", "sitecustomize.py", "usercustomize.py",
	"go.mod", "go.sum", "go.work", "cargo.toml", "cargo.lock", "build.rs", "pom.xml", "cmakelists.txt", "meson.build", "build", "build.bazel", "workspace",
	"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "skill.md", "codeowners", "action.yml", "action.yaml",
	"authorized_keys", "crontab",
}

// ownEndings are those of files that are run as they are.
var ownEndings = []string{
	".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".exe", ".so", ".dylib", ".dll", ".pth", ".mk", ".mak", ".cmake", ".gradle", ".gradle.kts", ".service", ".timer", ".desktop", ".plist", ".tf", ".tfvars",
}

// ownFolders are those that programs run files from.
var ownFolders = []string{"node_modules", "bin", "sbin", "hooks", "venv", "site-packages", "vendor", "agents", "skills", "workflows"}

// speaksForItself reports whether a file is one that a ruling on another must not
// speak for: something runs it, or reads it as instructions or settings. So is every
// file or folder with a dot in front.
func speaksForItself(file, root string) bool {
	base := strings.ToLower(path.Base(file))
	below := strings.TrimPrefix(file, root+"/")
	for _, dir := range strings.Split(strings.ToLower(path.Dir(below)), "/") {
		if len(dir) > 1 && dir[0] == '.' || slices.Contains(ownFolders, dir) {
			return true
		}
	}
	return base[0] == '.' || slices.Contains(ownNames, base) || strings.Contains(base, ".config.") || strings.HasPrefix(base, "dockerfile") || strings.HasPrefix(base, "docker-compose") || strings.HasPrefix(base, "compose.") ||
		strings.HasPrefix(base, "taskfile.") || slices.ContainsFunc(ownEndings, func(s string) bool { return strings.HasSuffix(base, s) })
}

// words are the hashes that likeness is told from: the words of the text and the
// kinds of the effects.
func (k hasher) words(a Act, effects []Effect) []uint32 {
	text := a.Text[:min(len(a.Text), maxText)]
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, e := range effects {
		list = append(list, "effect "+string(e.Kind))
	}
	slices.Sort(list)
	var out []uint32
	for _, w := range slices.Compact(list) {
		out = append(out, uint32(k.short(wordSize, "word", w)))
	}
	out = sorted(out)
	return out[:min(len(out), maxWords)]
}

// maxText bounds the text that words are taken from.
const maxText = 4 << 10

func sorted(list []uint32) []uint32 {
	slices.Sort(list)
	return slices.Compact(list)
}

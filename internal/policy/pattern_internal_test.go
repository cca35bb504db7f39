package policy

import (
	"testing"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	from := places{home: "/home/dev", roots: []string{"/repo", "/repo/sub"}}
	for _, tt := range []struct {
		patterns []string
		yes, no  []string
	}{
		{patterns: []string{".env"},
			yes: []string{"/repo/.env", "/repo/a/b/.env", "/.env", ".env", "a/.env", "/other/.env"},
			no:  []string{"/repo/foo.envelope.txt", "/repo/.env.local", "/repo/x.env", "/repo/.env/file", "/repo/.envelope", "/repo/.ENV", "/"}},
		{patterns: []string{"*.env"},
			yes: []string{"/repo/prod.env", "/repo/.env", "prod.env"},
			no:  []string{"/repo/prod.env.txt", "/repo/foo.envelope.txt", "/repo/prod.env/file"}},
		{patterns: []string{".git/"},
			yes: []string{"/repo/.git/config", "/repo/a/.git/hooks/pre-commit", ".git/config", "/.git/x"},
			no:  []string{"/repo/.git", "/repo/.github/x", "/repo/x.git/config", ".git"}},
		{patterns: []string{"*.d/"}, yes: []string{"/etc/conf.d/x"}, no: []string{"/etc/conf.d", "/etc/x"}},
		{patterns: []string{"config/*.yml"},
			yes: []string{"/repo/config/a.yml", "/repo/sub/config/a.yml", "config/a.yml"},
			no:  []string{"/repo/other/config/a.yml", "/repo/config/b/a.yml", "/elsewhere/config/a.yml"}},
		{patterns: []string{"./x"}, yes: []string{"/repo/x", "/repo/sub/x"}, no: []string{"/repo/a/x", "/x"}},
		{patterns: []string{"/build/"}, yes: []string{"/repo/build/a/b", "/build/a"}, no: []string{"/repo/a/build/b", "/repo/build"}},
		{patterns: []string{"/etc/passwd"}, yes: []string{"/etc/passwd", "/repo/etc/passwd"}, no: []string{"/x/etc/passwd"}},
		{patterns: []string{"~/.ssh/"}, yes: []string{"/home/dev/.ssh/id", "/home/dev/.ssh/a/b"}, no: []string{"/home/eve/.ssh/id", "/repo/.ssh/id", "/home/dev/.ssh"}},
		{patterns: []string{"~/*"}, yes: []string{"/home/dev/x"}, no: []string{"/home/dev/a/x"}},
		{patterns: []string{"**/secrets/*.json"}, yes: []string{"/repo/a/secrets/x.json", "/var/secrets/x.json", "secrets/x.json"}, no: []string{"/repo/secrets/a/x.json"}},
		{patterns: []string{"secrets/**"}, yes: []string{"/repo/secrets/a/b/c"}, no: []string{"/repo/mysecrets/a"}},
		{patterns: []string{"id_[rd]sa"}, yes: []string{"/x/id_rsa"}, no: []string{"/x/id_csa"}},
		{patterns: []string{"[!a]b"}, yes: []string{"/x/cb"}, no: []string{"/x/ab"}},
		{patterns: []string{"{a,b}"}, yes: []string{"/x/{a,b}"}, no: []string{"/x/a"}},
		{patterns: []string{`\*`}, yes: []string{"/x/*"}, no: []string{"/x/a"}},
		{patterns: []string{"*.env", "!example.env"}, yes: []string{"/x/prod.env"}, no: []string{"/x/example.env"}},
		{patterns: []string{"*.env", "!e*.env", "extra.env"}, yes: []string{"/x/extra.env"}, no: []string{"/x/e.env"}},
		{patterns: []string{`\!x`}, yes: []string{"/x/!x"}, no: []string{"/x/x"}},
		{patterns: []string{"C:/secret/"}, yes: []string{"C:/secret/x"}, no: []string{"C:/x"}},
	} {
		var list []pattern
		for _, s := range tt.patterns {
			p, err := parsePattern(s, false)
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			list = append(list, p)
		}
		for _, file := range tt.yes {
			if !selects(list, file, from) {
				t.Errorf("%q does not select %s", tt.patterns, file)
			}
		}
		for _, file := range tt.no {
			if selects(list, file, from) {
				t.Errorf("%q selects %s", tt.patterns, file)
			}
		}
	}
}

func TestPatternsFold(t *testing.T) {
	t.Parallel()
	p, err := parsePattern("/Sub/.ENV", true)
	if err != nil {
		t.Fatal(err)
	}
	if c := (&paths{fold: true, root: "/Repo"}); !p.match(c.cased("/REPO/sub/.Env"), places{roots: []string{c.cased(c.root)}}) {
		t.Error("capitals matter")
	}
}

func TestPatternFaults(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"/", "!", "~/", "a//b", "../x", "a/../b", "a/./b", "[a", `a\`, "//", "./"} {
		if _, err := parsePattern(s, false); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
}

// FuzzPattern: no pattern and path may bring the match down, and a pattern never
// selects what it takes back.
func FuzzPattern(f *testing.F) {
	f.Add("**/a*/[b-c]/", "/x/a/b/c")
	f.Add("!x", "x")
	f.Add("~/{a,b}", "/home/dev/{a,b}")
	f.Fuzz(func(t *testing.T, source, file string) {
		p, err := parsePattern(source, false)
		if err != nil {
			return
		}
		from := places{home: "/home/dev", roots: []string{"/repo"}}
		if p.negate && selects([]pattern{p}, file, from) {
			t.Errorf("%q selects %q", source, file)
		}
		p.negate = false
		if selects([]pattern{p}, file, from) != p.match(file, from) {
			t.Errorf("%q and %q: selects and match differ", source, file)
		}
	})
}

package shell_test

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/shell"
)

// TestPieces shows what may vary: ‹f› stands for files, ‹m› for a message.
func TestPieces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line, want string
		open       bool
	}{
		{"rm -rf build", "rm -rf ‹f›", false},
		{"rm -rf 'build' \"a b\" -v", "rm -rf ‹f› -v", false},
		{"rm -rf other", "rm -rf other", false},
		{"cp build a > log", "cp ‹f› > log", false}, // log is no target here
		{"./rm build", "./rm build", false},
		{"sudo rm build", "sudo rm build", false},
		{"make build", "make build", false},
		{"cat > build <<'EOF'\nx\nEOF", "cat > ‹f› <<'EOF'\n‹m›", false},
		{"cat > build <<'EOF' && b\nx\nEOF\n./deploy", "cat > ‹f› <<'EOF' && b\n‹m›\n./deploy", false},
		{"cat <<'EOF' | sh\nx\nEOF", "cat <<'EOF' | sh\nx\nEOF", false},
		{"git commit -m x", "git commit -m ‹m›", false},
		{"git commit -am 'x y' --amend", "git commit -am ‹m› --amend", false},
		{"git commit --message=x", "git commit ‹m›", false},
		{"git commit -m \"$(cat <<'E'\n$x `y`\nE\n)\"", "git commit -m ‹m›", false},
		{"git commit -m \"$(cat f)\"", "git commit -m \"$(cat f)\"", true},
		{"git commit -m $x", "git commit -m $x", true},
		{"git -C d commit -m x", "git -C d commit -m x", false},
		{"gh pr create -t x -b y", "gh pr create -t ‹m› -b ‹m›", false},
		{"glab mr merge -d 5", "glab mr merge -d 5", false},
		{"git push 2>&1 | tail -n 5", "git push", false},
		{"git push 2>&1 | head", "git push", false},
		{"git push | tail -f x", "git push | tail -f x", false},
		{"git push | tail x", "git push | tail x", false},
		{"git push 2>&1 | sh", "git push 2>&1 | sh", false},
		{"a | tail -1 && b", "a | tail -1 && b", false},
		{"a || b | tail -1", "a || b | tail -1", false},
		{"a && b | tail -1", "a && b", false},
		{"! a | tail -1", "! a | tail -1", false},
		{"cd /here && a && b", "a && b", false},
		{"cd /there && a", "cd /there && a", false},
		{"cd /here; a", "cd /here; a", false},
		{"cd /here || a", "cd /here || a", false},
		{"f() { rm x; }; f", "f() { rm x; }; f", true},
		{"rm $x", "rm $x", true},
		{"rm <(x)", "rm <(x)", true},
		{"rm 'unfinished", "rm 'unfinished", true},
		{"", "", false},
	} {
		p := shell.Analyze(tt.line, shell.Context{Places: effect.Places{Home: "/h", CWD: "/here", Repo: "/here"}})
		pieces, open := p.Pieces(func(w string) bool { return w == "build" || w == "a" || w == "a b" }, func(d string) bool { return d == "/here" })
		var b strings.Builder
		for _, x := range pieces {
			b.WriteString(map[shell.Sort]string{shell.Written: x.Text, shell.File: "‹f›", shell.Message: "‹m›"}[x.Sort])
		}
		if open != tt.open || b.String() != tt.want {
			t.Errorf("%q: %q open %v, want %q %v", tt.line, b.String(), open, tt.want, tt.open)
		}
	}
}

func FuzzPieces(f *testing.F) {
	f.Add("cd /here && git commit -am \"$(cat <<'E'\nx\nE\n)\" 2>&1 | tail -5")
	f.Add("rm -rf build a; cat <<E > a\n$x\nE\n")
	f.Fuzz(func(t *testing.T, line string) {
		p := shell.Analyze(line, shell.Context{Places: effect.Places{CWD: "/here"}})
		pieces, _ := p.Pieces(func(w string) bool { return len(w)%2 == 1 }, func(string) bool { return true })
		at := 0
		for _, x := range pieces { // each stands in the line, in order
			i := strings.Index(line[at:], x.Text)
			if i < 0 {
				t.Fatalf("%q has no %q behind %d", line, x.Text, at)
			}
			at += i + len(x.Text)
		}
	})
}

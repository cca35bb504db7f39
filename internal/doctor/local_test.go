package doctor_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fireharp/overseer/internal/doctor"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/precedent"
)

func TestFolder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(*machine)
		state doctor.State
		words []string
	}{
		{"as made", func(*machine) {}, doctor.OK, nil},
		{"a file that others read", func(m *machine) { m.chmod(".overseer/constitution/shared.md", 0o644) }, doctor.Failed, []string{"shared.md (0644)", "chmod -R go-rwx {home}/.overseer"}},
		{"a file that others write", func(m *machine) { m.chmod(".overseer/config.toml", 0o602) }, doctor.Failed, []string{"config.toml (0602)"}},
		{"the folder open", func(m *machine) { m.chmod(".overseer", 0o755) }, doctor.Failed, []string{".overseer (0755)"}},
		{"no journal", func(m *machine) { m.remove(".overseer/journal") }, doctor.Failed, []string{"overseer init"}},
		{"no folder", func(m *machine) { m.remove(".overseer") }, doctor.Failed, []string{"does not exist", "overseer init"}},
		{"a file instead", func(m *machine) { m.remove(".overseer"); m.write(".overseer", "") }, doctor.Failed, []string{"not a folder"}},
		{"rules that are linked from a folder others read", func(m *machine) {
			m.write("dotfiles/mine.md", "")
			m.chmod("dotfiles/mine.md", 0o644)
			m.link("dotfiles/mine.md", ".overseer/constitution/mine.md")
		}, doctor.OK, nil},
		{"rules that are linked from where others write", func(m *machine) {
			m.write("dotfiles/mine.md", "")
			m.chmod("dotfiles/mine.md", 0o666)
			m.link("dotfiles/mine.md", ".overseer/constitution/mine.md")
		}, doctor.Failed, []string{"mine.md (0666)"}},
		{"a link to nowhere", func(m *machine) { m.link("gone", ".overseer/gone") }, doctor.OK, nil},
		{"the ledger elsewhere and open", func(m *machine) {
			m.write("db/ledger.db", "")
			m.chmod("db/ledger.db", 0o644)
			m.write(".overseer/config.toml", "[ledger]\npath = \"~/db\"\n")
		}, doctor.Failed, []string{"{home}/db/ledger.db (0644)", "chmod -R go-rwx {home}/db"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			tt.spoil(m)
			m.expect(m.examine(), "folder", tt.state, tt.words...)
		})
	}
}

func (m *machine) chmod(path string, mode os.FileMode) {
	m.t.Helper()
	if err := os.Chmod(filepath.Join(m.user, path), mode); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) remove(path string) {
	m.t.Helper()
	if err := os.RemoveAll(filepath.Join(m.user, path)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) link(to, path string) {
	m.t.Helper()
	if err := os.Symlink(filepath.Join(m.user, to), filepath.Join(m.user, path)); err != nil {
		m.t.Fatal(err)
	}
}

const denyRule = "Rule: mine\nWhen:\n  event=%EVENT%\n  tool=Bash\n  cmd=/foo/\nDo: deny\nReason: r.\nExamples: %EXAMPLE%\n"

func ruleText(event, example string) string {
	return strings.NewReplacer("%EVENT%", event, "%EXAMPLE%", example).Replace(denyRule)
}

func TestSettingsAndRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path, text string
		result           string
		state            doctor.State
		words            []string
	}{
		{"unknown setting", ".overseer/config.toml", "safe_mod = true\n", "settings", doctor.Failed, []string{"config.toml:1:1", `did you mean "safe_mode"?`}},
		{"unknown setting in the project", "{project}/.overseer/config.toml", "\nsafe_mod = true\n", "settings", doctor.Failed, []string{"{project}/.overseer/config.toml:2:1"}},
		{"silent allow", ".overseer/config.toml", "[answer]\ndefault_allow = \"silent\"\n", "default-allow", doctor.OK, []string{"silent"}},
		{"damaged approvals", ".overseer/approvals.json", "garbage", "settings", doctor.Failed, []string{"approvals.json", "remove the file"}},
		{"damaged record of installs", ".overseer/install.json", "garbage", "settings", doctor.Warning, []string{"install.json", "overseer install"}},
		{"damaged trust", ".overseer/trust.json", "{", "settings", doctor.Failed, []string{"trust.json"}},
		{"broken rule", ".overseer/constitution/mine.md", "Rule: mine\nWhen:\n  cmd=/(/\nDo: deny\n", "rules", doctor.Failed, []string{"mine.md:3:"}},
		{"example that does not fire", ".overseer/constitution/mine.md", ruleText("PreToolUse", "bar"), "rules", doctor.Failed, []string{"mine.md:1", `"bar"`}},
		{"example that fires", ".overseer/constitution/mine.md", ruleText("PreToolUse", "foo"), "rules", doctor.OK, []string{"12 rules of yours"}},
		{"mistyped event", ".overseer/constitution/mine.md", ruleText("PreTolUse", "foo"), "rules", doctor.Warning, []string{"PreTolUse", `did you mean "PreToolUse"?`}},
		{"event that only Cursor has", ".overseer/constitution/codex.md", ruleText("beforeShellExecution", "foo"), "rules", doctor.Warning, []string{"beforeShellExecution"}},
		{"event that the agent lacks", ".overseer/constitution/codex.md", ruleText("PermissionDenied", "foo"), "rules", doctor.Warning, []string{"PermissionDenied"}},
		{"project that loosens", "{project}/.overseer/constitution/project.md", strings.Replace(ruleText("PreToolUse", "foo"), "deny", "allow", 1), "rules", doctor.Warning, []string{"project.md:1", "overseer trust"}},
		{"project that tightens", "{project}/.overseer/constitution/project.md", ruleText("PreToolUse", "foo"), "rules", doctor.OK, []string{"1 rule of the project {project}/.overseer"}},
		{"edited journal", ".overseer/journal/00000001.jsonl", `{"v":1,"kind":"event","id":"ev_1","prev":"","hash":"` + strings.Repeat("0", 64) + "\"}\n", "journal", doctor.Failed, []string{"(ev_1)"}},
		{"torn journal", ".overseer/journal/00000001.jsonl", "{\"v\":1,\"ki\n", "journal", doctor.Warning, []string{"00000001.jsonl at byte 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.write(tt.path, tt.text)
			m.expect(m.examine(), tt.result, tt.state, tt.words...)
		})
	}
}

// TestSharedEventName: a rule for Cursor alone may name an event as all rules do.
func TestSharedEventName(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write(".overseer/constitution/cursor.md", ruleText("PostToolUse", "foo"))
	m.refute(m.examine(), "rules", doctor.Warning)
}

// TestNoRule: without a rule against it, a catastrophe is allowed, and doctor
// says so.
func TestNoRule(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.install("claude", false)
	m.remove(".overseer/constitution")
	m.write(".overseer/constitution/mine.md", "Nothing yet.\n")
	got := m.examine()
	m.expect(got, "claude-user", doctor.OK, "enforces")
	m.expect(got, "claude-user-rm-rf-root", doctor.Failed, "allowed by default")
	m.expect(got, "rules", doctor.Failed, "there are no rules")
}

// TestRulesGone: a person whose folder of rules is gone is not without rules by
// choice.
func TestRulesGone(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.install("claude", false)
	m.remove(".overseer/constitution")
	got := m.examine()
	m.expect(got, "claude-user", doctor.OK, "enforces")
	m.expect(got, "claude-user-rm-rf-root", doctor.Failed, "asked by fault", "there are no rules")
	m.expect(got, "rules", doctor.Failed, "there are no rules", "overseer init")
}

// TestUninitialised: without the folder a must-deny event is denied and lost.
func TestUninitialised(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.install("claude", false)
	m.remove(".overseer")
	got := m.examine()
	m.expect(got, "folder", doctor.Failed, "overseer init")
	m.expect(got, "claude-user", doctor.Failed, "did not record", "there is no folder for the journal", "run: overseer init")
}

func TestProgram(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.Cgo = true
	m.expect(m.examine(), "program", doctor.Warning, "cgo", "CGO_ENABLED=0 go install")
	m.write("bin/loose", "#!/bin/sh\n")
	m.chmod("bin/loose", 0o777)
	m.Program = filepath.Join(m.bin, "loose")
	m.expect(m.examine(), "program", doctor.Warning, "others may replace", "chmod go-w")
}

// TestLedger: a ledger that cannot be opened, and one that has lost what was
// recorded.
func TestLedger(t *testing.T) {
	t.Parallel()
	t.Run("cannot be opened", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		m.OpenLedger = func(context.Context) (ledger.Store, ledger.Intake, error) {
			return nil, ledger.Intake{}, hint.Wrap(ledger.ErrCorrupt, "move it away")
		}
		m.expect(m.examine(), "ledger", doctor.Failed, "damaged", "move it away")
	})
	t.Run("does not have the event", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		m.install("claude", false)
		m.OpenLedger = func(context.Context) (ledger.Store, ledger.Intake, error) { return forgetful{}, ledger.Intake{}, nil }
		m.expect(m.examine(), "ledger", doctor.Failed, "does not have the event ev_", "no such event")
	})
	t.Run("cannot be read", func(t *testing.T) {
		t.Parallel()
		m := newMachine(t)
		m.OpenLedger = func(context.Context) (ledger.Store, ledger.Intake, error) {
			return forgetful{tail: ledger.ErrLocked}, ledger.Intake{}, nil
		}
		m.expect(m.examine(), "ledger", doctor.Failed, "locked")
	})
}

// forgetful is a ledger without any event.
type forgetful struct {
	ledger.Store
	tail error
}

func (f forgetful) Tail(context.Context, ledger.Query) ([]ledger.Entry, error) { return nil, f.tail }
func (forgetful) Get(context.Context, string) (ledger.Entry, error) {
	return ledger.Entry{}, ledger.ErrNotFound
}
func (forgetful) Rulings(context.Context, time.Time, int) ([]precedent.Ruling, error) {
	return nil, nil
}
func (forgetful) Close() error { return nil }

// TestAskedDisaster: a person whose rule only asks is told so.
func TestAskedDisaster(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.install("claude", false)
	m.remove(".overseer/constitution")
	m.write(".overseer/constitution/shared.md", "Rule: mine\nWhen:\n  event=PreToolUse\n  cmd=/rm/\nDo: ask\nReason: r.\n")
	m.expect(m.examine(), "claude-user-rm-rf-root", doctor.Warning, "asked by rule mine")
}

package cmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/agent"
	"github.com/fireharp/overseer/internal/config"
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/install"
)

// targetFlags choose agents and scope, for install and uninstall.
type targetFlags struct {
	only   map[string]*bool // agent's name → its flag
	scope  string
	dryRun bool
}

func (f *targetFlags) register(c *cobra.Command) {
	f.only = map[string]*bool{}
	for _, p := range agent.All() {
		f.only[p.Name()] = c.Flags().Bool(p.Name(), false, "only "+p.Title())
	}
	c.Flags().StringVar(&f.scope, "scope", install.UserScope, `"user" (your home folder) or "project" (this folder)`)
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the changes and write nothing")
}

// targets are the settings files that the flags choose. Where they choose no agent,
// those that are not always registered count if they are in use.
func (f *targetFlags) targets(w *world, h home.Home, inUse func(install.Target) bool) ([]install.Target, error) {
	if f.scope != install.UserScope && f.scope != install.ProjectScope {
		return nil, hint.Wrap(fmt.Errorf("unknown scope %q", f.scope), `write --scope user or --scope project`)
	}
	chosen := false
	for _, on := range f.only {
		chosen = chosen || *on
	}
	var out []install.Target
	for _, p := range agent.All() {
		t := userTarget(p, h, w.getenv)
		if f.scope == install.ProjectScope {
			t = install.ProjectTarget(p, w.cwd())
		}
		if *f.only[p.Name()] || !chosen && (p.Settings().Always || inUse(t)) {
			out = append(out, t)
		}
	}
	return out, nil
}

// hasFolder tells whether the settings' folder exists.
func hasFolder(t install.Target) bool {
	st, err := os.Stat(filepath.Dir(t.Path))
	return err == nil && st.IsDir()
}

// userTarget is the agent's own settings file of the person.
func userTarget(p agent.Provider, h home.Home, getenv func(string) string) install.Target {
	moved := ""
	if env := p.Settings().HomeEnv; env != "" {
		moved = getenv(env)
	}
	return install.UserTarget(p, h.User, moved)
}

func newInstall(w *world) *cobra.Command {
	var f targetFlags
	var binary string
	c := &cobra.Command{
		Use:   "install",
		Short: "Register overseer as the agents' hook command",
		Long: `Install writes overseer's entries into the agents' settings: those of Claude Code
(~/.claude/settings.json) and of Codex CLI (~/.codex/hooks.json), each marked with
"_overseer": "managed", and, where there is a folder ~/.cursor, those of Cursor
(~/.cursor/hooks.json). With --scope project it is the files of the same names
below this folder. Everything else in the files stays as it is. It can be run again
at any time.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return runInstall(w, &f, binary)
		},
	}
	f.register(c)
	c.Flags().StringVar(&binary, "binary", "", "path of overseer to write into the entries (default: this program)")
	return c
}

func runInstall(w *world, f *targetFlags, binary string) error {
	h, err := w.home()
	if err != nil {
		return err
	}
	if binary, err = w.binary(binary); err != nil {
		return err
	}
	targets, err := f.targets(w, h, hasFolder)
	if err != nil {
		return err
	}
	// All files are read before the first is written: one that cannot be read leaves
	// all as they are.
	var plans []install.Plan
	for _, t := range targets {
		o := install.Options{Binary: binary, Home: h.Root, State: h.Install(), AgentVersion: agentVersion(t.Provider)}
		p, err := install.PlanInstall(t, o)
		if err != nil {
			return fmt.Errorf("install for %s: %w", t.Provider.Title(), err)
		}
		plans = append(plans, p)
	}
	if err := w.carryOut(plans, f.dryRun); err != nil || f.dryRun {
		return err
	}
	c, _, err := config.Load(config.Default(), h.Root)
	if err != nil {
		return err
	}
	fmt.Fprintln(w.stdout, allowMeans(c))
	for _, t := range targets {
		if t.Provider.Name() == "codex" {
			fmt.Fprintln(w.stdout, "Codex runs a new hook only after you have trusted it: start codex, open /hooks and trust overseer's.")
		}
	}
	if !h.Exists() {
		fmt.Fprintln(w.stdout, "Next: overseer init (there are no rules yet), then overseer doctor")
		return nil
	}
	fmt.Fprintln(w.stdout, "Next: overseer doctor")
	return nil
}

// allowMeans says in one sentence what an allow by default means.
func allowMeans(c config.Config) string {
	if c.Answer.DefaultAllow == "silent" {
		return `A call that no rule speaks of is left to the agent's own permission prompt (default_allow = "silent").`
	}
	return `A call that no rule speaks of is approved, so that Claude Code does not ask either, nor Cursor where it heeds that (default_allow = "approve"; "silent" in config.toml leaves it to the agent's own prompt).`
}

// carryOut shows or applies plans.
func (w *world) carryOut(plans []install.Plan, dryRun bool) error {
	for _, p := range plans {
		if err := w.carryOutOne(p, dryRun); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) carryOutOne(p install.Plan, dryRun bool) error {
	for _, warning := range p.Warnings {
		fmt.Fprintf(w.stderr, "warning: %s: %s\n", p.Target.Path, warning)
	}
	if dryRun {
		if d := p.Diff(); d != "" {
			fmt.Fprint(w.stdout, d)
		} else {
			fmt.Fprintf(w.stdout, "%s: no change\n", p.Target.Path)
		}
		return nil
	}
	if err := p.Apply(); err != nil {
		return err
	}
	if len(p.Changes) == 0 {
		fmt.Fprintf(w.stdout, "%s: no change\n", p.Target.Path)
		return nil
	}
	fmt.Fprintf(w.stdout, "%s:\n", p.Target.Path)
	for _, c := range p.Changes {
		fmt.Fprintf(w.stdout, "  %s\n", c)
	}
	return nil
}

// binary is the absolute path that the entries shall call.
func (w *world) binary(given string) (string, error) {
	if given == "" {
		return w.program()
	}
	path, err := lookPath(given)
	if err != nil {
		return "", fmt.Errorf("find --binary: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	if _, err := exec.LookPath(path); err != nil {
		return "", hint.Wrap(fmt.Errorf("--binary: %w", err), "name a program that can be run")
	}
	return path, nil
}

// agentVersion asks the agent for its version; "" if it is not installed or does
// not answer. It decides which of the agent's newer events can be registered.
func agentVersion(p agent.Provider) string {
	path, err := exec.LookPath(p.Settings().Program)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return ""
	}
	for _, f := range strings.Fields(string(out)) {
		if f[0] >= '0' && f[0] <= '9' && strings.Count(f, ".") >= 2 {
			return f
		}
	}
	return ""
}

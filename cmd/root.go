package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/hint"
)

// newRoot builds the overseer face with all its commands. code receives the exit
// code of the hook.
func newRoot(w *world, code *int) *cobra.Command {
	c := &cobra.Command{
		Use:   "overseer",
		Short: "Steer coding agents by a constitution and a record of rulings",
		Long: `Overseer runs as the hook command of coding agents (Claude Code, Codex CLI,
Cursor). At every hook event it judges what the agent is about to do against a
markdown constitution, answers allow, ask or deny, and records it.

  overseer init       scaffold ~/.overseer
  overseer install    register the hooks
  overseer doctor     prove that they enforce`,
		Args: subcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		newInit(w), newInstall(w), newUninstall(w), newDoctor(w),
		newHook(w, code), newHookmon(w, code),
		newRules(w), newTest(w), newLedger(w), newJudgments(w), newWhy(w), newApprove(w), newTrust(w), newUntrust(w),
		newVersion(w),
	)
	return c
}

// subcommand refuses a word that names no command and suggests one that does.
func subcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], c.CommandPath())
	if c.SuggestionsMinimumDistance <= 0 {
		c.SuggestionsMinimumDistance = 2
	}
	if s := c.SuggestionsFor(args[0]); len(s) > 0 {
		return hint.Wrap(err, "did you mean %q?", strings.Join(s, `" or "`))
	}
	return hint.Wrap(err, "%q lists the commands", c.CommandPath()+" --help")
}

// lookPath finds a program as the shell would, without following links.
func lookPath(name string) (string, error) {
	if strings.ContainsRune(name, os.PathSeparator) {
		return name, nil
	}
	return exec.LookPath(name)
}

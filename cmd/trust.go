package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/trust"
)

func newTrust(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "trust [folder]",
		Short: "Let a project's rule files loosen, as they are now",
		Long: `Deny and ask rules in a project's .overseer folder count at once. Its allow
rules, guidance and looser settings count only after you have vouched for the
files with this command; a file that changes afterwards has to be trusted anew.
The hashes are kept in ~/.overseer, outside of the project.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := w.personOnly("trust"); err != nil {
				return err
			}
			root, store, err := w.trustStore(args)
			if err != nil {
				return err
			}
			files, err := store.Pin(root)
			if err != nil {
				return err
			}
			for _, f := range files {
				fmt.Fprintln(w.stdout, clean("trusted "+filepath.Join(root, f), 0))
			}
			return nil
		},
	}
}

func newUntrust(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "untrust [folder]",
		Short: "Take the trust in a project's files back",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := w.personOnly("untrust"); err != nil {
				return err
			}
			root, store, err := w.trustStore(args)
			if err != nil {
				return err
			}
			had, err := store.Forget(root)
			if err != nil {
				return err
			}
			if !had {
				fmt.Fprintf(w.stdout, "%s was not trusted\n", root)
				return nil
			}
			fmt.Fprintf(w.stdout, "no longer trusted: %s\n", root)
			return nil
		},
	}
}

// trustStore finds the project's .overseer folder, from the folder given or the
// present one, and opens the store of pinned files.
func (w *world) trustStore(args []string) (string, *trust.Store, error) {
	h, err := w.home()
	if err != nil {
		return "", nil, err
	}
	if !h.Exists() {
		return "", nil, hint.Wrap(fmt.Errorf("%s does not exist", h.Root), `run "overseer init" first`)
	}
	dir := w.cwd()
	if len(args) > 0 {
		if dir, err = filepath.Abs(args[0]); err != nil {
			return "", nil, err
		}
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return "", nil, fmt.Errorf("%s is not a folder", args[0])
		}
		if filepath.Base(dir) == home.Name {
			dir = filepath.Dir(dir)
		}
	}
	roots := h.Projects(dir)
	if len(roots) == 0 {
		return "", nil, hint.Wrap(errors.New("no .overseer folder of a project here or above"), `"overseer init --local" makes one`)
	}
	store, err := trust.Open(h.Trust())
	return roots[0], store, err
}

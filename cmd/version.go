package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(w.stdout, "overseer %s %s/%s %s\n", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
			return nil
		},
	}
}

// version is the module's version as the go command recorded it, so that a
// program built by "go install …@latest" reports itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// builtWithCgo reports whether the program links the C library, which makes
// every hook start slower.
func builtWithCgo() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "CGO_ENABLED" {
			return s.Value == "1"
		}
	}
	return false
}

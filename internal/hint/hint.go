// Package hint adds to an error what the person can do about it. The command
// face prints the hint on a line of its own below the error.
package hint

import (
	"errors"
	"fmt"
)

type hinted struct {
	err  error
	text string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }

// Wrap attaches a hint to err. The error's own text is unchanged. Wrap of nil
// is nil.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hinted{err: err, text: fmt.Sprintf(format, args...)}
}

// Of lists the hints in err's chain, the outermost first.
func Of(err error) []string {
	var out []string
	for err != nil {
		var h *hinted
		if !errors.As(err, &h) {
			break
		}
		out = append(out, h.text)
		err = h.err
	}
	return out
}

//go:build !windows && (!unix || aix || solaris)

package hookmon

import (
	"errors"
	"os"
)

// tryLock cannot lock on this system.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

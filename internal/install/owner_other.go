//go:build !unix

package install

import (
	"io/fs"
	"os"
)

// keepOwner has nothing to do: the new file inherits the folder's rights.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

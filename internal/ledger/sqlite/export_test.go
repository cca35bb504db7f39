package sqlite

import "github.com/ncruces/go-sqlite3"

// What the tests need of the inside.
var (
	Explain                       = explain
	BUSY, FULL, CORRUPT, READONLY = sqlite3.BUSY, sqlite3.FULL, sqlite3.CORRUPT, sqlite3.READONLY
)

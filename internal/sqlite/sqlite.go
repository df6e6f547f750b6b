// Package sqlite has the code that the users of SQLite databases share: opening files,
// prepared statements without the overhead of database/sql, and the classification of
// errors. It is the only importer of the SQLite library.
package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	library "modernc.org/sqlite" // the import also registers the driver
)

// Open opens a file with pragmas, each as "name(value)".
func Open(path string, pragmas ...string) (*sql.DB, error) {
	query := make([]string, len(pragmas))
	for i, pragma := range pragmas {
		query[i] = "_pragma=" + pragma
	}
	return sql.Open("sqlite", uri(path)+"?"+strings.Join(query, "&"))
}

// OpenReadOnly opens a file that exists, for reading: nothing is written, and no file is made.
func OpenReadOnly(path string) (*sql.DB, error) {
	return sql.Open("sqlite", uri(path)+"?mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(10000)")
}

// uri returns the form of a path that the library takes.
func uri(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// PrivateFile creates a file that only its owner can read, unless the file exists.
func PrivateFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("database file: %w", err)
	}
	return f.Close()
}

// Meaning is the meaning of a library's error for callers.
type Meaning int

// The meanings.
const (
	// Other: a defect of a statement or of its data.
	Other Meaning = iota
	// Unavailable: the file cannot be read or written now.
	Unavailable
	// Damaged: the content of the file is not a valid database.
	Damaged
	// Interrupted: the context ended.
	Interrupted
	// Closed: the database was closed.
	Closed
)

// MeaningOf returns the meaning of an error.
func MeaningOf(err error) Meaning {
	var e *library.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case 11, 26: // corrupt, no database
			return Damaged
		case 10: // I/O
			if e.Code() == shortRead {
				return Damaged
			}
			return Unavailable
		case 5, 6, 7, 8, 13, 14, 23: // busy, locked, no memory, read-only, full, cannot open, denied
			return Unavailable
		case 9:
			return Interrupted
		}
	}
	if err != nil && strings.Contains(err.Error(), "sql: database is closed") {
		return Closed
	}
	return Other
}

// shortRead is the error code of a file that ends before a page.
const shortRead = 10 | 2<<8

// IsDuplicate reports whether an error says that a key already exists.
func IsDuplicate(err error) bool {
	var e *library.Error
	return errors.As(err, &e) && (e.Code() == 19|6<<8 || e.Code() == 19|8<<8) // primary key, unique
}

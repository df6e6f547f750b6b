// Package sqlite contains what the embedded store and the embedded index share:
// opening files, prepared commands without the overhead of database/sql, and
// classifying errors. It is the only importer of the SQLite library.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"strings"

	library "modernc.org/sqlite" // also registers the driver
)

// Open opens a file with pragmas, each as "name(value)".
func Open(path string, pragmas ...string) (*sql.DB, error) {
	query := make([]string, len(pragmas))
	for i, pragma := range pragmas {
		query[i] = "_pragma=" + pragma
	}
	return sql.Open("sqlite", "file:"+path+"?"+strings.Join(query, "&"))
}

// PrivateFile creates a file that only its owner can read, if it does not exist.
func PrivateFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("database file: %w", err)
	}
	return f.Close()
}

// Meaning says what callers can do about an error of the library.
type Meaning int

// The meanings.
const (
	// Other errors are defects of a statement or its data.
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

// MeaningOf classifies an error.
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

// shortRead is the code of a file that ends where a page should be.
const shortRead = 10 | 2<<8

// Command is a prepared statement without a result. It uses the driver directly, for
// one goroutine that owns its connection: the bookkeeping of database/sql costs as
// much as a small statement.
type Command struct {
	stmt driver.StmtExecContext
	args []driver.NamedValue
}

// Prepare prepares a statement on the driver's own connection.
func Prepare(ctx context.Context, conn *sql.Conn, query string) (*Command, error) {
	c := &Command{}
	err := conn.Raw(func(raw any) error {
		preparer, ok := raw.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("the driver's connection %T cannot prepare statements", raw)
		}
		stmt, err := preparer.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		if c.stmt, ok = stmt.(driver.StmtExecContext); !ok {
			return fmt.Errorf("the driver's statement %T cannot be executed", stmt)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	return c, nil
}

// background is the context of commands: a started command runs to its end.
var background = context.Background()

// Run runs the command and returns how many rows it changed; its arguments are
// int64, int, bool, float64, string or nil.
func (c *Command) Run(args ...any) (int64, error) {
	c.args = c.args[:0]
	for i, arg := range args {
		if n, ok := arg.(int); ok {
			arg = int64(n)
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	result, err := c.stmt.ExecContext(background, c.args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Close releases the statement.
func (c *Command) Close() error {
	if closer, ok := c.stmt.(driver.Stmt); ok {
		return closer.Close()
	}
	return nil
}

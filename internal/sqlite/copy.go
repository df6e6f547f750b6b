package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	library "modernc.org/sqlite"
)

// copiedAtOnce is how many pages are copied between two checks of the context.
const copiedAtOnce = 1000

// Copy copies a database, in its state at one moment, into an empty file. Other connections
// and processes may use the database meanwhile; neither side waits for the other. During
// the copy, the database's write-ahead log grows with each write. The copy is one file
// without a log.
func Copy(ctx context.Context, from, into string) (err error) {
	db, err := Open(from, "query_only(1)", "busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// The transaction fixes the moment of the copy while pages are copied in several steps.
	// It begins with the first read.
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // the transaction has only read
	var tables int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if err := conn.Raw(func(driverConn any) error { return copyPages(ctx, driverConn, into) }); err != nil {
		return err
	}
	return withoutLog(ctx, into)
}

func copyPages(ctx context.Context, driverConn any, into string) error {
	source, ok := driverConn.(interface {
		NewBackup(uri string) (*library.Backup, error)
	})
	if !ok {
		return fmt.Errorf("%T cannot be copied", driverConn)
	}
	pages, err := source.NewBackup(uri(into))
	if err != nil {
		return err
	}
	more := true
	for more && err == nil {
		if err = ctx.Err(); err == nil {
			more, err = pages.Step(copiedAtOnce)
		}
	}
	return errors.Join(err, pages.Finish())
}

// withoutLog changes a database so that it needs no file for a log. It can then be read in
// a directory that is not writable.
func withoutLog(ctx context.Context, path string) (err error) {
	db, err := Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = DELETE").Scan(&mode); err != nil {
		return err
	}
	if mode != "delete" {
		return fmt.Errorf("the journal mode of the copy is %s", mode)
	}
	return nil
}

// ErrDamaged means that a file is not a complete database.
var ErrDamaged = errors.New("the database is damaged")

// shownFaults is how many faults an error names.
const shownFaults = 5

// OpenCopy opens a copy for reading, after checking all its pages. No other program may use the copy. The
// error is [ErrDamaged] if the pages are not a complete database. The directory need not be writable.
func OpenCopy(ctx context.Context, path string) (_ *sql.DB, err error) {
	db, err := sql.Open("sqlite", uri(path)+"?mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err == nil {
			return
		}
		if MeaningOf(err) == Damaged {
			err = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		err = errors.Join(err, db.Close())
	}()
	rows, err := db.QueryContext(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", shownFaults))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var faults []string
	for rows.Next() {
		var fault string
		if err := rows.Scan(&fault); err != nil {
			return nil, err
		}
		faults = append(faults, fault)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(faults) != 1 || faults[0] != "ok" {
		return nil, fmt.Errorf("%w: %s", ErrDamaged, strings.Join(faults, "; "))
	}
	return db, nil
}

package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// A Command and a Query are statements that are prepared once. They use the driver
// directly, because the bookkeeping of database/sql costs as much as a small statement.
// Only one goroutine at a time may use one. Their arguments are int64, int, bool, float64,
// string or nil. Statements that run often should have bare question marks as parameters:
// for numbered ones, the driver compares names with every argument on each run.

// Command is a prepared statement without a result.
type Command struct {
	stmt driver.StmtExecContext
	args []driver.NamedValue
}

// Prepare prepares a command on the driver's own connection.
func Prepare(ctx context.Context, conn *sql.Conn, text string) (*Command, error) {
	stmt, err := prepared[driver.StmtExecContext](ctx, conn, text)
	return &Command{stmt: stmt}, err
}

// prepared prepares a statement on the driver's own connection, and returns it as an S, an
// interface of package driver. It returns an error if the driver's statements are not an S.
func prepared[S any](ctx context.Context, conn *sql.Conn, text string) (kind S, err error) {
	err = conn.Raw(func(raw any) error {
		preparer, ok := raw.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("the driver's connection %T cannot prepare statements", raw)
		}
		stmt, err := preparer.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		if kind, ok = stmt.(S); !ok {
			return errors.Join(fmt.Errorf("the driver's statement %T cannot be used directly", stmt), stmt.Close())
		}
		return nil
	})
	if err != nil {
		return kind, fmt.Errorf("%s: %w", text, err)
	}
	return kind, nil
}

// background is the context of statements, because a statement that has started runs to its
// end.
var background = context.Background()

// Run runs the command and returns how many rows it changed.
func (c *Command) Run(args ...any) (int64, error) {
	c.args = named(c.args, args)
	result, err := c.stmt.ExecContext(background, c.args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Close releases the statement.
func (c *Command) Close() error { return release(c.stmt) }

// Query is a prepared statement that returns rows.
type Query struct {
	stmt driver.StmtQueryContext
	args []driver.NamedValue
	row  []driver.Value
}

// PrepareQuery prepares a query on the driver's own connection.
func PrepareQuery(ctx context.Context, conn *sql.Conn, text string) (*Query, error) {
	stmt, err := prepared[driver.StmtQueryContext](ctx, conn, text)
	return &Query{stmt: stmt}, err
}

// Each runs the query and calls each with every row, until there are no more rows or each
// returns an error. Each cannot be interrupted, so it is for queries that take
// microseconds.
func (q *Query) Each(each func(Row) error, args ...any) error {
	q.args = named(q.args, args)
	rows, err := q.stmt.QueryContext(background, q.args)
	if err != nil {
		return err
	}
	if n := len(rows.Columns()); n != len(q.row) {
		q.row = make([]driver.Value, n)
	}
	err = rows.Next(q.row)
	for err == nil {
		if err = each(q.row); err != nil {
			break
		}
		err = rows.Next(q.row)
	}
	clear(q.row)       // the row may have large values, which must not stay in memory
	if err == io.EOF { //nolint:errorlint // the driver returns it unwrapped
		err = nil
	}
	if closed := rows.Close(); err == nil {
		err = closed
	}
	return err
}

// Close releases the statement.
func (q *Query) Close() error { return release(q.stmt) }

// Row is a row of a query. The slice is valid until the next row; its values belong to the
// caller.
type Row []driver.Value

// Int returns an integer column, 0 for null.
func (r Row) Int(column int) int64 {
	n, _ := r[column].(int64)
	return n
}

// Text returns a text column, "" for null.
func (r Row) Text(column int) string {
	text, _ := r[column].(string)
	return text
}

// Bytes returns a blob column, nil for null.
func (r Row) Bytes(column int) []byte {
	bytes, _ := r[column].([]byte)
	return bytes
}

// named converts arguments to the driver's form. It uses the memory of room again.
func named(room []driver.NamedValue, args []any) []driver.NamedValue {
	room = room[:0]
	for i, arg := range args {
		if n, ok := arg.(int); ok {
			arg = int64(n)
		}
		room = append(room, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	return room
}

// release closes a statement.
func release(stmt any) error {
	if closer, ok := stmt.(driver.Stmt); ok {
		return closer.Close()
	}
	return nil
}

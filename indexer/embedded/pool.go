package embedded

import (
	"context"
	"database/sql"
	"errors"
)

// pool holds the connections that read. Each keeps its own statements
// prepared, which database/sql cannot do for transactions without taking a
// second connection.
type pool struct {
	free chan *reader
	size int
}

// reader is a connection, used by one snapshot at a time.
type reader struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

// maxPrepared bounds the prepared statements of a connection: their texts depend on
// the shape of conditions, which is unlimited.
const maxPrepared = 200

func newPool(ctx context.Context, db *sql.DB, size int) (*pool, error) {
	p := &pool{free: make(chan *reader, size)}
	for range size {
		conn, err := db.Conn(ctx)
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.free <- &reader{conn: conn, prepared: map[string]*sql.Stmt{}}
		p.size++
	}
	return p, nil
}

// use runs fn in a read transaction.
func (p *pool) use(ctx context.Context, fn func(*reader) error) error {
	var r *reader
	select {
	case r = <-p.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { p.free <- r }()
	if _, err := r.conn.ExecContext(background, "BEGIN"); err != nil {
		return err
	}
	err := fn(r)
	_, end := r.conn.ExecContext(background, "COMMIT")
	return errors.Join(err, end)
}

// query runs a statement, which stays prepared for the next time.
func (r *reader) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, ok := r.prepared[query]
	if !ok {
		if len(r.prepared) >= maxPrepared {
			return r.conn.QueryContext(ctx, query, args...)
		}
		var err error
		if stmt, err = r.conn.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
		r.prepared[query] = stmt
	}
	return stmt.QueryContext(ctx, args...)
}

// close waits for the connections and closes them.
func (p *pool) close() error {
	var errs []error
	for range p.size {
		r := <-p.free
		for _, stmt := range r.prepared {
			errs = append(errs, stmt.Close())
		}
		errs = append(errs, r.conn.Close())
	}
	return errors.Join(errs...)
}

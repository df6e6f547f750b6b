package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// points are connections for reads of single rows, and of pages of the change log. Such a read
// takes microseconds for each row, and database/sql with its goroutines for cancellation takes
// longer than SQLite. So these connections use the driver directly: the wait for a connection
// can be cancelled, and the function that gets a row may fail.
type points struct {
	db *sql.DB
	// free has the connections that no caller uses, nil for one that is not open yet.
	free chan *point
}

// point is one connection with its prepared queries.
type point struct {
	conn    *sql.Conn
	queries map[string]*sqlite.Query
}

func newPoint(conn *sql.Conn) *point { return &point{conn: conn, queries: map[string]*sqlite.Query{}} }

// each runs a query and calls a function with each row. There are few texts of queries, and
// none is made of input.
func (p *point) each(text string, each func(sqlite.Row) error, args ...any) error {
	query := p.queries[text]
	if query == nil {
		var err error
		if query, err = sqlite.PrepareQuery(background, p.conn, text); err != nil {
			return err
		}
		p.queries[text] = query
	}
	return query.Each(each, args...)
}

// close closes the queries, but not the connection.
func (p *point) close() error {
	var errs []error
	for _, query := range p.queries {
		errs = append(errs, query.Close())
	}
	return errors.Join(errs...)
}

// The caches of all points together have pointsCache KiB, and each has at least leastCache: a
// read of pages that are not cached takes half as long again.
const (
	pointsCache = 40 << 10
	leastCache  = 2 << 10
)

// openPoints prepares up to a number of connections to a file, which together have a cache of
// kib KiB.
func openPoints(path string, connections, kib int) (*points, error) {
	cache := fmt.Sprintf("cache_size(-%d)", max(kib/connections, leastCache))
	db, err := sqlite.Open(path, append(slices.Clone(readerPragmas), cache)...)
	if err != nil {
		return nil, err
	}
	p := &points{db: db, free: make(chan *point, connections)}
	for range connections {
		p.free <- nil
	}
	return p, nil
}

// each runs a query on a free connection.
func (p *points) each(ctx context.Context, text string, each func(sqlite.Row) error, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var one *point
	select {
	case free, open := <-p.free:
		if !open {
			return graphstore.ErrClosed
		}
		one = free
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { p.free <- one }()
	if one == nil {
		conn, err := p.db.Conn(ctx)
		if err != nil {
			return err
		}
		one = newPoint(conn)
	}
	return one.each(text, each, args...)
}

// Close waits for the running reads, and closes the connections.
func (p *points) Close() error {
	var errs []error
	for range cap(p.free) {
		if one := <-p.free; one != nil {
			errs = append(errs, one.close(), one.conn.Close())
		}
	}
	close(p.free)
	return errors.Join(append(errs, p.db.Close())...)
}

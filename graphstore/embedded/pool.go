package embedded

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"sync"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// pool is a set of connections for reading that compiles each statement once: compiling took a
// third of a small read. There are few texts of statements, and none is made of input. They say
// LIMIT ?+0: SQLite plans with the value of a plain LIMIT ?, and so compiles the statement
// again whenever a value is bound.
type pool struct {
	*sql.DB
	mu         sync.RWMutex
	statements map[string]*sql.Stmt
}

// openPool opens a file for reading with up to a number of connections.
func openPool(path string, connections int) (*pool, error) {
	db, err := sqlite.Open(path, readerPragmas...)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return newPool(db), nil
}

func newPool(db *sql.DB) *pool { return &pool{DB: db, statements: map[string]*sql.Stmt{}} }

// statement returns a compiled statement. statement compiles outside of the lock, because
// compiling may wait for a connection whose holder waits for the lock.
func (p *pool) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	p.mu.RLock()
	s := p.statements[text]
	p.mu.RUnlock()
	if s != nil {
		return s, nil
	}
	s, err := p.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first := p.statements[text]; first != nil {
		return first, s.Close()
	}
	p.statements[text] = s
	return s, nil
}

// QueryContext runs a query.
func (p *pool) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	s, err := p.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// QueryRowContext runs a query for one row.
func (p *pool) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	s, err := p.statement(ctx, text)
	if err != nil {
		return p.DB.QueryRowContext(ctx, text, args...) // the query fails with the same error, which the row returns
	}
	return s.QueryRowContext(ctx, args...)
}

// lanes are the connections for reads, separated by kind of work, so that long reads do not
// take the connections of short reads.
type lanes struct {
	// readers are for short reads, points for reads of single rows.
	readers *pool
	points  *points
	// walks and lists are for reads that may take long.
	walks, lists heavy
	// log is for the change log, changes for pages of it with values, health for Ping.
	log     *pool
	changes *points
	health  *pool
	// interned is for names, which are read while another connection is in the middle of its rows.
	interned *points
}

// heavy is a pool whose callers wait in a lane.
type heavy struct {
	*pool
	lane *graphstore.Lane
}

// logReaders bounds the callers that read the change log at once.
const logReaders = 6

// nameReaders bounds the names that are read at once.
const nameReaders = 2

// defaultReaders returns one connection for each processor, at least 4.
func defaultReaders() int { return max(runtime.GOMAXPROCS(0), 4) }

// openLanes opens the connections. Reads of single rows have as many as other short reads;
// walks and listings have half as many each.
func openLanes(path string, readers int) (l lanes, err error) {
	half := max(readers/2, 1)
	for _, open := range []struct {
		into        **pool
		connections int
	}{{&l.readers, readers}, {&l.walks.pool, half}, {&l.lists.pool, half}, {&l.log, logReaders}, {&l.health, 1}} {
		if *open.into, err = openPool(path, open.connections); err != nil {
			return l, errors.Join(err, l.close())
		}
	}
	for _, open := range []struct {
		into        **points
		connections int
		cache       int
	}{{&l.points, readers, pointsCache}, {&l.changes, logReaders, logReaders * leastCache}, {&l.interned, nameReaders, nameReaders * leastCache}} {
		if *open.into, err = openPoints(path, open.connections, open.cache); err != nil {
			return l, errors.Join(err, l.close())
		}
	}
	l.walks.lane, l.lists.lane = graphstore.NewLane(half), graphstore.NewLane(half)
	return l, nil
}

func (l *lanes) close() error {
	var errs []error
	for _, p := range []*pool{l.readers, l.walks.pool, l.lists.pool, l.log, l.health} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	for _, p := range []*points{l.points, l.changes, l.interned} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}

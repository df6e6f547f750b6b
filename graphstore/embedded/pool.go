package embedded

import (
	"context"
	"database/sql"
	"sync"
)

// pool are connections for reading that compile each statement once: compiling
// took a third of a small read. The texts of the store's statements are few
// and never made of input.
type pool struct {
	*sql.DB
	mu         sync.RWMutex
	statements map[string]*sql.Stmt
}

func newPool(db *sql.DB) *pool { return &pool{DB: db, statements: map[string]*sql.Stmt{}} }

// statement returns a compiled statement. It is compiled outside of the lock,
// since that may wait for a connection that somebody who waits for the lock
// holds.
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
		return p.DB.QueryRowContext(ctx, text, args...) // it fails in the same way, through the row
	}
	return s.QueryRowContext(ctx, args...)
}

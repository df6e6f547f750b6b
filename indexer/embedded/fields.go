package embedded

import (
	"context"
	"database/sql"
	"sync"
)

// fields assigns numbers to the names of fields. A number is removed only if the
// transaction that assigned it is undone.
type fields struct {
	mu  sync.RWMutex
	ids map[string]int64
	// counted are the fields that tallies are kept for.
	counted map[int64]bool
}

func loadFields(ctx context.Context, db *sql.DB) (*fields, error) {
	f := &fields{ids: map[string]int64{}, counted: map[int64]bool{}}
	rows, err := db.QueryContext(ctx, "SELECT id, name, counted FROM field")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var name string
		var counted bool
		if err := rows.Scan(&id, &name, &counted); err != nil {
			return nil, err
		}
		f.ids[name] = id
		if counted {
			f.counted[id] = true
		}
	}
	return f, rows.Err()
}

// find returns a field's number, or 0 if no document has the field.
func (f *fields) find(name string) int64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.ids[name]
}

func (f *fields) size() int64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return int64(len(f.ids))
}

func (f *fields) add(name string, id int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids[name] = id
}

func (f *fields) forget(names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		delete(f.ids, name)
	}
}

func (f *fields) isCounted(id int64) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.counted[id]
}

func (f *fields) count(id int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counted[id] = true
}

func (f *fields) uncount(ids []int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		delete(f.counted, id)
	}
}

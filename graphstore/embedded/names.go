package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"github.com/headwater-io/headwater/graphstore"
)

// maxAspectNames bounds the ids of aspect names: an aspect's row is found by
// entity id * maxAspectNames + name id.
const maxAspectNames = 4096

// names maps interned texts to numbers and back. The process never assigns a number
// twice, so a number always means the same text, even if the transaction that
// created it was undone.
type names struct {
	mu     sync.RWMutex
	ids    map[string]int64
	texts  map[int64]string
	next   int64
	aspect int64
}

// firstOtherName is the first id of names that are not aspect names.
const firstOtherName = maxAspectNames

func loadNames(ctx context.Context, db *sql.DB) (*names, error) {
	n := &names{ids: map[string]int64{}, texts: map[int64]string{}, next: firstOtherName, aspect: 1}
	rows, err := db.QueryContext(ctx, "SELECT id, text FROM name")
	if err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var text string
		if err := rows.Scan(&id, &text); err != nil {
			return nil, err
		}
		n.ids[text], n.texts[id] = id, text
		if id >= firstOtherName {
			n.next = max(n.next, id+1)
		} else {
			n.aspect = max(n.aspect, id+1)
		}
	}
	return n, rows.Err()
}

// aspectPrefix distinguishes aspect names from equal texts with another use.
const aspectPrefix = "aspect:"

// find returns the number of a text, or 0 if it has none.
func (n *names) find(text string) int64 {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.ids[text]
}

func (n *names) text(id int64) string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.texts[id]
}

// add assigns a new number to a text.
func (n *names) add(text string, isAspect bool) (int64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id := n.next
	if isAspect {
		if n.aspect >= maxAspectNames {
			return 0, fmt.Errorf("the store can hold at most %d aspect names", maxAspectNames)
		}
		id = n.aspect
		n.aspect++
	} else {
		n.next++
	}
	n.ids[text], n.texts[id] = id, text
	return id, nil
}

// forget removes texts whose insertion was undone.
func (n *names) forget(texts []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range texts {
		delete(n.ids, text)
	}
}

// ofRange returns the numbers of the aspect and the run of a range, 0 for one that
// is not given. It returns false if one has no number, and so no values.
func (n *names) ofRange(r *graphstore.TimeSeriesRange) (aspect, run int64, ok bool) {
	if r.Aspect != "" {
		aspect = n.find(aspectPrefix + r.Aspect)
	}
	if r.RunID != "" {
		run = n.find(r.RunID)
	}
	return aspect, run, (r.Aspect == "" || aspect != 0) && (r.RunID == "" || run != 0)
}

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

// names maps interned texts to numbers and back. Numbers are given out by the
// process and never twice, so a number that was seen always means one text,
// even when the transaction that made it was undone.
type names struct {
	mu     sync.RWMutex
	ids    map[string]int64
	texts  map[int64]string
	next   int64
	aspect int64
}

// firstOtherName is where the ids of names begin that are no aspect names.
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

// aspectPrefix keeps aspect names apart from equal texts of other use.
const aspectPrefix = "aspect:"

// find returns the number of a text, 0 when it has none.
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

// add gives a text a new number.
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

// forget takes back texts whose insertion was undone.
func (n *names) forget(texts []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range texts {
		delete(n.ids, text)
	}
}

// ofRange returns the numbers of a range's aspect and run, 0 for one that is
// not asked for; false when one has no number and so no values.
func (n *names) ofRange(r *graphstore.TimeSeriesRange) (aspect, run int64, ok bool) {
	if r.Aspect != "" {
		aspect = n.find(aspectPrefix + r.Aspect)
	}
	if r.RunID != "" {
		run = n.find(r.RunID)
	}
	return aspect, run, (r.Aspect == "" || aspect != 0) && (r.RunID == "" || run != 0)
}

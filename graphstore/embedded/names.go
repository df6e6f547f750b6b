package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// maxAspectNames bounds the ids of aspect names. The id of an aspect's row is entity id *
// maxAspectNames + name id.
const maxAspectNames = 4096

// rememberedNames bounds the cached names, in bytes. Names are cached twice, by number and by
// text, each in two generations, so all take about 16 MiB. nameSize is the approximate memory
// of a name besides its text.
const (
	rememberedNames = 4 << 20
	nameSize        = 100
)

// names maps interned texts to numbers and back. The process never assigns a number twice, so a
// number always means the same text, even if the transaction that assigned it was undone.
//
// There are as many names as there were runs and actors. So names are read when they are
// needed, and only the names of aspects, which are few, are all in memory.
type names struct {
	// read reads committed names, on connections of its own, because a name may be needed while a
	// row of another query is read.
	read func(ctx context.Context, text string, each func(sqlite.Row) error, args ...any) error

	mu sync.RWMutex
	// added counts the names that were added. The absence of a name is cached only if no name was
	// added while it was looked for.
	added       int64
	aspects     map[string]int64
	aspectTexts map[int64]string
	// roomFor are the names of aspects that have room of their own, with their prefix. others
	// counts all other names of aspects.
	roomFor map[string]bool
	others  int
	// pendingIDs and pendingTexts are the names of the running group of updates, which are not
	// committed yet.
	pendingIDs       map[string]*name
	pendingTexts     map[int64]*name
	ids              *recent.Map[string, *name]
	texts            *recent.Map[int64, *name]
	next, nextAspect int64
}

// name is a cached name. Its id is 0 for a text that has no number.
type name struct {
	id   int64
	text string
}

func (n *name) size() int { return nameSize + len(n.text) }

// firstOtherName is the first id of names that are not aspect names.
const firstOtherName = maxAspectNames

// These statements read names.
const (
	readNameText = "SELECT text FROM name WHERE id = ?"
	readNameID   = "SELECT id FROM name WHERE text = ?"
)

// loadNames reads the names of aspects. Its time does not depend on the number of other names.
func loadNames(ctx context.Context, db *sql.DB, p *points, roomFor []string) (*names, error) {
	n := &names{
		read: p.each, roomFor: map[string]bool{}, aspects: map[string]int64{}, aspectTexts: map[int64]string{}, pendingIDs: map[string]*name{}, pendingTexts: map[int64]*name{},
		ids: recent.NewWeighed[string](rememberedNames, (*name).size), texts: recent.NewWeighed[int64](rememberedNames, (*name).size), nextAspect: 1,
	}
	for _, aspect := range roomFor {
		n.roomFor[aspectPrefix+aspect] = true
	}
	if err := db.QueryRowContext(ctx, "SELECT max(coalesce(max(id), 0) + 1, ?) FROM name", firstOtherName).Scan(&n.next); err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	rows, err := db.QueryContext(ctx, "SELECT id, text FROM name WHERE id < ?", firstOtherName)
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
		n.aspects[text], n.aspectTexts[id] = id, text
		if !n.roomFor[text] {
			n.others++
		}
		n.nextAspect = max(n.nextAspect, id+1)
	}
	return n, rows.Err()
}

// aspectPrefix distinguishes aspect names from equal texts with another use.
const aspectPrefix = "aspect:"

// aspectID returns the number of an aspect name, 0 if it has none.
func (n *names) aspectID(name string) int64 {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if id, ok := n.aspects[aspectPrefix+name]; ok {
		return id
	}
	if pending := n.pendingIDs[aspectPrefix+name]; pending != nil {
		return pending.id
	}
	return 0
}

// aspect returns the aspect name with a number.
func (n *names) aspect(id int64) string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	text, ok := n.aspectTexts[id]
	if pending := n.pendingTexts[id]; !ok && pending != nil {
		text = pending.text
	}
	return strings.TrimPrefix(text, aspectPrefix)
}

// inMemory returns a pending or cached name, nil if the name is neither. inMemory also returns
// the number of names that were added by then.
func inMemory[K comparable](n *names, pending map[K]*name, cache *recent.Map[K, *name], key K) (known *name, added int64) {
	n.mu.RLock()
	known, ok := pending[key]
	if !ok {
		known, ok = cache.Young(key)
	}
	n.mu.RUnlock()
	if ok {
		return known, 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	known, _ = cache.Get(key)
	return known, n.added
}

// find returns the number of a text, 0 if it has none.
func (n *names) find(text string) (int64, error) {
	known, added := inMemory(n, n.pendingIDs, n.ids, text)
	if known != nil {
		return known.id, nil
	}
	found := &name{text: text}
	err := n.read(background, readNameID, func(row sqlite.Row) error {
		found.id = row.Int(0)
		return nil
	}, text)
	if err != nil {
		return 0, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if found.id != 0 {
		n.remember(found)
	} else if added == n.added {
		n.ids.Put(text, found)
	}
	return found.id, nil
}

// numbered is a target for the number of a text.
type numbered struct {
	into *int64
	text string
}

// findAll finds the numbers of several texts.
func (n *names) findAll(wanted ...numbered) (err error) {
	for _, w := range wanted {
		if *w.into, err = n.find(w.text); err != nil {
			return err
		}
	}
	return nil
}

// text returns the text with a number, "" for 0.
func (n *names) text(id int64) (string, error) {
	if id == 0 {
		return "", nil
	}
	if known, _ := inMemory(n, n.pendingTexts, n.texts, id); known != nil {
		return known.text, nil
	}
	found := &name{}
	err := n.read(background, readNameText, func(row sqlite.Row) error {
		found.id, found.text = id, row.Text(0)
		return nil
	}, id)
	if err != nil {
		return "", err
	}
	if found.id != 0 {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.remember(found)
	}
	return found.text, nil
}

// named is a target for the text of a number.
type named struct {
	into *string
	id   int64
}

// fill fills in the texts of several numbers.
func (n *names) fill(wanted ...named) (err error) {
	for _, w := range wanted {
		if *w.into, err = n.text(w.id); err != nil {
			return err
		}
	}
	return nil
}

// remember caches a committed name. The caller must hold the lock.
func (n *names) remember(known *name) {
	n.ids.Put(known.text, known)
	n.texts.Put(known.id, known)
}

// add assigns a new number to a text. The name is pending until its transaction is committed.
func (n *names) add(text string, isAspect bool) (int64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id := n.next
	if isAspect {
		if n.nextAspect >= maxAspectNames {
			return 0, fmt.Errorf("the store can hold at most %d aspect names", maxAspectNames)
		}
		if !n.roomFor[text] {
			if len(n.roomFor) > 0 && n.others >= limits.MaxUnknownAspects {
				return 0, graphstore.ErrAspectsFull
			}
			n.others++
		}
		id = n.nextAspect
		n.nextAspect++
	} else {
		n.next++
	}
	n.added++
	n.ids.Forget(text) // removes the cached absence of the name
	pending := &name{id, text}
	n.pendingIDs[text], n.pendingTexts[id] = pending, pending
	return id, nil
}

// commit moves pending names, whose transaction was committed, to the cache.
func (n *names) commit(texts []string) {
	if len(texts) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range texts {
		pending := n.pendingIDs[text]
		n.drop(text)
		switch {
		case pending == nil:
		case pending.id < firstOtherName:
			n.aspects[text], n.aspectTexts[pending.id] = pending.id, text
		default:
			n.remember(pending)
		}
	}
}

// forget removes pending names whose transaction was undone.
func (n *names) forget(texts []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range texts {
		if pending := n.pendingIDs[text]; pending != nil && pending.id < firstOtherName && !n.roomFor[text] {
			n.others--
		}
		n.drop(text)
	}
}

func (n *names) drop(text string) {
	if pending := n.pendingIDs[text]; pending != nil {
		delete(n.pendingTexts, pending.id)
		delete(n.pendingIDs, text)
	}
}

// ofRange returns the numbers of the aspect and of the run that a range names, 0 for one that
// the range does not name. ofRange returns false if the range names an aspect or a run without
// a number; no value is then in the range.
func (n *names) ofRange(r *graphstore.TimeSeriesRange) (aspect, run int64, ok bool, err error) {
	if r.Aspect != "" {
		aspect = n.aspectID(r.Aspect)
	}
	if r.RunID != "" {
		run, err = n.find(r.RunID)
	}
	return aspect, run, (r.Aspect == "" || aspect != 0) && (r.RunID == "" || run != 0), err
}

package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
)

// core is the data of one index: the current view and its saved state. A write becomes a
// small segment in memory. One goroutine merges segments in memory into larger ones and at
// last into files; another merges the files.
type core struct {
	dir    string
	made   string // the layout of the files and the fingerprint of the documents
	memory int    // limit of the segments in memory, in bytes
	logger *slog.Logger
	// number is the number of the newest file.
	number *atomic.Int64

	current atomic.Pointer[view] // nil when closed
	// writing is held by the goroutine that writes a batch.
	writing sync.Mutex
	// mu is held for a short time by the goroutine that replaces the view.
	mu sync.Mutex
	// changed is closed and replaced whenever a merge has replaced the view.
	changed chan struct{}
	// saving is the error that prevents segments in memory from being merged and saved,
	// merging the error that prevents files from being merged. Each is nil after its next
	// success.
	saving, merging failure

	// disk is held by the goroutine that changes the saved state.
	disk  sync.Mutex
	saved saved
	// serving: the next start loads the saved state of this core. unsaved: the state must be
	// saved even if it has not changed.
	serving, unsaved bool

	wakeMemory, wakeFiles chan struct{}
	stopping              atomic.Bool
	stop                  chan struct{}
	tasks                 sync.WaitGroup
}

// saved is the state of the index that is in files. Its parts and its cursor are of the
// same moment.
type saved struct {
	cursor string
	parts  []part
}

// newCore makes a core whose first view is a saved state.
func newCore(o *Options, number *atomic.Int64, from saved, serving bool) *core {
	c := &core{
		dir: filepath.Join(o.Dir, directory), made: layout + " " + o.Fingerprint, memory: int(o.Memory), number: number, logger: o.Logger,
		saved: from, serving: serving, changed: make(chan struct{}),
	}
	c.current.Store(newView(from.parts, from.cursor))
	c.start()
	return c
}

// acquire returns the current view and holds it for the caller. It returns nil if the core
// is closed.
func (c *core) acquire() *view {
	for {
		v := c.current.Load()
		if v == nil || v.hold() {
			return v
		}
	}
}

// publish makes a view current. The caller holds mu.
func (c *core) publish(parts []part, cursor string) {
	former := c.current.Swap(newView(parts, cursor))
	former.release()
}

// write applies a batch.
func (c *core) write(ctx context.Context, batch indexer.Batch) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.room(ctx); err != nil {
		return err
	}
	v := c.acquire()
	if v == nil {
		return indexer.ErrClosed
	}
	defer v.release()
	fresh, replaced := v.fresh(batch.Put)
	var added *segment
	if len(fresh) > 0 {
		var err error
		if added, err = buildSegment(fresh); err != nil {
			return err
		}
	}
	for _, urn := range batch.Delete {
		if _, ok := v.find([]byte(urn)); ok {
			replaced = append(replaced, urn)
		}
	}
	if added == nil && len(replaced) == 0 && (batch.Cursor == "" || batch.Cursor == v.cursor) {
		return nil
	}
	c.apply(replaced, added, batch.Cursor)
	wake(c.wakeMemory)
	return nil
}

// apply publishes a view with the new segment, which may be nil, and with the replaced
// documents marked as gone.
func (c *core) apply(replaced []string, added *segment, cursor string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.current.Load()
	parts := now.without(replaced)
	if added != nil {
		parts = append(parts, part{segment: added})
	}
	c.publish(parts, cmp.Or(cursor, now.cursor))
}

// fresh returns the documents that differ from those in the view, and the URNs of the documents
// that the view has with another content.
func (v *view) fresh(docs []indexer.Document) (fresh []entry, replaced []string) {
	seen := make(map[string]bool, len(docs))
	var h hasher
	for i := range docs {
		e := entry{&docs[i], h.hashOf(&docs[i])}
		if seen[e.URN] { // the second document has the same effect as in a batch of its own
			continue
		}
		seen[e.URN] = true
		at, ok := v.find([]byte(e.URN))
		if ok && v.parts[at.input].hash(int(at.doc)) == e.hash {
			continue
		}
		if ok {
			replaced = append(replaced, e.URN)
		}
		fresh = append(fresh, e)
	}
	return fresh, replaced
}

// without returns the parts of the view with the documents of the URNs marked as gone. A
// part in memory whose documents are all gone is left out.
func (v *view) without(urns []string) []part {
	parts := make([]part, 0, len(v.parts)+1)
	gone := map[int]*roaring.Bitmap{}
	for _, urn := range urns {
		at, ok := v.find([]byte(urn))
		if !ok {
			continue
		}
		if gone[at.input] == nil {
			gone[at.input] = roaring.New()
			if former := v.parts[at.input].gone; former != nil {
				gone[at.input] = former.Clone()
			}
		}
		gone[at.input].Add(at.doc)
	}
	for i, p := range v.parts {
		if gone[i] != nil {
			p.gone = gone[i]
		}
		if p.mapped != nil || p.alive() > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// patience is how long a write waits for the segments in memory to be merged.
const patience = 30 * time.Second

// room waits until the segments in memory are small enough for another one.
func (c *core) room(ctx context.Context) error {
	wait := time.NewTimer(patience)
	defer wait.Stop()
	for {
		c.mu.Lock()
		v, changed, failure := c.current.Load(), c.changed, errors.Join(c.saving.get(), c.merging.get())
		c.mu.Unlock()
		switch {
		case v == nil:
			return indexer.ErrClosed
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(failure, indexer.ErrDamaged):
			return failure
		case v.memory() < 2*c.memory:
			return nil
		}
		wake(c.wakeMemory)
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-wait.C:
			return errors.Join(fmt.Errorf("%w: its memory is full", indexer.ErrUnwritable), failure)
		}
	}
}

// wake tells a goroutine that it has work.
func wake(goroutine chan struct{}) {
	select {
	case goroutine <- struct{}{}:
	default: // the goroutine has not yet begun the work of an earlier call
	}
}

func (c *core) cursor() (string, error) {
	v := c.current.Load()
	if v == nil {
		return "", indexer.ErrClosed
	}
	return v.cursor, nil
}

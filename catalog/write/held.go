package write

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/headwater-io/headwater/graphstore"
)

const (
	// heldAspects bounds the aspects that are remembered because they have more versions than the retention keeps. Of others,
	// the next write deletes the versions.
	heldAspects = 100_000
	// heldAtOnce bounds the aspects whose versions are deleted in one transaction.
	heldAtOnce = 200
)

// held has the aspects that have more versions than the retention keeps, with the types of their entities.
type held struct {
	mu    sync.Mutex
	types map[graphstore.AspectKey]string
}

func (h *held) add(key graphstore.AspectKey, entityType string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.types == nil {
		h.types = map[graphstore.AspectKey]string{}
	}
	if len(h.types) < heldAspects {
		h.types[key] = entityType
	}
}

// take returns the aspects, and forgets them.
func (h *held) take() map[graphstore.AspectKey]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	types := h.types
	h.types = nil
	return types
}

// deleteHeld deletes, aspect by aspect, the held versions beyond the retention. It stops when a follower needs held
// versions again, and remembers the aspects that it has not reached.
func (w *Writer) deleteHeld(ctx context.Context) {
	types := w.heldAspects.take()
	for keys := range slices.Chunk(slices.Collect(maps.Keys(types)), heldAtOnce) {
		err := ctx.Err()
		if err == nil && !w.held.Load() {
			err = w.deleteExpired(ctx, keys, types)
		}
		if err != nil || w.held.Load() {
			for _, key := range keys {
				w.heldAspects.add(key, types[key])
			}
		}
		if err != nil && ctx.Err() == nil {
			w.logger.WarnContext(ctx, "versions beyond the retention stay until they are held again", "error", err)
		}
	}
}

// deleteExpired deletes the versions of aspects beyond the retention.
func (w *Writer) deleteExpired(ctx context.Context, keys []graphstore.AspectKey, types map[graphstore.AspectKey]string) error {
	urns := make([]string, len(keys))
	for i, key := range keys {
		urns[i] = key.URN
	}
	return w.commit(ctx, sortedTexts(urns), func(tx graphstore.Tx) error {
		states, err := tx.Aspects(keys)
		if err != nil {
			return err
		}
		var batch graphstore.Batch
		for i, key := range keys {
			if states[i].Latest == nil {
				continue // the aspect was deleted meanwhile
			}
			if old, some := w.expired(types[key], key, states[i].Latest.Seq-1); some {
				batch.DeleteVersions = append(batch.DeleteVersions, old)
			}
		}
		return tx.Write(batch)
	})
}

package follower

import (
	"context"
	"errors"
	"log/slog"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
)

// These are the reasons to rebuild an index. The index is derived from the store, so a rebuild
// repairs every fault.
const (
	reasonAsked   = "a rebuild was requested"
	reasonNew     = "the search index is new, or was made by another release or model"
	reasonForeign = "the search index belongs to another graph store, or to a later state of this one"
	reasonLost    = "the graph store no longer has the last change in the search index: it was restored from an earlier copy"
	reasonFound   = "the search index was found damaged at the start and was set aside"
	reasonDamaged = "the search index is damaged"
)

// errNoPosition tells that the index does not contain its position.
var errNoPosition = errors.New("the search index has no position")

// remedyOf returns the reason to rebuild the index after an error, "" if a retry suffices.
func remedyOf(err error) string {
	switch {
	case errors.Is(err, indexer.ErrDamaged):
		return reasonDamaged
	case errors.Is(err, graphstore.ErrBadCursor):
		return reasonLost
	case errors.Is(err, errNoPosition):
		return reasonNew
	}
	return ""
}

// unfit returns the reason why the index cannot continue from its position, "" if it can.
func (f *Follower) unfit(ctx context.Context) (string, error) {
	if reason := f.broken(); reason != "" {
		return reason, nil
	}
	at, err := f.stored(ctx)
	if reason := remedyOf(err); reason != "" {
		return reason, nil
	}
	if err != nil {
		return "", err
	}
	known, err := f.store.LoadCursor(ctx, followerPrefix+at.index)
	if err != nil {
		return "", err
	}
	if known == "" {
		return reasonForeign, nil
	}
	if _, err := f.store.Lag(ctx, at.cursor); err != nil {
		return remedyOf(err), unlessRemedy(err)
	}
	f.setCursor(at.cursor)
	f.updateStatus(func(s *Status) { s.Refused = at.refused })
	f.repair(at.refused.urns()...) // another release of the engine may accept the refused documents
	return "", nil
}

func unlessRemedy(err error) error {
	if remedyOf(err) != "" {
		return nil
	}
	return err
}

// broken returns the reason why the index must be rebuilt, "" if it need not be.
func (f *Follower) broken() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status.Broken
}

// requireRebuild records that the index must be rebuilt, and wakes the follower to do so.
func (f *Follower) requireRebuild(reason string) {
	f.updateStatus(func(s *Status) {
		if s.Broken == "" {
			s.Broken = reason
		}
	})
	f.hurry()
}

// heal rebuilds an unfit index, unless another goroutine has already rebuilt it.
func (f *Follower) heal(ctx context.Context, reason string) error {
	f.requireRebuild(reason)
	f.stopFollowing()
	level := slog.LevelWarn
	if reason == reasonNew { // a new index is no fault
		level = slog.LevelInfo
	}
	f.logger.Log(ctx, level, "the search index is being rebuilt from the graph store", "reason", reason)
	f.rebuilding.Lock()
	defer f.rebuilding.Unlock()
	if f.broken() == "" {
		return nil
	}
	return f.rebuildNow(ctx, reason)
}

// Sighted receives every error of a search, because a search may be the first to find damage.
func (f *Follower) Sighted(err error) {
	if f != nil && errors.Is(err, indexer.ErrDamaged) && f.broken() == "" {
		f.requireRebuild(reasonDamaged)
	}
}

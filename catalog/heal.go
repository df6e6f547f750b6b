package catalog

import (
	"context"
	"errors"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
)

// Why an index is made anew. It is derived from the store: whatever is wrong
// with it, making it again is the remedy.
const (
	reasonAsked   = "it was asked for"
	reasonNew     = "the search index is new, or made by another release or model"
	reasonForeign = "the search index is of another graph store, or of a later state of this one"
	reasonLost    = "the graph store does not have the change any more up to which the search index goes: it was restored from an earlier copy"
	reasonFound   = "the search index was found damaged at the start and is set aside"
	reasonDamaged = "the search index is damaged"
)

// errNoPosition: the index does not say how far it is.
var errNoPosition = errors.New("the search index has no position")

// remedyOf says why the index must be made anew after an error, "" when trying
// again is enough.
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

// unfit says why the index cannot be followed on from where it is, "" when it
// can.
func (f *follower) unfit(ctx context.Context) (string, error) {
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
	f.updateStatus(func(s *IndexStatus) { s.Refused = at.refused })
	f.repair(at.refused.urns()...) // by another release they may be taken
	return "", nil
}

func unlessRemedy(err error) error {
	if remedyOf(err) != "" {
		return nil
	}
	return err
}

// broken says why the index must be made anew, "" when it need not.
func (f *follower) broken() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status.Broken
}

// requireRebuild notes that the index must be made anew. The follower sees to it.
func (f *follower) requireRebuild(reason string) {
	f.updateStatus(func(s *IndexStatus) {
		if s.Broken == "" {
			s.Broken = reason
		}
	})
	f.written.signal()
}

// heal makes an unfit index anew, unless somebody else has done so meanwhile.
func (f *follower) heal(ctx context.Context, reason string) error {
	f.requireRebuild(reason)
	f.following.Store(false)
	f.logger.WarnContext(ctx, "the search index is made anew from the graph store", "reason", reason)
	f.rebuilding.Lock()
	defer f.rebuilding.Unlock()
	if f.broken() == "" {
		return nil
	}
	return f.rebuildNow(ctx, reason)
}

// sighted is told of every failure of a search: damage may show there first.
func (f *follower) sighted(err error) {
	if f != nil && errors.Is(err, indexer.ErrDamaged) && f.broken() == "" {
		f.requireRebuild(reasonDamaged)
	}
}

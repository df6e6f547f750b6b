package catalog

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/graphstore"
)

// followerPrefix names the indexes that a store knows.
const followerPrefix = "search-index/"

// An index says every tendEvery that it is there; one that has not done so for
// forgetAfter is gone. Several servers, each with an index of its own, may share
// a store: the others' must not be forgotten while they are only down.
const (
	tendEvery   = 24 * time.Hour
	forgetAfter = 30 * 24 * time.Hour
)

// register makes a built index known to the store, lets it take the place of
// the one that serves, and has the store forget that.
func (f *follower) register(ctx context.Context, built *position, swap func(context.Context) error) error {
	former, err := f.stored(ctx)
	if err != nil { // one that cannot say which it is goes by its age
		former = position{}
	}
	if err := f.store.SaveCursor(ctx, followerPrefix+built.index, built.cursor); err != nil {
		return err
	}
	if err := swap(ctx); err != nil { // it may have taken the place all the same
		return err
	}
	if former.index == "" {
		return nil
	}
	if err := f.store.DropCursor(ctx, followerPrefix+former.index); err != nil {
		f.logger.WarnContext(ctx, "the store keeps the position of an index that is gone for some time more", "error", err)
	}
	return nil
}

// tend tells the store that the index is there, and has it forget those that
// are gone.
func (f *follower) tend(ctx context.Context) error {
	own, err := f.stored(ctx)
	if err != nil {
		return err
	}
	if err := f.store.SaveCursor(ctx, followerPrefix+own.index, own.cursor); err != nil {
		return err
	}
	known, err := f.store.Followers(ctx, followerPrefix)
	if err != nil {
		return err
	}
	for _, other := range known {
		if other.Name == followerPrefix+own.index {
			continue
		}
		if err := f.tendOther(ctx, other); err != nil {
			return err
		}
	}
	return nil
}

// tendOther forgets an index that has not been heard of for long. The time of
// those of earlier releases, which did not tell it, begins now.
func (f *follower) tendOther(ctx context.Context, other graphstore.Follower) error {
	if other.Saved == 0 {
		err := f.store.SaveCursor(ctx, other.Name, other.Cursor)
		if !errors.Is(err, graphstore.ErrBadCursor) { // nobody can go on from there
			return err
		}
	} else if f.now().Sub(time.UnixMilli(other.Saved)) < forgetAfter {
		return nil
	}
	return f.store.DropCursor(ctx, other.Name)
}

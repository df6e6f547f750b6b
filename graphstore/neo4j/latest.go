package neo4j

import (
	"context"
	"math"
	"slices"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// The database shows parts of a transaction while it commits, to whoever reads without locks: a version that gives its place
// to a new one may be read before the new one is there, so that the aspect seems to have no latest version, or has the former
// one with the number that it gets. So latest versions that look like that are read again.

const (
	// latestReads is the number of times that latest versions are read before those that were read last count.
	latestReads = 20
	// recentWrite is how long before a read the write of an entity began that may still be committing, in milliseconds.
	recentWrite = 60_000
)

// latestRead is what a statement tells of the latest versions of an entity.
type latestRead struct {
	urn     string
	aspects []graphstore.Aspect
	// gone names aspects with archived versions and without a latest one.
	gone []string
}

func latestRecord(r *driver.Record) (latestRead, error) {
	l := latestRead{urn: text(r, "urn")}
	list, _ := r.Get("aspects")
	items, _ := list.([]any)
	for _, item := range items {
		p, _ := item.(map[string]any)
		a, err := aspectOf(p)
		if err != nil {
			return l, err
		}
		l.aspects = append(l.aspects, a)
	}
	slices.SortFunc(l.aspects, func(a, b graphstore.Aspect) int { return strings.Compare(a.Name, b.Name) })
	list, _ = r.Get("gone")
	items, _ = list.([]any)
	for _, item := range items {
		name, _ := item.(string)
		l.gone = append(l.gone, name)
	}
	slices.Sort(l.gone)
	return l, nil
}

// whole reports whether the versions can all be latest ones.
func (l *latestRead) whole() bool {
	for i := range l.aspects {
		if !l.aspects[i].IsLatest() || i > 0 && l.aspects[i].Name == l.aspects[i-1].Name {
			return false
		}
	}
	return true
}

// settle makes the versions of the last reading latest ones: of two of one aspect, the newer one.
func (l *latestRead) settle() {
	kept := l.aspects[:0]
	for _, a := range l.aspects {
		a.Version = graphstore.LatestVersion
		if last := len(kept) - 1; last >= 0 && kept[last].Name == a.Name {
			if a.Seq > kept[last].Seq {
				kept[last] = a
			}
			continue
		}
		kept = append(kept, a)
	}
	l.aspects = kept
}

// settledLatest reads the latest versions of entities. It reads those of an entity again that cannot all be latest ones, and
// those of an entity of which an aspect is gone until it is gone in two readings.
func settledLatest(urns []string, read func(urns []string) ([]latestRead, error)) (map[string][]graphstore.Aspect, error) {
	found := make(map[string][]graphstore.Aspect, len(urns))
	gone := map[string][]string{}
	for reads := 1; len(urns) > 0; reads++ {
		list, err := read(urns)
		if err != nil {
			return nil, err
		}
		urns = nil
		for i := range list {
			l := &list[i]
			if reads < latestReads && (!l.whole() || len(l.gone) > 0 && !slices.Equal(l.gone, gone[l.urn])) {
				gone[l.urn] = l.gone
				urns = append(urns, l.urn)
				continue
			}
			if l.settle(); len(l.aspects) > 0 {
				found[l.urn] = l.aspects
			}
		}
	}
	return found, nil
}

// recent is the mark of entities whose last write may still be committing.
func (s *Store) recent() int64 { return s.clock.Peek() - recentWrite }

// LatestAspects returns the latest versions of aspects of several entities.
func (s *Store) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	name, params := "read/latest_all", map[string]any{"recent": s.recent()}
	if len(names) > 0 {
		name, params["names"] = "read/latest_named", slices.Compact(slices.Sorted(slices.Values(names))) // a name that is asked twice is no torn read
	}
	return settledLatest(urns, func(urns []string) ([]latestRead, error) {
		params["urns"] = urns
		return rows(ctx, s, name, params, latestRecord)
	})
}

// latestIn reads the latest versions of all aspects of entities in a transaction, or for a group of updates, which has no
// locks yet.
func latestIn(r runner, urns []string, recent int64) (map[string][]graphstore.Aspect, error) {
	return settledLatest(urns, func(urns []string) ([]latestRead, error) {
		return records(r, "read/latest_all", map[string]any{"urns": urns, "recent": recent}, latestRecord)
	})
}

// locked is the mark of entities for a transaction that has locks: nobody else writes them.
const locked = math.MaxInt64

// versionReads is the number of times that a page of versions is read before the last reading counts.
const versionReads = 5

// AspectVersions returns the versions of an aspect, newest first. A version that is being archived may be read twice, and an
// aspect may seem to have no latest version, while a new one is committed: then the page is read again.
func (s *Store) AspectVersions(ctx context.Context, key graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error) {
	var found []graphstore.Aspect
	newest := int64(-1)
	for range versionReads {
		var err error
		found, err = rowsUpTo(ctx, s, "read/versions", map[string]any{
			"urn": key.URN, "name": key.Name, "start": max(page.Start, 0), "count": max(page.Count, 0),
		}, page.Bytes, aspectRecord, func(a *graphstore.Aspect) int { return len(a.Value) })
		if err != nil {
			return nil, err
		}
		whole := len(found) == 0 || page.Start > 0 || found[0].IsLatest() || found[0].Seq == newest
		for i := range found {
			whole = whole && (i == 0 || !found[i].IsLatest() && found[i].Seq != found[i-1].Seq)
		}
		if whole {
			break
		}
		newest = found[0].Seq
	}
	return slices.CompactFunc(found, func(a, b graphstore.Aspect) bool { return a.Seq == b.Seq }), nil
}

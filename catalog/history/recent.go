package history

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// RecentChange is what somebody, or a run, did to one entity at a time, or to many of a
// type.
type RecentChange struct {
	// URN is the entity that was changed last of those of the change.
	URN, EntityType string
	// Time is the newest of the change, epoch milliseconds, Actor who made it. Run is
	// empty for writes that name none.
	Time       int64
	Actor, Run string
	Kind       graphstore.ChangeKind
	// Aspects are those that changed, in order.
	Aspects []string
	// Entities counts the entities, as far as the log was read.
	Entities int
}

// These decide what is one change: what a run writes about a type, as long as there is no
// longer pause, and what an actor writes without a run about a type at one moment, such
// as an edit of several entities or a rollback.
const (
	pauseOfRun = 10 * time.Minute
	sameMoment = time.Second
)

// Recent returns the newest changes of the catalog, the newest first, of some entity
// types or, if there are none, of all, without what every catalog has from its start. It
// looks at limits.MaxRecentRecords records of the change log.
func (s *Service) Recent(ctx context.Context, types []string, count int) ([]RecentChange, error) {
	if count < 0 || count > limits.MaxRecentCount {
		return nil, catalog.Errorf(catalog.Invalid, "from 0 to %d changes are listed", limits.MaxRecentCount)
	}
	if err := catalog.CheckLists("entity types", types); err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, name := range types {
		e, ok := s.registry.Entity(name)
		if !ok {
			return nil, catalog.Errorf(catalog.Invalid, "unknown entity type %s", name)
		}
		wanted[e.Name] = true
	}
	records, err := s.newest.read(ctx, s.store)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	groups := recentGroups{registry: s.registry, last: map[groupKey]*recentGroup{}}
	for i, c := range records {
		if i == limits.MaxRecentRecords {
			break
		}
		if wanted[c.EntityType] || len(wanted) == 0 && runOfChange(c) != catalog.PlatformsRun {
			groups.add(c)
		}
	}
	return groups.newest(count), nil
}

// groupKey is what the records of one change have in common.
type groupKey struct {
	run, entityType, actor string
	kind                   graphstore.ChangeKind
}

// recentGroup is a change being collected.
type recentGroup struct {
	RecentChange
	// oldest is the time of its oldest record, entities are its entities.
	oldest   int64
	entities map[string]bool
}

type recentGroups struct {
	registry *model.Registry
	all      []*recentGroup
	last     map[groupKey]*recentGroup
}

// add adds a record, which is older than those before it.
func (g *recentGroups) add(c *graphstore.Change) {
	deleted, ok := g.tells(c)
	if !ok {
		return
	}
	key := groupKey{entityType: c.EntityType, actor: c.Actor, kind: c.Kind, run: runOfChange(c)}
	pause := pauseOfRun
	if key.run == "" {
		pause = sameMoment
	}
	group := g.last[key]
	if group == nil || group.oldest-c.Time > pause.Milliseconds() {
		group = &recentGroup{
			RecentChange: RecentChange{URN: c.URN, EntityType: c.EntityType, Time: c.Time, Actor: c.Actor, Run: key.run, Kind: c.Kind, Aspects: []string{}},
			entities:     map[string]bool{},
		}
		g.last[key], g.all = group, append(g.all, group)
	}
	group.oldest = min(c.Time, cmp.Or(group.oldest, c.Time))
	group.entities[c.URN] = true
	if !deleted && !slices.Contains(group.Aspects, c.Aspect) {
		group.Aspects = append(group.Aspects, c.Aspect)
	}
}

// tells reports whether a record makes a change that people look for, and whether it is
// the deletion of an entity. Keys, browse paths and what was only restated do not.
func (g *recentGroups) tells(c *graphstore.Change) (deleted, ok bool) {
	aspect, known := g.registry.Aspect(c.Aspect)
	switch {
	case c.Kind == graphstore.ChangeRestate, c.Kind == graphstore.ChangeNote:
		return false, false
	case known && aspect.IsKey:
		return true, c.Kind == graphstore.ChangeDelete
	}
	return false, c.Aspect != model.AspectBrowsePaths && c.Aspect != model.AspectBrowsePathsV2
}

// runOfChange returns the run that made a change, "" if it belongs to none. What a rollback
// restored still has the run of its own time, and a smaller number than what it
// replaced.
func runOfChange(c *graphstore.Change) string {
	if c.System == nil || c.System.RunID == catalog.NoRunID || c.Seq != 0 && c.Seq < c.PreviousSeq {
		return ""
	}
	return c.System.RunID
}

// newest returns the changes.
func (g *recentGroups) newest(count int) []RecentChange {
	changes := make([]RecentChange, 0, count)
	for _, group := range g.all[:min(count, len(g.all))] {
		slices.Sort(group.Aspects)
		group.Entities = len(group.entities)
		changes = append(changes, group.RecentChange)
	}
	return changes
}

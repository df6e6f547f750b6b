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

// RecentChange is a change that a run or an actor made, to one entity or to several of one
// type.
type RecentChange struct {
	// URN is the entity that was changed last.
	URN, EntityType string
	// Time is the newest time of the change, epoch milliseconds. Actor made the change. Run is ""
	// for writes that name no run.
	Time       int64
	Actor, Run string
	Kind       graphstore.ChangeKind
	// Aspects lists the aspects that changed, in alphabetical order.
	Aspects []string
	// Entities counts the changed entities, within the part of the log that was read.
	Entities int
}

// Records of the change log are grouped to changes. Records of the same run, type, actor and
// kind form one change as long as there is no pause longer than pauseOfRun. Without a run, as
// for an edit of several entities or a rollback, they form one change if the pause is at most
// sameMoment. recordsRead is the number of records that are read at once.
const (
	pauseOfRun = 10 * time.Minute
	sameMoment = time.Second
)

// Recent returns the newest changes of the catalog, the newest first. If types lists entity
// types, Recent returns only the changes of entities of these types. Recent leaves out entities
// that every catalog has from its start. Recent reads up to limits.MaxRecentRecords records of
// the change log.
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
	for c := range records {
		if wanted[c.EntityType] || len(wanted) == 0 && runOfChange(c) != catalog.PlatformsRun {
			groups.add(c)
		}
	}
	return groups.newest(count), nil
}

// groupKey has the properties that all records of one change share.
type groupKey struct {
	run, entityType, actor string
	kind                   graphstore.ChangeKind
}

// recentGroup is a change whose records are being collected.
type recentGroup struct {
	RecentChange
	// oldest is the time of the oldest record so far, entities is the set of changed entities.
	oldest   int64
	entities map[string]bool
}

type recentGroups struct {
	registry *model.Registry
	all      []*recentGroup
	last     map[groupKey]*recentGroup
}

// add adds a record, which must be older than the records added before.
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

// tells reports whether a record belongs to a change that interests people, and whether it
// deletes an entity. Keys, browse paths and restated values do not interest people.
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

// runOfChange returns the run that made a change, "" if there is none. A value that a rollback
// restored still has its former run; it is recognised because its Seq is smaller than the Seq
// of the value which it replaced.
func runOfChange(c *graphstore.Change) string {
	if c.System == nil || c.System.RunID == catalog.NoRunID || c.Seq != 0 && c.Seq < c.PreviousSeq {
		return ""
	}
	return c.System.RunID
}

// newest returns up to count changes, the newest first.
func (g *recentGroups) newest(count int) []RecentChange {
	changes := make([]RecentChange, 0, count)
	for _, group := range g.all[:min(count, len(g.all))] {
		slices.Sort(group.Aspects)
		group.Entities = len(group.entities)
		changes = append(changes, group.RecentChange)
	}
	return changes
}

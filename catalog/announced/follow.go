package announced

import (
	"context"
	"fmt"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// pageSize is how many changes of the log are compared at once.
const pageSize = 200

// Run compares changes of the log with the announced changes until the context ends.
func (s *Service) Run(ctx context.Context) error {
	return s.Followers.Run(ctx, delivery.Worker{Name: Follower, Start: delivery.Now, Page: pageSize, Wants: s.wants, Deliver: s.deliver})
}

// Forget ends the following of the change log, so that the log need not be kept for it.
func (s *Service) Forget(ctx context.Context) error { return s.Followers.Forget(ctx, Follower) }

// matters reports, without reading values, whether somebody may have announced a change. A first schema, and the first
// lineage, take nothing away.
func matters(h *catalog.ChangeHead) bool {
	if h.EntityType != model.EntityDataset || h.Kind == catalog.ChangeRestate {
		return false
	}
	switch h.Aspect {
	case model.AspectSchemaMetadata, model.AspectUpstreamLineage:
		return !h.First
	case model.AspectStatus:
		return true
	case model.AspectDatasetKey:
		return h.Kind == catalog.ChangeDelete
	}
	return false
}

// wants reports whether any of the changes matters. In a catalog to which nobody has announced anything, none does.
func (s *Service) wants(ctx context.Context, heads []catalog.ChangeHead) (bool, error) {
	for i := range heads {
		if matters(&heads[i]) {
			_, total, err := s.Store.ListEntities(ctx, model.EntityAnnouncedChange, graphstore.Page{Count: 1})
			return total > 0, catalog.StoreFailure(err)
		}
	}
	return false, nil
}

// deliver compares changes with the announced ones. It may be called again with the same changes.
func (s *Service) deliver(ctx context.Context, changes []catalog.Change) error {
	ctx = write.OwnWork(ctx)
	deleted := map[deletion]bool{}
	for i := range changes {
		if c := &changes[i]; c.Aspect == model.AspectDatasetKey && c.Kind == catalog.ChangeDelete {
			deleted[deletion{c.URN, c.Time}] = true
		}
	}
	for i := range changes {
		c := &changes[i]
		if c.EntityType != model.EntityDataset || c.Kind == catalog.ChangeRestate || c.Aspect != model.AspectDatasetKey && deleted[deletion{c.URN, c.Time}] {
			continue // the deletion of a dataset tells of its columns too
		}
		switch err := s.compare(ctx, c); {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case catalog.CodeOf(err).Transient():
			return err
		default:
			s.Logger.WarnContext(ctx, "a change could not be compared with the announced ones", "urn", c.URN, "aspect", c.Aspect, "reason", err)
		}
	}
	return nil
}

// deletion identifies the end of a dataset.
type deletion struct {
	urn  string
	time int64
}

// compare compares one change of the log with the announced ones.
func (s *Service) compare(ctx context.Context, c *catalog.Change) error {
	switch c.Aspect {
	case model.AspectSchemaMetadata, model.AspectUpstreamLineage, model.AspectStatus, model.AspectDatasetKey:
	default:
		return nil
	}
	events, err := s.Events.Of(ctx, c)
	if err != nil {
		return err
	}
	shown := seenIn(c, events)
	if len(shown) == 0 {
		return nil
	}
	arrival := Arrival{Dataset: c.URN, Time: c.Time, Actor: c.Actor, Change: changeevents.IdentityOf(c)}
	if c.System != nil {
		arrival.RunID = c.System.RunID
	}
	urns, err := s.about(ctx, s.Store, c.URN)
	if err != nil {
		return err
	}
	stored, err := s.stored(ctx, s.Store, urns)
	if err != nil {
		return err
	}
	announced := make([]bool, len(shown))
	for _, urn := range urns {
		info := stored[urn]
		if info == nil || info.State == StateUnannounced {
			continue
		}
		known, added := info.match(arrival, shown)
		for i := range known {
			announced[i] = announced[i] || known[i]
		}
		if !added {
			continue
		}
		err := s.edit(ctx, model.StoredURN(urn), "", catalog.WriteOptions{}, func(latest *Info, _ catalog.AuditStamp) error {
			latest.match(arrival, shown)
			return nil
		})
		if err != nil && catalog.CodeOf(err) != catalog.NotFound { // somebody may have deleted it meanwhile
			return err
		}
	}
	return s.record(ctx, arrival, shown, announced)
}

// unannouncedID begins the id of a change that nobody announced. Sorted by their URNs, these changes are before the announced
// ones, and the oldest is the first.
const unannouncedID = "0-"

// record stores losses that break readers and that nobody announced. It first stores the losses, and then their arrival: the
// feeds tell nothing of the first value of an entity, because an import has first values too.
func (s *Service) record(ctx context.Context, arrival Arrival, shown []seen, announced []bool) error {
	info := &Info{State: StateUnannounced, Created: catalog.AuditStamp{Time: arrival.Time, Actor: arrival.Actor}}
	lost := 0
	var arrivals []Arrival
	for i := range shown {
		one := &shown[i]
		if announced[i] || !one.breaks {
			continue
		}
		if lost++; len(info.Changes) == limits.AnnouncedMembers {
			continue
		}
		info.Changes = append(info.Changes, Member{
			Kind: one.kind, Datasets: []string{arrival.Dataset}, Column: one.column, NewName: one.newName, NewType: one.newType, Sure: 1,
		})
		arrivals = append(arrivals, arrival.of(one))
	}
	if lost == 0 {
		return nil
	}
	info.Title = arrivals[0].Description
	if lost > 1 {
		info.Title += fmt.Sprintf(" (and %d more)", lost-1)
	}
	u, err := s.urnOf(fmt.Sprintf("%s%013d-%s", unannouncedID, arrival.Time, arrival.Change), arrival.Dataset)
	if err != nil {
		return err
	}
	if err := s.makeRoom(ctx, catalog.WriteOptions{}); err != nil {
		return err
	}
	value, err := info.tree()
	if err != nil {
		return err
	}
	err = s.Writer.Create(ctx, u, map[string]catalog.Tree{model.AspectAnnouncedChangeInfo: value}, catalog.WriteOptions{})
	if err != nil && catalog.CodeOf(err) != catalog.Conflict { // the change was stored before the server was stopped
		return err
	}
	return s.edit(ctx, u, "", catalog.WriteOptions{}, func(latest *Info, _ catalog.AuditStamp) error {
		for i := range latest.Changes {
			if i < len(arrivals) {
				latest.Changes[i].Arrivals = []Arrival{arrivals[i]}
			}
		}
		return nil
	})
}

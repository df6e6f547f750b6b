package feed

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// noteOutputs records the entities that a deleted entity stated to be downstream of itself,
// such as the outputs of a job, because the graph no longer has these edges.
func (p *page) noteOutputs(c *catalog.Change) {
	at := deletion{c.URN, c.Time}
	if c.Kind != catalog.ChangeDelete || !p.deleted[at] || len(c.Previous) == 0 {
		return
	}
	value, err := p.s.registry.ParseStored(c.Aspect, c.Previous)
	if err != nil {
		return // the value states no lineage that can be read
	}
	for _, e := range p.s.registry.Edges(model.StoredURN(c.URN), value) {
		is, upstream := p.s.registry.IsLineage(e.Relationship, e.SourceType, e.DestinationType)
		if is && !upstream && e.Source == c.URN && len(p.outputs[at]) < limits.MaxFeedColumns && !slices.Contains(p.outputs[at], e.Destination) {
			p.outputs[at] = append(p.outputs[at], e.Destination)
		}
	}
}

// ofOutputs adds the owners and subscribers of the outputs of a deleted entity, and of the
// entities behind the outputs.
func (p *page) ofOutputs(ctx context.Context, a *audience) error {
	for _, output := range a.news.outputs {
		one := Affected{URN: output, Effect: lineage.EffectCertain, Degree: 1, Path: []string{a.news.about, output}}
		a.tell(p.owners[output], one, (*changeevents.Event).Breaks)
		p.tellSubscribers(a, one)
		behind := lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: model.StoredURN(output), Direction: lineage.Downstream, Reach: limits.MaxFeedReach, AsOf: a.news.change.Time - 1}}
		if err := p.affected(ctx, a, behind, a.news.about); err != nil {
			return err
		}
	}
	return nil
}

// tellSubscribers tells the subscribers of an entity of a change upstream, unless they want
// only direct changes.
func (p *page) tellSubscribers(a *audience, one Affected) {
	for _, follower := range p.subscribers[one.URN] {
		if !follower.Direct {
			a.subscriber(&follower, one, func(e *changeevents.Event) bool { return e.Breaks() && follower.wants(e) })
		}
	}
}

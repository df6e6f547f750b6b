package object

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// LineageGraph is the graph around an entity or a column.
func (s *Session) LineageGraph(ctx context.Context, input LineageGraphInput) (*LineageGraph, error) {
	urn, err := s.URN(input.Urn)
	if err != nil {
		return nil, err
	}
	found, err := s.Catalog.Lineage.Graph(ctx, lineage.GraphRequest{
		URN: urn, Direction: string(optional.Or(input.Direction, "")), Hops: optional.Or(input.Hops, 1), Limit: optional.Or(input.Limit, limits.DefaultGraphNodes),
		Columns: optional.Or(input.Columns, false), AsOf: optional.Or(input.AsOf, 0), With: detailsOf(ctx, "nodes"), Basis: selects(ctx, "basis"), Fading: selects(ctx, "edges", "fading"),
	})
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	p := s.newLineageParts()
	p.refs.asOf = optional.Or(input.AsOf, 0)
	graph := &LineageGraph{Total: found.Total, Partial: found.Partial, Reason: given(found.Reason), Note: given(found.Note)}
	if graph.Nodes, err = p.nodes(found.Nodes); err != nil {
		return nil, err
	}
	if graph.Edges, err = p.links(found.Edges); err != nil {
		return nil, err
	}
	if graph.Basis, err = s.basis(p.refs, found.Basis); err != nil {
		return nil, err
	}
	return graph, p.refs.Read(ctx)
}

// detailsOf returns the details that the query selects of a list of nodes.
func detailsOf(ctx context.Context, list string) lineage.Details {
	some := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return selects(ctx, list, name) })
	}
	return lineage.Details{
		Labels: some("owners", "tags", "terms", "domain"), SubTypes: some("subType"), Columns: some("columns"), Neighbours: some("upstreams", "downstreams"),
	}
}

// lineageParts makes the nodes and edges of an answer. The entities that all of them name are
// read together.
type lineageParts struct {
	refs  *Refs
	below *Batch
}

func (s *Session) newLineageParts() *lineageParts { return &lineageParts{s.NewRefs(), s.NewBatch()} }

func (p *lineageParts) nodes(found []lineage.Node) ([]*LineageNode, error) {
	if err := p.refs.session.take(len(found)); err != nil {
		return nil, err
	}
	nodes := make([]*LineageNode, len(found))
	for i := range found {
		var err error
		if nodes[i], err = p.node(&found[i]); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

func (p *lineageParts) node(n *lineage.Node) (node *LineageNode, err error) {
	node = &LineageNode{
		Urn: n.URN, Type: n.Type, EntityType: p.refs.session.typeOf(n.Type), SubType: given(n.SubType), Name: n.Name, Platform: given(n.Platform),
		PlatformName: given(n.PlatformName), Parent: p.refs.Of(n.Entity.Entity), Degree: n.Degree, DegreeBefore: n.DegreeBefore, Exists: n.Exists, Removed: n.Removed,
		Deprecated: n.Deprecated, Domain: p.refs.Of(n.Domain), Upstreams: n.Upstreams, Downstreams: n.Downstreams, Columns: n.Columns,
		AsOfToday: listed(n.AsOfToday),
	}
	if node.Owners, err = p.refs.Many(n.Owners); err != nil {
		return nil, err
	}
	if node.Tags, err = p.refs.Many(n.Tags); err != nil {
		return nil, err
	}
	node.Terms, err = p.refs.Many(n.Terms)
	return node, err
}

func (p *lineageParts) links(found []lineage.Link) ([]*LineageLink, error) {
	if err := p.refs.session.take(len(found)); err != nil {
		return nil, err
	}
	links := make([]*LineageLink, len(found))
	for i := range found {
		links[i] = p.link(&found[i])
	}
	return links, nil
}

func (p *lineageParts) link(e *lineage.Link) *LineageLink {
	link := &LineageLink{
		Upstream: e.Upstream, Downstream: e.Downstream, Type: e.Type, Manual: e.Manual, TransformOperation: given(e.TransformOperation),
		Confidence: e.ConfidenceScore, Query: given(e.Query), StatedBy: e.StatedBy, Since: e.Since, SinceRun: runOf(e.SinceRun), SinceActor: p.refs.Of(e.SinceActor),
		UntilRun: runOf(e.UntilRun), UntilActor: p.refs.Of(e.UntilActor),
	}
	if e.Until != 0 {
		link.Until = &e.Until
	}
	if f := e.Fading; f != nil {
		link.Fading = &LineageFading{LastSeen: f.LastSeen, LastSeenRun: given(f.LastSeenRun), Runs: f.Runs}
	}
	if e.Provenance != nil {
		link.Provenance = provenanceOf(e.Provenance, p.below)
	}
	return link
}

// typeOf returns the name in the schema of a type of the model.
func (s *Session) typeOf(name string) EntityType {
	if k, ok := kindOf(s.Catalog.Registry(), name); ok {
		return k.entityType
	}
	return EntityTypeOther
}

// LineageDiff returns the difference of lineage between two moments.
func (s *Session) LineageDiff(ctx context.Context, input LineageDiffInput) (*LineageDifference, error) {
	urn, err := s.URN(input.Urn)
	if err != nil {
		return nil, err
	}
	request := lineage.DiffRequest{
		Walk:   lineage.WalkQuery{URN: urn, Direction: string(input.Direction), MaxHops: optional.Or(input.Hops, 0), Columns: optional.Or(input.Columns, false)},
		Before: input.Before, After: optional.Or(input.After, 0),
	}
	found, err := s.Catalog.Lineage.DiffNodes(ctx, request, lineage.DiffDetails{
		Added: detailsOf(ctx, "added"), Ended: detailsOf(ctx, "ended"), Moved: detailsOf(ctx, "moved"),
	})
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	p := s.newLineageParts()
	diff := &LineageDifference{Partial: found.Diff.Partial, Reason: given(found.Diff.Reason), Note: given(found.Diff.Note)}
	for _, list := range []struct {
		to    *[]*LineageNode
		nodes []lineage.Node
	}{{&diff.Added, found.Added}, {&diff.Ended, found.Ended}, {&diff.Moved, found.Moved}} {
		if *list.to, err = p.nodes(list.nodes); err != nil {
			return nil, err
		}
	}
	if diff.EdgesAdded, err = p.links(found.Diff.EdgesAdded); err != nil {
		return nil, err
	}
	if diff.EdgesEnded, err = p.links(found.Diff.EdgesEnded); err != nil {
		return nil, err
	}
	return diff, p.refs.Read(ctx)
}

// LineageChanges returns the changes of lineage at an entity and around it.
func (s *Session) LineageChanges(ctx context.Context, input LineageChangesInput) (*LineageChanges, error) {
	urn, err := s.URN(input.Urn)
	if err != nil {
		return nil, err
	}
	found, err := s.Catalog.Lineage.Changes(ctx, lineage.ChangesRequest{
		URN: urn, Direction: string(optional.Or(input.Direction, "")), Hops: optional.Or(input.Hops, 0), From: optional.Or(input.From, 0), To: optional.Or(input.To, 0),
		Categories: input.Categories, Start: optional.Or(input.Start, 0), Count: optional.Or(input.Count, limits.DefaultLineageChanges),
	})
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	refs := s.NewRefs()
	page := &LineageChanges{Start: found.Start, Count: len(found.Changes), Total: found.Total, Partial: found.Partial, Reason: given(found.Reason)}
	page.Changes, err = refs.changes(found.Changes)
	if err != nil {
		return nil, err
	}
	return page, refs.Read(ctx)
}

// changes counts changes as items of the answer, with their descriptions, and adds the entities
// that they name.
func (r *Refs) changes(found []lineage.Change) ([]*EntityChange, error) {
	bytes := 0
	for i := range found {
		bytes += len(found[i].Description)
	}
	if err := r.session.take(len(found) + bytes/bytesOfField); err != nil {
		return nil, err
	}
	changes := make([]*EntityChange, len(found))
	for i := range found {
		c := &found[i]
		changes[i] = &EntityChange{
			Entity: r.Of(c.Entity), Degree: c.Degree, Time: c.Time, Actor: r.Of(c.Actor), Run: given(c.Run), Category: c.Category,
			Operation: ChangeOperationType(c.Operation), Part: r.Of(c.Part), Upstream: r.Of(c.Upstream), Description: c.Description, Weight: c.Weight,
		}
	}
	return changes, nil
}

// changesOfColumns are the changes of a column by their names in the schema.
var changesOfColumns = map[ColumnChange]string{
	ColumnChangeDrop: lineage.ChangeDrop, ColumnChangeRename: lineage.ChangeRename, ColumnChangeRetype: lineage.ChangeRetype,
}

// reasonsOfImpact are the reasons of an effect, by their names in the packages of the catalog.
var reasonsOfImpact = map[string]ImpactReason{
	lineage.BecauseColumns: ImpactReasonColumnLineage, lineage.BecauseSQL: ImpactReasonSQL, lineage.BecauseForeignKey: ImpactReasonForeignKey,
	lineage.BecauseAssertion: ImpactReasonAssertion, lineage.BecauseSubject: ImpactReasonSubject, lineage.BecauseBehind: ImpactReasonBehind,
	lineage.BecauseNotStated: ImpactReasonColumnsNotStated, lineage.BecauseMayRead: ImpactReasonMayRead, lineage.BecauseBehindPossible: ImpactReasonBehindPossible,
}

// Impact returns the entities that depend on an entity or a column.
func (s *Session) Impact(ctx context.Context, input ImpactInput) (*Impact, error) {
	urn, err := s.URN(input.Urn)
	if err != nil {
		return nil, err
	}
	if path := optional.Or(input.Column, ""); path != "" {
		column, err := lineage.ColumnOf(urn, path)
		if err != nil {
			return nil, err
		}
		if urn, err = s.URN(column.String()); err != nil {
			return nil, err
		}
	}
	request := lineage.ImpactRequest{
		Walk: lineage.WalkQuery{URN: urn, MaxHops: optional.Or(input.Hops, 0), AsOf: optional.Or(input.AsOf, 0)}, Change: changesOfColumns[optional.Or(input.Change, "")],
		Only: strings.ToLower(string(optional.Or(input.Only, ""))),
	}
	found, err := s.Catalog.Lineage.ImpactPage(ctx, request, optional.Or(input.Start, 0), optional.Or(input.Count, limits.DefaultImpactPage), lineage.ImpactParts{
		Paths: selects(ctx, "rows", "path"), Owners: selects(ctx, "owners") || selects(ctx, "ownersOf"), Basis: selects(ctx, "basis"),
	})
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	if err := s.take(len(found.Rows)); err != nil {
		return nil, err
	}
	p := s.newLineageParts()
	p.refs.asOf = optional.Or(input.AsOf, 0)
	impact := &Impact{
		Urn: found.Impact.URN, Total: found.Impact.Total, Certain: found.Certain, Possible: found.Possible, OwnersOf: found.OwnersOf, Start: found.Start, Count: len(found.Rows),
		Partial: found.Impact.Partial, Reason: given(found.Impact.Reason), Note: given(found.Impact.Note), AsOfToday: listed(found.Impact.AsOfToday), Rows: make([]*ImpactRow, len(found.Rows)),
	}
	if impact.Owners, err = p.owners(found.Owners, selects(ctx, "owners", "certain") || selects(ctx, "owners", "possible")); err != nil {
		return nil, err
	}
	impact.Reasons = make([]*ImpactReasonCount, len(found.Impact.ByReason))
	for i, r := range found.Impact.ByReason {
		impact.Reasons[i] = &ImpactReasonCount{Effect: ImpactEffect(strings.ToUpper(r.Effect)), Reason: reasonsOfImpact[r.Because], Count: r.Count}
	}
	for i := range found.Rows {
		if impact.Rows[i], err = p.row(&found.Rows[i]); err != nil {
			return nil, err
		}
	}
	if impact.Basis, err = s.basis(p.refs, found.Impact.Basis); err != nil {
		return nil, err
	}
	return impact, p.refs.Read(ctx)
}

// owners lists the owners of affected entities. The owners have the URNs of their affected
// entities only if the query selects these URNs.
func (p *lineageParts) owners(found []lineage.OwnerImpact, lists bool) ([]*ImpactOwner, error) {
	owners := make([]*ImpactOwner, len(found))
	for i := range found {
		o := &found[i]
		if !lists {
			o.Certain, o.Possible = nil, nil
		}
		if err := p.refs.session.take(1 + len(o.Certain) + len(o.Possible)); err != nil {
			return nil, err
		}
		owners[i] = &ImpactOwner{Owner: p.refs.Of(o.URN), Email: given(o.Email), Certain: listed(o.Certain), Possible: listed(o.Possible)}
	}
	return owners, nil
}

// listed returns texts as a list that is never null.
func listed(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

func (p *lineageParts) row(r *lineage.ImpactRow) (*ImpactRow, error) {
	if err := p.refs.session.take(len(r.Owners) + len(r.Columns) + len(r.Path)); err != nil {
		return nil, err
	}
	row := &ImpactRow{
		Entity: p.refs.Of(r.URN), Degree: r.Degree, Owners: r.Owners, Effect: ImpactEffectCertain, Columns: listed(r.Columns), Path: make([]*ImpactStep, len(r.Path)),
	}
	if r.Effect == lineage.EffectPossible {
		row.Effect = ImpactEffectPossible
	}
	if r.Because != "" {
		reason := reasonsOfImpact[r.Because]
		row.Reason = &reason
	}
	row.Why, row.Behind, row.Clauses, row.Whole = given(r.Why), p.refs.Of(r.Behind), listed(r.Clauses), r.Whole
	row.Reads = make([]*SQLPlace, len(r.Reads))
	for i, place := range r.Reads {
		row.Reads[i] = &SQLPlace{Clause: place.Clause, Line: place.Line}
	}
	for i, step := range r.Path {
		row.Path[i] = &ImpactStep{Entity: p.refs.Of(step.URN)}
		if step.Edge != nil {
			row.Path[i].Edge = p.link(step.Edge)
		}
	}
	return row, nil
}

// ColumnLineageCounts returns, for each column that an entity had at a moment, the number of
// columns next to it in lineage; a moment of 0 is now.
func (s *Session) ColumnLineageCounts(ctx context.Context, urn model.URN, asOf int64) ([]*ColumnLineageCount, error) {
	found, partial, err := s.Catalog.Lineage.ColumnCounts(ctx, urn, asOf)
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	if partial != "" {
		search.Warn(ctx, "columnLineageCounts of "+urn.String()+": "+partial)
	}
	if err := s.take(len(found)); err != nil {
		return nil, err
	}
	counts := make([]*ColumnLineageCount, len(found))
	for i, c := range found {
		counts[i] = &ColumnLineageCount{FieldPath: c.Path, Upstreams: c.Upstreams, Downstreams: c.Downstreams}
	}
	return counts, nil
}

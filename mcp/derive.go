package mcp

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// LineageArguments are the arguments of lineage.
type LineageArguments struct {
	Of        string   `json:"of" jsonschema:"an entity, or a column as <entity>.<path>; name or URN"`
	Direction string   `json:"direction,omitempty" jsonschema:"upstream: where data comes from; downstream: where it goes to"`
	Hops      int      `json:"hops,omitempty" jsonschema:"the greatest distance; 0 for no bound"`
	Types     []string `json:"types,omitempty" jsonschema:"show only these entity types; the walk goes through the others"`
	Platforms []string `json:"platforms,omitempty" jsonschema:"show only entities of these platforms"`
	AsOf      string   `json:"as_of,omitempty" jsonschema:"a past moment: 2026-10-21 or 2026-10-21T08:00:00Z; now if left out"`
	Paging
}

// Reached is an entity or column that a walk reached. The URN has the type of the entity and,
// for a column, the entity of the column.
type Reached struct {
	URN string `json:"urn"`
	// Name is a short name. For a column, Name is the path of the column.
	Name string `json:"name"`
	// Platform is the platform of the entity. It is missing if the URN names the platform.
	Platform string `json:"platform,omitempty"`
	// Degree is the smallest number of hops to the entity.
	Degree int `json:"degree"`
	// Unknown says whether the entity was never ingested and other entities only refer to it.
	Unknown bool `json:"unknown,omitempty"`
	// Removed says whether the entity is soft-deleted now.
	Removed bool `json:"removed,omitempty"`
}

func reached(e *lineage.Entity) Reached {
	r := Reached{URN: e.URN, Name: e.Name, Degree: e.Degree, Unknown: !e.Exists, Removed: e.Removed}
	if platform := leaf(e.Platform); e.Platform != "" && !strings.Contains(e.URN, ":"+platform+",") && !strings.Contains(e.URN, "("+platform+",") {
		r.Platform = platform
	}
	if e.Type == model.EntityDataset {
		r.Name = leaf(e.URN) // cards have the same name
	}
	return r
}

// LineageAnswer is the answer of lineage.
type LineageAnswer struct {
	Of        string `json:"of"`
	Direction string `json:"direction"`
	AsOf      string `json:"as_of,omitempty"`
	Sayings
	Entities []Hop `json:"entities"`
	// Note is a warning, such as of a moment at which nothing was known yet.
	Note string `json:"note,omitempty"`
	// RestsOn says which sources stated the lineage, when they last did, and which of them have
	// had a failed run since.
	RestsOn string `json:"rests_on,omitempty"`
	Page
}

// Hop is an entity or column that the walk reached, with the last edge of a shortest path to
// it.
type Hop struct {
	// Number is the number by which Via of other hops names this hop. It is missing if none
	// does.
	Number int `json:"number,omitempty"`
	Reached
	// Via is the number of the hop from which the edge leads to this hop. It is missing if the
	// edge leads from the entity of the question to this hop.
	Via int `json:"via,omitempty"`
	// ViaURN replaces Via if the edge leads from an entity that is not in the answer to this
	// hop.
	ViaURN string `json:"via_urn,omitempty"`
	// Said says who stated the edge. It is missing if the edge leads only to a sibling, or if
	// the edges are too many to be read.
	Said
	// Fading says that later good runs of the edge's source have not stated it again.
	Fading string `json:"fading,omitempty"`
	// Readings are both readings of the edge's SQL, if they differ.
	Readings *Readings `json:"readings,omitempty"`
}

func hop(e *lineage.Entity) Hop {
	r := Hop{Reached: reached(e)}
	if len(e.Paths) == 0 {
		return r
	}
	path := e.Paths[0]
	last := len(path) - 1
	if last > 1 {
		r.ViaURN = path[last-1].URN
	}
	if edge := path[last].Edge; edge != nil {
		r.Said, r.Fading, r.Readings = said(edge.Provenance), edge.Fading.Text(), readingsOf(edge.Provenance)
	}
	return r
}

// referred replaces the URNs of hops that are in the answer by their numbers.
func referred(hops []Hop) []Hop {
	at := make(map[string]*Hop, len(hops))
	for i := range hops {
		at[hops[i].URN] = &hops[i]
	}
	for i := range hops {
		if from := at[hops[i].ViaURN]; from != nil {
			from.Number = -1
		}
	}
	number := 0
	for i := range hops {
		if hops[i].Number != 0 {
			number++
			hops[i].Number = number
		}
	}
	for i := range hops {
		if from := at[hops[i].ViaURN]; from != nil {
			hops[i].Via, hops[i].ViaURN = from.Number, ""
		}
	}
	return hops
}

func (h *Handler) lineage(ctx context.Context, in *LineageArguments) (*LineageAnswer, error) {
	asOf, err := moment("as_of", in.AsOf)
	if err != nil {
		return nil, err
	}
	u, err := h.subject(ctx, in.Of, search.EitherPart)
	if err != nil {
		return nil, err
	}
	found, err := h.catalog.Lineage.Of(ctx, lineage.Request{
		Walk:   lineage.WalkQuery{URN: u, Direction: directions[in.Direction], MaxHops: in.Hops, AsOf: asOf},
		Filter: lineage.Filter{Types: in.Types, Platforms: in.Platforms}, Start: in.Start, Count: in.Limit, Paths: 1, Basis: in.Start == 0,
	})
	if err != nil {
		return nil, err
	}
	out := &LineageAnswer{Of: u.String(), Direction: in.Direction, AsOf: shown(asOf), Note: found.Note, RestsOn: restsOn(found.Basis)}
	for i := range found.Entities {
		out.Entities = append(out.Entities, hop(&found.Entities[i]))
	}
	out.Entities = referred(fittingSaid(&out.Sayings, out.Entities, limits.MaxAgentAnswer))
	out.continues(in.Start, len(out.Entities), found.Total)
	out.lacks(found.Reason)
	return out, nil
}

// PathsArguments are the arguments of paths.
type PathsArguments struct {
	From     string `json:"from" jsonschema:"an entity, or a column as <entity>.<path>; name or URN"`
	To       string `json:"to" jsonschema:"an entity or a column, such as a dashboard that may show the column from; name or URN"`
	MaxPaths int    `json:"max_paths,omitempty" jsonschema:"the most paths in the answer"`
	AsOf     string `json:"as_of,omitempty" jsonschema:"a past moment; now if left out"`
}

// PathsAnswer is the answer of paths.
type PathsAnswer struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Connected bool   `json:"connected"`
	// Direction is downstream if data flows from the entity From to the entity To, and upstream
	// if data flows from To to From.
	Direction string `json:"direction,omitempty"`
	// Effect is possible if an entity on the path from a column to an entity does not state its
	// columns.
	Effect string `json:"effect,omitempty"`
	Sayings
	// Paths begin with the entity From and end with the entity To.
	Paths []Way `json:"paths"`
	Page
}

// Way is a path.
type Way []Step

func (w *Way) says() []*Said {
	all := make([]*Said, len(*w))
	for i := range *w {
		all[i] = &(*w)[i].Said
	}
	return all
}

// Step is an entity on a path with the edge that leads to it.
type Step struct {
	URN string `json:"urn"`
	// Edge is the relationship that leads to this entity. Transform says how the edge derives a
	// column.
	Edge      string `json:"edge,omitempty"`
	Transform string `json:"transform,omitempty"`
	// StatedIn are the entities whose metadata states the edge. It is missing if only the
	// metadata of this step's entity states the edge.
	StatedIn []string `json:"stated_in,omitempty"`
	Said
	// Fading and Readings are as in Hop.
	Fading   string    `json:"fading,omitempty"`
	Readings *Readings `json:"readings,omitempty"`
}

func step(s *lineage.PathStep) Step {
	if s.Edge == nil {
		return Step{URN: s.URN}
	}
	e := s.Edge
	out := Step{URN: s.URN, Edge: e.Type, Transform: e.TransformOperation, StatedIn: e.StatedBy, Said: said(e.Provenance), Fading: e.Fading.Text(), Readings: readingsOf(e.Provenance)}
	if len(e.StatedBy) == 1 && (e.StatedBy[0] == s.URN || e.StatedBy[0] == entityOf(s.URN)) {
		out.StatedIn = nil
	}
	return out
}

func (h *Handler) paths(ctx context.Context, in *PathsArguments) (*PathsAnswer, error) {
	asOf, err := moment("as_of", in.AsOf)
	if err != nil {
		return nil, err
	}
	from, err := h.subject(ctx, in.From, search.EitherPart)
	if err != nil {
		return nil, err
	}
	to, err := h.subject(ctx, in.To, search.EitherPart)
	if err != nil {
		return nil, err
	}
	found, err := h.catalog.Lineage.Between(ctx, lineage.BetweenRequest{From: from, To: to, Most: in.MaxPaths, AsOf: asOf})
	if err != nil {
		return nil, err
	}
	out := &PathsAnswer{From: from.String(), To: to.String(), Connected: found.Direction != "", Paths: []Way{}}
	for name, direction := range directions {
		if direction == found.Direction {
			out.Direction = name
		}
	}
	if found.Possible {
		out.Effect = lineage.EffectPossible
	}
	for _, path := range found.Paths {
		steps := make(Way, len(path))
		for i := range path {
			steps[i] = step(&path[i])
		}
		out.Paths = append(out.Paths, steps)
	}
	out.Paths = fittingSaid(&out.Sayings, out.Paths, limits.MaxAgentAnswer)
	if len(found.Paths) == in.MaxPaths || len(out.Paths) < len(found.Paths) {
		out.lacks(fmt.Sprintf("there may be more paths; max_paths is up to %d", limits.MaxAgentPaths))
	}
	out.lacks(found.Reason)
	return out, nil
}

// ImpactArguments are the arguments of impact.
type ImpactArguments struct {
	Of     string `json:"of" jsonschema:"a column as <entity>.<path>, or an entity such as a whole table; name or URN"`
	Change string `json:"change,omitempty" jsonschema:"drop of a column or of a whole entity; rename or retype (another type) of a column"`
	Paging
}

// ImpactAnswer is the answer of impact.
type ImpactAnswer struct {
	Of     string `json:"of"`
	Change string `json:"change,omitempty"`
	// Certain is the number of entities that are certainly affected.
	Certain int `json:"certain"`
	// Possible is the number of entities that may be affected: nothing known rules an effect on
	// them out.
	Possible int        `json:"possible"`
	Entities []Affected `json:"entities"`
	// Owners are the owners to notify, each with the owner's affected entities.
	Owners []OwnerGroup `json:"owners"`
	// RestsOn says which sources stated the lineage, when they last did, and which of them have
	// had a failed run since.
	RestsOn string `json:"rests_on,omitempty"`
	Page
}

// restsOn describes the basis of an answer, "" on a page after the first.
func restsOn(basis *lineage.Basis) string {
	if basis == nil {
		return ""
	}
	return basis.Summary
}

// Affected is an entity that a change affects.
type Affected struct {
	Reached
	// Effect says whether the change of a column affects the entity certainly or possibly. Why
	// gives the reason in a sentence.
	Effect string `json:"effect,omitempty"`
	Why    string `json:"why,omitempty"`
	// Columns are the affected columns.
	Columns []string `json:"columns,omitempty"`
	Owners  []string `json:"owners,omitempty"`
}

// OwnerGroup lists the affected entities of an owner.
type OwnerGroup struct {
	// URN is the URN of the owner. It is missing in the group of entities that nobody owns.
	URN      string   `json:"urn,omitempty"`
	Name     string   `json:"name,omitempty"`
	Email    string   `json:"email,omitempty"`
	Certain  []string `json:"certain,omitempty"`
	Possible []string `json:"possible,omitempty"`
	// More is the number of the owner's affected entities that are not named here.
	More int `json:"more,omitempty"`
}

// ownedShown is the number of an owner's entities that each list names.
const ownedShown = 50

// shown returns the names of the first entities, and adds the number of the others to More.
func (g *OwnerGroup) shown(urns []string) []string {
	n := min(len(urns), ownedShown)
	g.More += len(urns) - n
	return leaves(urns[:n])
}

func (h *Handler) impact(ctx context.Context, in *ImpactArguments) (*ImpactAnswer, error) {
	part := search.EitherPart
	if in.Change == lineage.ChangeRename || in.Change == lineage.ChangeRetype {
		part = search.ColumnPart
	}
	u, err := h.subject(ctx, in.Of, part)
	if err != nil {
		return nil, err
	}
	request := lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: u}}
	if u.EntityType() == model.EntitySchemaField {
		request.Change = in.Change // the impact of a whole entity is the impact of dropping the entity
	}
	found, err := h.catalog.Lineage.ImpactPage(ctx, request, in.Start, in.Limit, lineage.ImpactParts{Owners: true, Basis: true})
	if err != nil {
		return nil, err
	}
	out := &ImpactAnswer{
		Of: u.String(), Change: in.Change, Certain: found.Certain, Possible: found.Possible, Owners: []OwnerGroup{}, RestsOn: restsOn(found.Impact.Basis),
	}
	var affected []Affected
	for i := range found.Rows {
		e := &found.Rows[i]
		a := Affected{Reached: reached(&e.Entity), Effect: e.Effect, Why: e.Why, Owners: leaves(e.Owners)}
		for _, column := range e.Columns {
			a.Columns = append(a.Columns, leaf(column))
		}
		affected = append(affected, a)
	}
	groups := groupsOf(found)
	if len(groups) > 0 && groups[0].More > 0 {
		out.lacks("not all entities are named beside their owners")
	}
	if out.Owners = fitting(groups, limits.MaxAgentAnswer/2); len(out.Owners) < len(groups) {
		out.lacks("there are more owners")
	}
	if found.OwnersOf < found.Impact.Total {
		out.lacks(fmt.Sprintf("owners are those of the nearest %d entities", found.OwnersOf))
	}
	out.Entities = fitting(affected, limits.MaxAgentAnswer/2)
	out.continues(in.Start, len(out.Entities), found.Impact.Total)
	out.lacks(found.Impact.Reason)
	return out, nil
}

// groupsOf lists the owners of affected entities.
func groupsOf(found *lineage.ImpactReport) []OwnerGroup {
	groups := make([]OwnerGroup, len(found.Owners))
	for i := range found.Owners {
		o := &found.Owners[i]
		g := &groups[i]
		g.URN, g.Name, g.Email = o.URN, o.Name, o.Email
		g.Certain, g.Possible = g.shown(o.Certain), g.shown(o.Possible)
	}
	return groups
}

// ChangesArguments are the arguments of lineage_changes.
type ChangesArguments struct {
	Of        string `json:"of" jsonschema:"an entity, or a column as <entity>.<path>; name or URN"`
	Direction string `json:"direction,omitempty"`
	Hops      int    `json:"hops,omitempty" jsonschema:"the greatest distance; 0 for no bound"`
	Before    string `json:"before" jsonschema:"the earlier moment: 2026-10-21 or 2026-10-21T08:00:00Z"`
	After     string `json:"after,omitempty" jsonschema:"the later moment; now if left out"`
	Paging
}

// ChangesAnswer is the answer of lineage_changes.
type ChangesAnswer struct {
	Of        string `json:"of"`
	Direction string `json:"direction"`
	Before    string `json:"before"`
	After     string `json:"after,omitempty"`
	// Entities are the entities that were reached at only one of the moments, or at another
	// distance.
	Entities []ChangedEntity `json:"entities"`
	Sayings
	// Edges are the edges that were added or that ended between the moments.
	Edges []ChangedEdge `json:"edges"`
	// Note is a warning, such as of an earlier moment at which nothing was known yet.
	Note string `json:"note,omitempty"`
	Page
}

// ChangedEntity is an entity that was reached at only one of the moments, or at another
// distance.
type ChangedEntity struct {
	// Change is added, ended or moved.
	Change string `json:"change"`
	Reached
	DegreeBefore int `json:"degree_before,omitempty"`
}

// ChangedEdge is an edge that was added or that ended.
type ChangedEdge struct {
	// Change is added or ended.
	Change     string `json:"change"`
	Upstream   string `json:"upstream"`
	Downstream string `json:"downstream"`
	// At is the time at which the edge was added or ended.
	At string `json:"at,omitempty"`
	// Run and Actor are the run and the actor that added or ended the edge.
	Run   string `json:"run,omitempty"`
	Actor string `json:"actor,omitempty"`
	// Said says who stated the edge. For an added edge, it is missing if it would only repeat
	// At, Run and Actor.
	Said
	// Fading is as in Hop.
	Fading string `json:"fading,omitempty"`
}

func (h *Handler) lineageChanges(ctx context.Context, in *ChangesArguments) (*ChangesAnswer, error) {
	before, err := moment("before", in.Before)
	if err != nil {
		return nil, err
	}
	after, err := moment("after", in.After)
	if err != nil {
		return nil, err
	}
	u, err := h.subject(ctx, in.Of, search.EitherPart)
	if err != nil {
		return nil, err
	}
	diff, err := h.catalog.Lineage.Diff(ctx, lineage.DiffRequest{
		Walk: lineage.WalkQuery{URN: u, Direction: directions[in.Direction], MaxHops: in.Hops}, Before: before, After: after,
	})
	if err != nil {
		return nil, err
	}
	out := &ChangesAnswer{Of: u.String(), Direction: in.Direction, Before: shown(before), After: shown(after), Note: diff.Note}
	entities, edges := changesOf(diff)
	var all Sayings
	const half = limits.MaxAgentAnswer / 2
	out.Entities, out.Edges = pageOfTwo(&out.Page, in.Paging, entities, fits[ChangedEntity](half), edges, fitsSaid[ChangedEdge](&all, half))
	out.Edges = fittingSaid(&out.Sayings, out.Edges, half) // only statements of the remaining edges
	out.lacks(diff.Reason)
	return out, nil
}

// changesOf lists the entities and the edges of a difference.
func changesOf(diff *lineage.Diff) (entities []ChangedEntity, edges []ChangedEdge) {
	for i := range diff.Added {
		entities = append(entities, ChangedEntity{Change: "added", Reached: reached(&diff.Added[i])})
	}
	for i := range diff.Ended {
		entities = append(entities, ChangedEntity{Change: "ended", Reached: reached(&diff.Ended[i])})
	}
	for i := range diff.Moved {
		entities = append(entities, ChangedEntity{Change: "moved", Reached: reached(&diff.Moved[i].Entity), DegreeBefore: diff.Moved[i].DegreeBefore})
	}
	for i := range diff.EdgesAdded {
		e := &diff.EdgesAdded[i]
		at, run, actor := e.Began()
		added := ChangedEdge{"added", e.Upstream, e.Downstream, shown(at), run, actor, Said{}, e.Fading.Text()}
		if by := e.Provenance; by == nil || !reflect.DeepEqual(*by, statements.Provenance{Actor: actor, Run: run, StatedAt: at, Detail: by.Detail}) {
			added.Said = said(by)
		}
		edges = append(edges, added)
	}
	for i := range diff.EdgesEnded {
		e := &diff.EdgesEnded[i]
		edges = append(edges, ChangedEdge{"ended", e.Upstream, e.Downstream, shown(e.Until), e.UntilRun, e.UntilActor, said(e.Provenance), ""})
	}
	return entities, edges
}

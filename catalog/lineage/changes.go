package lineage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// ChangesRequest asks for the changes of an entity or a column, and of the entities around it.
type ChangesRequest struct {
	URN model.URN
	// Direction is UPSTREAM or DOWNSTREAM; empty means both.
	Direction string
	// Hops bounds the distance; 0 is unbounded.
	Hops int
	// Alone asks only for the changes of the entity or column itself. Direction and Hops are then
	// ignored.
	Alone bool
	// From and To are epoch milliseconds, both included. A To of 0 means now; a From of 0 means
	// thirty days before To.
	From, To int64
	// Categories are categories of timelines; an empty list means all.
	Categories   []string
	Start, Count int
}

// Changes is a page of changes, the newest first.
type Changes struct {
	Start, Total int
	Changes      []Change
	// Partial tells that the page is incomplete; Reason says why.
	Partial bool
	Reason  string
}

// Change is a change of one entity.
type Change struct {
	// Entity is the entity that changed. Part is its column if only that column changed.
	Entity, Part string
	// Degree is negative upstream of the start.
	Degree int
	// Time is epoch milliseconds.
	Time       int64
	Actor, Run string
	// Category, Operation and Weight are as in timelines.
	Category, Operation, Weight string
	// Upstream is set for a change of lineage. Upstream is the entity or column from which Entity,
	// or Part, began or ceased to derive.
	Upstream string
	// Description says the change in words.
	Description string
	// mentions lists the URNs in Description, which names replace.
	mentions []string
}

// changesWindow is the default time window of changes, until now.
const changesWindow = 30 * 24 * time.Hour

// Changes returns the changes of an entity, and of every entity that is upstream or downstream
// of it at the beginning or at the end of the time. For a column, Changes returns the changes
// of columns. Changes fails with NotFound when nothing is known of the entity.
func (s *Service) Changes(ctx context.Context, r ChangesRequest) (*Changes, error) {
	now := s.now().UnixMilli() // the clock is read once, so that a request up to now is answered from the current lineage
	if err := settleChanges(&r, now); err != nil {
		return nil, err
	}
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	w, err := s.whereChanges(ctx, &r, now)
	if err != nil {
		return nil, err
	}
	entities := w.entities()
	if len(entities) > limits.MaxChangedEntities {
		w.reason = cmp.Or(w.reason, fmt.Sprintf("%d entities were reached; these are the changes of the %d nearest", len(entities), limits.MaxChangedEntities))
		entities = entities[:limits.MaxChangedEntities]
	}
	end := r.To
	if end >= now {
		end = 0 // stored changes have happened, even if the clock of the store is ahead of the clock of this server
	}
	found, err := s.history.Changes(ctx, entities, history.TimelineRequest{Categories: r.Categories, Start: r.From, End: end})
	if err != nil {
		return nil, err
	}
	tooLarge := 0
	for _, u := range entities {
		of := found[u]
		if of.TooLarge {
			tooLarge++
		}
		w.addTransactions(u.String(), of.Transactions)
		w.addEdges(of.Edges)
	}
	if tooLarge > 0 {
		w.reason = cmp.Or(w.reason, fmt.Sprintf("the versions of %d entities are larger than %d bytes each; their changes are left out", tooLarge, limits.MaxHistoriesBytes))
	}
	w.keepNewest()
	answer := &Changes{Start: r.Start, Total: len(w.changes), Partial: w.reason != "", Reason: w.reason}
	start := min(r.Start, len(w.changes))
	answer.Changes = w.changes[start:min(start+r.Count, len(w.changes))]
	return answer, s.nameInWords(ctx, answer.Changes)
}

func settleChanges(r *ChangesRequest, now int64) error {
	if _, err := catalog.PageOf(r.Start, r.Count); err != nil {
		return err
	}
	if r.Count > limits.MaxChangesPage {
		return catalog.Errorf(catalog.Invalid, "a page of changes has at most %d, not %d", limits.MaxChangesPage, r.Count)
	}
	if r.From < 0 || r.To < 0 {
		return catalog.Errorf(catalog.Invalid, "moments are epoch milliseconds")
	}
	if r.To == 0 {
		r.To = now
	}
	if r.From == 0 {
		r.From = max(r.To-changesWindow.Milliseconds(), 1)
	}
	if r.From > r.To {
		return catalog.Errorf(catalog.Invalid, "the moment from is after the moment to")
	}
	return nil
}

// changePlaces has the entities and columns whose changes are wanted, with their distances.
type changePlaces struct {
	// columns tells that only changes of columns are wanted.
	columns bool
	// upstream and downstream map the start and the entities reached in each direction to their
	// distance. The map of a direction that was not walked is nil.
	upstream, downstream map[string]int
	// nearest maps each entity to its smallest distance, which is negative upstream.
	nearest map[string]int
	reason  string
	changes []Change
}

// whereChanges walks at both ends of the time, so that entities that were upstream or
// downstream only at the beginning count too.
func (s *Service) whereChanges(ctx context.Context, r *ChangesRequest, now int64) (*changePlaces, error) {
	w := &changePlaces{nearest: map[string]int{}, columns: r.URN.EntityType() == model.EntitySchemaField}
	if r.Alone {
		self := map[string]int{r.URN.String(): 0}
		w.upstream, w.downstream, w.nearest[assetOfURN(r.URN)] = self, self, 0
		return w, s.requireKnown(ctx, r.URN)
	}
	var unknown error
	for _, at := range []int64{r.From, r.To} {
		if at == r.To && at >= now {
			at = 0
		}
		around, err := s.around(ctx, WalkQuery{URN: r.URN, Direction: r.Direction, MaxHops: r.Hops, AsOf: at})
		if catalog.CodeOf(err) == catalog.NotFound {
			unknown = err
			continue
		}
		if err != nil {
			return nil, err
		}
		w.reason = cmp.Or(w.reason, around.reason)
		for _, walk := range around.walks {
			w.addWalk(walk)
		}
	}
	if len(w.nearest) == 0 {
		return nil, unknown
	}
	return w, nil
}

func (w *changePlaces) addWalk(walk *Walk) {
	side, sign := &w.upstream, -1
	if walk.Query.Direction == Downstream {
		side, sign = &w.downstream, 1
	}
	if *side == nil {
		*side = map[string]int{}
	}
	for urn, degree := range walk.degrees {
		if was, known := (*side)[urn]; !known || degree < far(was) {
			(*side)[urn] = sign * degree
		}
		asset := assetOf(urn)
		if was, known := w.nearest[asset]; !known || degree < far(was) {
			w.nearest[asset] = sign * degree
		}
	}
}

// entities lists the entities whose changes are read, the nearest first.
func (w *changePlaces) entities() []model.URN {
	reached := make([]Reached, 0, len(w.nearest))
	for urn, degree := range w.nearest {
		reached = append(reached, Reached{URN: urn, Degree: degree})
	}
	slices.SortFunc(reached, nearestFirst)
	urns := make([]model.URN, 0, len(reached))
	for _, r := range reached {
		if u := model.StoredURN(r.URN); !u.IsZero() {
			urns = append(urns, u)
		}
	}
	return urns
}

// degreeOf returns the distance of an entity or column, negative upstream, and whether the
// walks reached it.
func (w *changePlaces) degreeOf(urn string) (degree int, reached bool) {
	up, above := w.upstream[urn]
	down, below := w.downstream[urn]
	if above && (!below || far(up) <= down) {
		return up, true
	}
	return down, below
}

// keepNewest orders the changes, the newest first, and keeps as many as an answer may go through.
func (w *changePlaces) keepNewest() {
	slices.SortFunc(w.changes, compareChanges)
	w.changes = slices.CompactFunc(w.changes, func(a, b Change) bool { return compareChanges(a, b) == 0 }) // two entities may state one edge
	if len(w.changes) > limits.MaxChangesFound {
		w.reason = cmp.Or(w.reason, fmt.Sprintf("there are more than %d changes; these are the newest", limits.MaxChangesFound))
		w.changes = w.changes[:limits.MaxChangesFound]
	}
}

func (w *changePlaces) addTransactions(entity string, transactions []history.ChangeTransaction) {
	for i := range transactions {
		for k := range transactions[i].ChangeEvents {
			e := &transactions[i].ChangeEvents[k]
			change := Change{
				Entity: entity, Part: partOf(e, entity), Degree: w.nearest[entity], Time: e.AuditStamp.Time, Actor: e.AuditStamp.Actor, Run: e.Run,
				Category: e.Category, Operation: e.Operation, Weight: e.SemVerChange, Description: e.Description,
				mentions: mentionsOf(e),
			}
			if w.columns {
				degree, reached := w.degreeOf(change.Part)
				if !reached {
					continue
				}
				change.Degree = degree
			}
			w.changes = append(w.changes, change)
		}
	}
}

// partOf returns the column that an event is about, or "" if the event is about the whole
// entity.
func partOf(e *history.ChangeEvent, entity string) string {
	if e.EntityURN != entity {
		return e.EntityURN
	}
	if column, ok := e.Parameters["fieldUrn"].(string); ok {
		return column
	}
	return ""
}

// addEdges adds the changes of edges that lie on a way to the start or away from it.
func (w *changePlaces) addEdges(edges []history.EdgeChange) {
	for _, e := range edges {
		column := assetOf(e.Downstream) != e.Downstream
		if w.columns && !column {
			continue
		}
		up, down := e.Upstream, e.Downstream
		if !w.columns {
			up, down = assetOf(up), assetOf(down)
		}
		degree, leads := w.upstream[down]
		if !leads {
			before, leaves := w.downstream[up]
			if !leaves {
				continue
			}
			degree = before + 1
		}
		change := Change{
			Entity: assetOf(e.Downstream), Degree: degree, Time: e.At, Actor: e.Actor, Run: runOf(e.Run),
			Category: history.CategoryLineage, Operation: history.OperationAdd, Weight: history.ChangeMinor, Upstream: e.Upstream,
			mentions: []string{e.Upstream},
		}
		words := "was added"
		if e.Ended {
			change.Operation, words = history.OperationRemove, "was removed"
		}
		if change.Description = "Upstream " + e.Upstream + " " + words; column {
			change.Part = e.Downstream
			change.Description += ", column " + model.PlainPath(columnPath(e.Downstream))
		}
		w.changes = append(w.changes, change)
	}
}

// runOf returns the run of a change, or "" if the write named none.
func runOf(run string) string {
	if run == catalog.NoRunID {
		return ""
	}
	return run
}

// mentionsOf returns the URNs that the description of an event may contain.
func mentionsOf(e *history.ChangeEvent) []string {
	mentions := []string{e.Modifier}
	for _, value := range e.Parameters {
		if text, ok := value.(string); ok && !slices.Contains(mentions, text) {
			mentions = append(mentions, text)
		}
	}
	return slices.DeleteFunc(mentions, func(text string) bool {
		return !strings.HasPrefix(text, "urn:") || !strings.Contains(e.Description, text)
	})
}

// compareChanges orders changes: the newest first, then the nearest.
func compareChanges(a, b Change) int {
	return cmp.Or(
		cmp.Compare(b.Time, a.Time), cmp.Compare(far(a.Degree), far(b.Degree)), cmp.Compare(a.Degree, b.Degree), cmp.Compare(a.Entity, b.Entity),
		cmp.Compare(a.Category, b.Category), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Operation, b.Operation),
		cmp.Compare(a.Description, b.Description), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Actor, b.Actor),
	)
}

// nameInWords replaces the URNs in descriptions by names.
func (s *Service) nameInWords(ctx context.Context, changes []Change) error {
	var urns []string
	for i := range changes {
		urns = append(urns, changes[i].mentions...)
	}
	named, err := s.names.Name(ctx, distinct(urns))
	if err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		slices.SortFunc(c.mentions, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }) // the longest first: one URN may be a part of another
		for _, urn := range c.mentions {
			if n, ok := named[urn]; ok {
				c.Description = strings.ReplaceAll(c.Description, urn, nameInText(urn, &n))
			}
		}
	}
	return nil
}

// nameInText returns the name of an entity in a sentence. The returned name must tell the
// entity from other entities of the same display name. For a dataset it is the name in the URN;
// for a column it is the name of the column's entity with the path of the column.
func nameInText(urn string, n *read.Named) string {
	u := model.StoredURN(urn)
	if holder, path, ok := model.ColumnOf(u); ok {
		return indexer.Leaf(holder) + "." + model.PlainPath(path)
	}
	if u.EntityType() == model.EntityDataset {
		return indexer.Leaf(u)
	}
	return n.Name
}

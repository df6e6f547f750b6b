package lineage

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/reads"
)

// These are the changes of a column.
const (
	ChangeDrop   = "drop"
	ChangeRename = "rename"
	ChangeRetype = "retype"
)

// ImpactRequest asks which entities depend on an entity or on a column.
type ImpactRequest struct {
	// Walk is the walk. Its default direction is downstream. For a column the direction must be
	// downstream.
	Walk   WalkQuery
	Filter Filter
	// Change is the change of the column; empty means ChangeDrop. A renamed column is lost under
	// its former name. A retyped column certainly affects only its direct readers: a value that
	// they compute from it may keep its type.
	Change string
	// Removed is as in [Request].
	Removed string
	// Only is EffectCertain to list only certain effects; empty lists all.
	Only string
	// Start and Count select the entities that Impact lists; a Count of 0 lists all. The counts
	// always cover all entities. ImpactPage takes a start and a count of its own.
	Start, Count int
}

// Impact has the entities that depend on an entity or a column, with their owners.
type Impact struct {
	URN       string `json:"urn"`
	Direction string `json:"direction"`
	AsOf      int64  `json:"asOf,omitempty"`
	Total     int    `json:"total"`
	// Start and Count are the page of Entities, if the request asked for a page.
	Start   int    `json:"start,omitempty"`
	Count   int    `json:"count,omitempty"`
	Partial bool   `json:"partial"`
	Reason  string `json:"reason,omitempty"`
	// Note is as in [Result].
	Note string `json:"note,omitempty"`
	// AsOfToday names the members that are as of now although the answer is about a past moment.
	AsOfToday []string `json:"asOfToday,omitempty"`
	// Basis is the basis of the answer.
	Basis *Basis `json:"basis,omitempty"`
	// ByType, ByPlatform and ByOwner count the entities; the largest group is first. ByDegree is
	// in ascending order of the degree. An entity with two owners is counted for both.
	ByType     []ImpactGroup `json:"byType"`
	ByPlatform []ImpactGroup `json:"byPlatform"`
	ByOwner    []ImpactGroup `json:"byOwner"`
	ByDegree   []ImpactGroup `json:"byDegree"`
	// ByEffect counts certain and possible effects of a column, and ByReason counts the reasons of
	// the effects; certain effects are first. Both also count the effects that Only leaves out.
	ByEffect []ImpactGroup  `json:"byEffect,omitempty"`
	ByReason []ImpactReason `json:"byReason,omitempty"`
	// Owners are the owners of the entities.
	Owners   []ImpactOwner    `json:"owners"`
	Entities []ImpactedEntity `json:"entities"`
}

// ImpactGroup counts entities that have a value in common. The value is empty for entities
// without a platform or owner.
type ImpactGroup struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// ImpactReason counts the effects of a column that have the same reason, also by distance.
type ImpactReason struct {
	Effect   string        `json:"effect"`
	Because  string        `json:"because"`
	Count    int           `json:"count"`
	ByDegree []ImpactGroup `json:"byDegree"`
}

// ImpactOwner is an owner of some of the entities.
type ImpactOwner struct {
	URN   string `json:"urn"`
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
	Count int    `json:"count"`
	// Certain and Possible count the entities by their effect, if the request is about a
	// column.
	Certain  int `json:"certain,omitempty"`
	Possible int `json:"possible,omitempty"`
}

// These are the effects of the loss of a column.
const (
	// EffectCertain: the entity reads the column, or fails because a reader fails.
	EffectCertain = "certain"
	// EffectPossible: the catalog cannot rule out that the entity reads the column, or fails
	// because a reader fails.
	EffectPossible = "possible"
)

// These are the reasons of an effect. The reasons of certain effects are first.
const (
	// BecauseColumns: lineage between columns leads to the entity.
	BecauseColumns = "columnLineage"
	// BecauseSQL: SQL of the entity reads the column, in any clause.
	BecauseSQL = "sql"
	// BecauseForeignKey: a foreign key of the table refers to the column.
	BecauseForeignKey = "foreignKey"
	// BecauseAssertion: the assertion is about the column.
	BecauseAssertion = "assertion"
	// BecauseSubject: the saved query says that the column is one of its subjects.
	BecauseSubject = "subject"
	// BecauseBehind: the entity is downstream of an entity that fails as a whole.
	BecauseBehind = "behind"

	// BecauseNotStated: the entity derives from the table, but no aspect states from which
	// columns.
	BecauseNotStated = "columnsNotStated"
	// BecauseMayRead: the entity states columns but not the lost one. The entity may still join or
	// filter on the lost column, because the entity's SQL is not known, reads all columns, or
	// could not be parsed.
	BecauseMayRead = "mayRead"
	// BecauseBehindPossible: the entity is downstream of an entity that is possibly affected or,
	// if the column gets another type, downstream of a reader of the column.
	BecauseBehindPossible = "behindPossible"
)

// ImpactedEntity is an entity that depends on the entity or column of the request.
type ImpactedEntity struct {
	Entity
	Owners []string `json:"owners"`
	// The members below are set when the request is about a column. Effect is one of the
	// constants. Columns lists the entity's columns that derive from the lost one.
	Effect  string   `json:"effect,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// Because is the reason of the effect, one of the constants; Why is the reason as a sentence.
	// Behind is the URN of the affected entity one hop upstream. Clauses lists the clauses in
	// which the entity's SQL reads the column, such as WHERE; Reads lists the places. Whole tells that
	// all columns of the entity are affected.
	Because string        `json:"because,omitempty"`
	Why     string        `json:"why,omitempty"`
	Behind  string        `json:"behind,omitempty"`
	Clauses []string      `json:"clauses,omitempty"`
	Reads   []reads.Place `json:"reads,omitempty"`
	Whole   bool          `json:"whole,omitempty"`
}

// Impact returns the entities that depend on an entity, with groups and owners. For a column,
// Impact returns the entities that the loss of the column affects: certainly the readers of the
// column and everything that fails with a reader, possibly the entities that may read it. An
// entity that states its columns, and whose SQL does not name this column, is not affected.
func (s *Service) Impact(ctx context.Context, r ImpactRequest) (*Impact, error) {
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	impact, found, err := s.followImpact(ctx, r)
	if err != nil {
		return nil, err
	}
	owners, err := s.fillImpact(ctx, impact, found, r)
	if err != nil {
		return nil, err
	}
	if impact.Owners, err = s.nameOwners(ctx, impact.ByOwner); err != nil {
		return nil, err
	}
	impact.countEffects(found, owners)
	impact.Basis, err = s.basisOfImpact(ctx, impact, found)
	return impact, err
}

// impactWays has the affected entities and how they were found. walk is the walk; for a column,
// the walk between columns. loss tells how the loss of the column affects entities; it is nil
// for an entity.
type impactWays struct {
	walk    *Walk
	loss    *columnLoss
	reached []Reached
	effects map[string]*columnEffect
}

// followImpact finds the affected entities; it does not read their details.
func (s *Service) followImpact(ctx context.Context, r ImpactRequest) (*Impact, *impactWays, error) {
	request := Request{Walk: r.Walk, Removed: r.Removed}
	if request.Walk.Direction == "" {
		request.Walk.Direction = Downstream
	}
	if err := r.checkChange(); err != nil {
		return nil, nil, err
	}
	if _, err := catalog.PageOf(r.Start, r.Count); err != nil {
		return nil, nil, err
	}
	if err := request.checkRemoved(); err != nil {
		return nil, nil, err
	}
	if err := cmp.Or(s.checkFilter(&r.Filter), checkReport(&r.Walk)); err != nil {
		return nil, nil, err
	}
	if err := checkWalk(&request.Walk); err != nil {
		return nil, nil, err
	}
	u := request.Walk.URN
	impact := &Impact{URN: u.String(), Direction: request.Walk.Direction, AsOf: request.Walk.AsOf}
	if impact.AsOf != 0 {
		impact.AsOfToday = []string{"owners.name", "owners.email"}
	}
	ways := &impactWays{}
	var reached []Reached
	var err error
	if u.EntityType() == model.EntitySchemaField {
		reached, ways.effects, err = s.columnImpact(ctx, impact, ways, request.Walk, r.Change)
	} else {
		request.Walk.Columns, request.Walk.References = false, true
		reached, err = s.entityImpact(ctx, impact, ways, request.Walk)
	}
	if err == nil && len(reached) == 0 {
		err = s.requireKnown(ctx, u)
	}
	if err != nil {
		return nil, nil, err
	}
	unsaved, err := s.unsavedAmong(ctx, reached)
	if err != nil {
		return nil, nil, err
	}
	reached = without(reached, func(e Reached) bool { return unsaved[e.URN] || e.Removed && request.Removed != RemovedShow })
	if reached, err = s.selectNamed(ctx, ways.walk.nodes, u, reached, &r.Filter, request.Walk.AsOf); err != nil {
		return nil, nil, err
	}
	ways.countReasons(impact, reached)
	if r.Only == EffectCertain {
		reached = without(reached, func(e Reached) bool { return ways.effectOn(e.URN) == EffectPossible })
	}
	impact.Note, err = s.noteOfPast(ctx, u, request.Walk.AsOf)
	impact.Total, ways.reached = len(reached), reached
	return impact, ways, err
}

// without returns the entities that drop does not select. It leaves the given slice as it is.
func without(reached []Reached, drop func(Reached) bool) []Reached {
	if !slices.ContainsFunc(reached, drop) {
		return reached
	}
	return slices.DeleteFunc(slices.Clone(reached), drop)
}

func (r *ImpactRequest) checkChange() error {
	if r.Only != "" && r.Only != EffectCertain {
		return catalog.Errorf(catalog.Invalid, "only may be %s, not %q", EffectCertain, r.Only)
	}
	switch r.Change {
	case "", ChangeDrop, ChangeRename, ChangeRetype:
	default:
		return catalog.Errorf(catalog.Invalid, "the change of a column is %s, %s or %s, not %q", ChangeDrop, ChangeRename, ChangeRetype, r.Change)
	}
	if r.Change != "" && r.Walk.URN.EntityType() != model.EntitySchemaField {
		return catalog.Errorf(catalog.Invalid, "%s is not a column; only a column is dropped, renamed or given another type", r.Walk.URN)
	}
	return nil
}

func (s *Service) entityImpact(ctx context.Context, impact *Impact, ways *impactWays, q WalkQuery) ([]Reached, error) {
	q.paths = true
	walk, err := s.walk(ctx, q)
	if err != nil {
		return nil, err
	}
	ways.walk, impact.Partial, impact.Reason = walk, walk.Partial(), walk.Reason()
	return walk.Reached, nil
}

// fillImpact counts the affected entities by group, and lists a page of them. fillImpact
// returns the owners of all.
func (s *Service) fillImpact(ctx context.Context, impact *Impact, found *impactWays, r ImpactRequest) (map[string][]string, error) {
	page := r.page(found.reached)
	owners, err := s.endsOf(ctx, found.reached, model.RelationshipOwnedBy, impact.AsOf)
	if err != nil {
		return nil, err
	}
	if err := s.readNodes(ctx, found.walk.nodes, slices.Concat(page, withoutPlatform(found.reached))); err != nil {
		return nil, err
	}
	types, platforms, owned, degrees := counter{}, counter{}, counter{}, counter{}
	for _, e := range found.reached {
		node := found.walk.nodes.of(e)
		types[e.Type]++
		platforms[read.PlatformOf(assetOf(e.URN), &node)]++
		degrees[strconv.Itoa(e.Degree)]++
		owned.addOwners(owners[e.URN])
	}
	impact.ByType, impact.ByPlatform, impact.ByOwner = types.groups(), platforms.groups(), owned.groups()
	impact.ByDegree = degrees.groups()
	sortDegrees(impact.ByDegree)
	if r.Start > 0 || r.Count > 0 {
		impact.Start, impact.Count = r.Start, len(page)
	}
	impact.Entities, err = s.affectedOf(ctx, page, found, owners, impact.AsOf)
	return owners, err
}

// withoutPlatform returns the entities whose URN does not name their platform.
func withoutPlatform(reached []Reached) []Reached {
	var others []Reached
	for _, r := range reached {
		if read.PlatformOf(assetOf(r.URN), &graphstore.Entity{}) == "" {
			others = append(others, r)
		}
	}
	return others
}

// page selects the affected entities that the answer lists.
func (r *ImpactRequest) page(reached []Reached) []Reached {
	count := min(r.Count, catalog.MaxPage)
	if r.Count == 0 {
		count = len(reached)
	}
	from := min(r.Start, len(reached))
	return reached[from:min(from+count, len(reached))]
}

func sortDegrees(groups []ImpactGroup) {
	slices.SortFunc(groups, func(a, b ImpactGroup) int {
		return cmp.Or(cmp.Compare(len(a.Value), len(b.Value)), cmp.Compare(a.Value, b.Value))
	})
}

// affected reads names, platforms and owners of affected entities.
func (s *Service) affected(ctx context.Context, reached []Reached, ways *impactWays, asOf int64) ([]ImpactedEntity, error) {
	owners, err := s.endsOf(ctx, reached, model.RelationshipOwnedBy, asOf)
	if err != nil {
		return nil, err
	}
	return s.affectedOf(ctx, reached, ways, owners, asOf)
}

// affectedOf describes affected entities whose owners were read before, as of a moment; 0 is
// now.
func (s *Service) affectedOf(ctx context.Context, reached []Reached, ways *impactWays, owners map[string][]string, asOf int64) ([]ImpactedEntity, error) {
	described, err := s.describe(ctx, ways.walk.nodes, reached, asOf)
	if err != nil {
		return nil, err
	}
	found := make([]ImpactedEntity, len(reached))
	for i, e := range described {
		found[i] = ImpactedEntity{Entity: e, Owners: owners[e.URN]}
		if found[i].Owners == nil {
			found[i].Owners = []string{}
		}
		if effect := ways.effects[e.URN]; effect != nil {
			found[i].Effect, found[i].Columns = effect.effect, effect.columns
			found[i].Because, found[i].Clauses, found[i].Whole = effect.because, reads.Clauses(effect.reads), effect.whole
			found[i].Reads = reads.WithLines(effect.reads)
		}
	}
	if ways.loss != nil {
		err = s.explain(ctx, ways.loss, found)
	}
	return found, err
}

// counter counts values.
type counter map[string]int

// addOwners counts an entity once for each of its owners, or under "" if it has none.
func (n counter) addOwners(owners []string) {
	for _, owner := range owners {
		n[owner]++
	}
	if len(owners) == 0 {
		n[""]++
	}
}

// groups returns the values, the most frequent first.
func (n counter) groups() []ImpactGroup {
	groups := make([]ImpactGroup, 0, len(n))
	for value, count := range n {
		groups = append(groups, ImpactGroup{value, count})
	}
	slices.SortFunc(groups, func(a, b ImpactGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return groups
}

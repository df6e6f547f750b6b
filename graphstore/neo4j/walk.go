package neo4j

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/cypher"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// packedVisits bounds the entities of a statement that returns many in a row: the database keeps them in memory until it
// has found the last one. Tests lower it.
var packedVisits = limits.MaxReport

// Walk walks in one statement if relationship names and labels alone select the steps, and
// otherwise, or if Ends is asked for, hop by hop.
func (s *Store) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	if len(q.From) == 1 && q.AsOf == 0 && !q.WithoutRemoved && len(q.Ahead) == 0 {
		if pattern, ok := s.pattern(q.Steps); ok {
			return s.walkAtOnce(ctx, &q, pattern)
		}
	}
	w := &walker{s: s, query: &q, seen: make(map[string]bool, len(q.From))}
	for direction, names := range map[graphstore.Direction]*[]string{graphstore.Outgoing: &w.outgoing, graphstore.Incoming: &w.incoming} {
		*names = s.namesOf(slices.Concat(q.Ahead...), &direction)
	}
	return graphstore.WalkByHops(&q, w.begin(), func(v *graphstore.Visit) *graphstore.Visit { return v },
		func(frontier []graphstore.Visit, expires time.Time) ([]graphstore.Visit, error) {
			return w.hop(ctx, frontier, expires)
		})
}

// walkPattern is a walk along relationships of one direction, with exceptions.
type walkPattern struct {
	statement     string
	types, labels []string
	except        []cypher.Exception
}

// mostExceptions bounds the exceptions of a walk: the database looks at all of them for each relationship.
const mostExceptions = 8

// pattern returns the relationships of one direction that are equivalent to the steps, with
// FED_BY in place of mirrored relationships. pattern returns false if the model has too many edges
// with such a name, between such entities, that are not steps.
func (s *Store) pattern(steps []graphstore.Step) (walkPattern, bool) {
	if len(steps) == 0 || len(s.kinds) == 0 {
		return walkPattern{}, false
	}
	for _, direction := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
		p := walkPattern{statement: "read/walk_out"}
		if direction == graphstore.Incoming {
			p.statement = "read/walk_in"
		}
		meant, entityTypes := map[graphstore.EdgeKind]bool{}, map[string]bool{}
		fits := true
		for _, step := range steps {
			kind := step.EdgeKind
			if step.Direction != direction {
				fits = fits && s.mirrored[kind]
				kind = mirrorOf(kind)
			}
			meant[kind], entityTypes[kind.SourceType], entityTypes[kind.DestinationType] = true, true, true
			if !slices.Contains(p.types, kind.Type) {
				p.types = append(p.types, kind.Type)
			}
		}
		if fits {
			p.except, fits = s.exceptions(meant, entityTypes, p.types)
		}
		if !fits {
			continue
		}
		for entityType := range entityTypes {
			p.labels = append(p.labels, s.label(entityType))
		}
		slices.Sort(p.types)
		slices.Sort(p.labels)
		return p, true
	}
	return walkPattern{}, false
}

// mirrorOf returns the kind of the FED_BY that mirrors an edge.
func mirrorOf(kind graphstore.EdgeKind) graphstore.EdgeKind {
	return graphstore.EdgeKind{Type: cypher.FedBy, SourceType: kind.DestinationType, DestinationType: kind.SourceType}
}

// exceptions returns the edges with one of the names between entities of the types that are no steps, and whether they
// are few.
func (s *Store) exceptions(meant map[graphstore.EdgeKind]bool, entityTypes map[string]bool, names []string) (except []cypher.Exception, few bool) {
	kinds := slices.Clone(s.kinds)
	for kind := range s.mirrored {
		kinds = append(kinds, mirrorOf(kind))
	}
	add := func(kind graphstore.EdgeKind) {
		e := cypher.Exception{Type: kind.Type, From: s.label(kind.SourceType), To: s.label(kind.DestinationType)}
		if !meant[kind] && !slices.Contains(except, e) {
			except = append(except, e)
		}
	}
	for _, kind := range kinds {
		switch {
		case !slices.Contains(names, kind.Type) || !entityTypes[kind.SourceType]:
		case kind.DestinationType == "":
			for destination := range entityTypes {
				add(graphstore.EdgeKind{Type: kind.Type, SourceType: kind.SourceType, DestinationType: destination})
			}
		case entityTypes[kind.DestinationType]:
			add(kind)
		}
	}
	slices.SortFunc(except, func(a, b cypher.Exception) int { // the same text each time, so that the database plans once
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return except, len(except) <= mostExceptions
}

// mirrors reports whether any edges with a name are mirrored.
func (s *Store) mirrors(name string) bool {
	for kind := range s.mirrored {
		if kind.Type == name {
			return true
		}
	}
	return false
}

// walkedLabels returns the labels that statements may name.
func (s *Store) walkedLabels() []string {
	labels := map[string]bool{}
	for _, kind := range s.kinds {
		labels[s.label(kind.SourceType)] = true
		if kind.DestinationType != "" {
			labels[s.label(kind.DestinationType)] = true
		}
	}
	return slices.Collect(maps.Keys(labels))
}

// walkAtOnce walks in one statement. A statement that packs many entities into a row costs this process a fraction of one
// with a row for each, but returns nothing before the walk is complete. So it has half of the patience. The other half is
// for a statement that returns rows while the server walks, the nearest first but in no order within a hop, so that the
// hops until then are known. This process sorts the entities. The server sorts them only if their order decides which
// entities a limit leaves out.
func (s *Store) walkAtOnce(ctx context.Context, q *graphstore.WalkQuery, p walkPattern) (graphstore.Walk, error) {
	packed := *q
	if q.Patience > 0 {
		packed.Patience = max(1, q.Patience/2)
	}
	visits, form, err := s.walkPacked(ctx, packed, p)
	late := err != nil && tookTooLong(err) && ctx.Err() == nil
	if many := err == nil && form != "_before" && len(visits) > packedVisits && q.Limit > packedVisits; late || many {
		form = ""
		visits, err = s.tryWalk(ctx, &packed, p, form)
	}
	if err == nil && len(visits) > q.Limit && form != "_before" {
		visits, err = s.tryWalk(ctx, q, p, "_nearest")
	}
	walk := graphstore.Walk{Visits: visits}
	switch {
	case err != nil && tookTooLong(err) && ctx.Err() == nil:
		walk.Visits = wholeHops(visits)
		if walk.Cut = graphstore.CutByTime; len(walk.Visits) == 0 {
			return graphstore.Walk{}, graphstore.ErrImpatient
		}
	case err != nil:
		return graphstore.Walk{}, s.failure(ctx, err)
	}
	walk.Visits = graphstore.SortVisits(walk.Visits)
	if len(walk.Visits) > q.Limit {
		walk.Visits, walk.Cut = walk.Visits[:q.Limit], graphstore.CutByLimit
	}
	return walk, nil
}

// walkPacked walks in the statement that returns many entities in a row and all that the query asks for, and tells
// which form of the statement that is. A walk with predecessors has its entities in order, the nearest first; others
// end after packedVisits.
func (s *Store) walkPacked(ctx context.Context, q graphstore.WalkQuery, p walkPattern) (visits []graphstore.Visit, form string, err error) {
	switch {
	case q.Before:
		form = "_before"
	case len(q.StatedBy) > 0:
		form = "_stated"
	default:
		form = "_packed"
	}
	if form != "_before" {
		q.Limit = min(q.Limit, packedVisits)
	}
	visits, err = s.tryWalk(ctx, &q, p, form)
	return visits, form, err
}

// unpackers read the rows of the forms of statements whose rows have many entities.
var unpackers = map[string]func(visits []graphstore.Visit, r *driver.Record) []graphstore.Visit{
	"_packed": appendAlike, "_stated": appendAlike, "_before": appendListed,
}

// tryWalk runs a form of the statement of a walk, and retries it after transient failures.
func (s *Store) tryWalk(ctx context.Context, q *graphstore.WalkQuery, p walkPattern, form string) ([]graphstore.Visit, error) {
	if s.closed.Load() {
		return nil, graphstore.ErrClosed
	}
	statement, err := s.statements.Walk(p.statement+form, p.types, p.labels, p.except, q.MaxHops)
	if err != nil {
		return nil, err
	}
	params := map[string]any{"urn": q.From[0], "limit": q.Limit + 1, "statedBy": q.StatedBy}
	visits := []graphstore.Visit{}
	add := func(r *driver.Record) { visits = append(visits, visitOf(r)) }
	if unpack := unpackers[form]; unpack != nil {
		add = func(r *driver.Record) { visits = unpack(visits, r) }
	}
	for range readAttempts {
		visits = visits[:0]
		err = s.stream(ctx, s.lanes.walks, statement, params, q.Patience, add)
		if err == nil || !driver.IsRetryable(err) || tookTooLong(err) {
			break
		}
	}
	return visits, err
}

// appendListed appends the entities of a row. Each is a list of all that is known of it.
func appendListed(visits []graphstore.Visit, r *driver.Record) []graphstore.Visit {
	found, _ := r.Values[0].([]any)
	visits = slices.Grow(visits, len(found))
	for _, one := range found {
		list, _ := one.([]any)
		urn, _ := list[0].(string)
		degree, _ := list[1].(int64)
		before, _ := list[4].(string)
		visits = append(visits, graphstore.Visit{
			URN: urn, Type: graphstore.TypeOf(urn), Degree: int(degree), Exists: list[2] == true, Removed: list[3] == true,
			Before: before, Others: list[5] == true,
		})
	}
	return visits
}

// appendAlike appends the entities of a row that has their URNs, and once what is the same of all of them.
func appendAlike(visits []graphstore.Visit, r *driver.Record) []graphstore.Visit {
	value, _ := r.Get("found")
	found, _ := value.([]any)
	visits, same := slices.Grow(visits, len(found)), visitOf(r)
	for _, one := range found {
		v := same
		v.URN, _ = one.(string)
		v.Type = graphstore.TypeOf(v.URN)
		visits = append(visits, v)
	}
	return visits
}

// stream runs a read statement when there is a place in its lane, within its time limit, and
// passes on its records as they arrive.
func (s *Store) stream(ctx context.Context, lane *graphstore.Lane, statement string, params map[string]any, patience time.Duration, each func(*driver.Record)) error {
	leave, err := lane.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	session := s.session(ctx, driver.AccessModeRead)
	defer s.end(ctx, session)
	result, err := session.Run(ctx, statement, params, bounds(ctx, patience)...)
	if err != nil {
		return err
	}
	var record *driver.Record
	for result.NextRecord(ctx, &record) {
		each(record)
	}
	return result.Err()
}

// tookTooLong reports whether the server ended a transaction at its timeout.
func tookTooLong(err error) bool {
	var server *driver.Neo4jError
	return errors.As(err, &server) && strings.HasPrefix(server.Title(), "TransactionTimedOut")
}

// wholeHops removes the last hop, which may be incomplete, or all hops if the rows were not
// ordered by distance.
func wholeHops(visits []graphstore.Visit) []graphstore.Visit {
	byDegree := func(a, b graphstore.Visit) int { return cmp.Compare(a.Degree, b.Degree) }
	if len(visits) == 0 || !slices.IsSortedFunc(visits, byDegree) {
		return nil
	}
	whole, _ := slices.BinarySearchFunc(visits, visits[len(visits)-1], byDegree)
	return visits[:whole]
}

// visitOf reads an entity that was reached. What the record does not have is not known.
func visitOf(r *driver.Record) graphstore.Visit {
	holds := func(key string) bool {
		value, _ := r.Get(key)
		return value == true
	}
	urn := text(r, "urn")
	return graphstore.Visit{
		URN: urn, Type: graphstore.TypeOf(urn), Degree: int(integer(r, "degree")), Exists: holds("exists"), Removed: holds("removed"),
		Before: text(r, "before"), Others: holds("others"), Ends: holds("ends"), Unstated: holds("unstated"), Lacks: holds("lacks"),
	}
}

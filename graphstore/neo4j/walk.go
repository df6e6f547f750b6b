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

// frontierRows bounds the entities from which one statement takes a hop.
const frontierRows = 10_000

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

// walker walks hop by hop, with a few statements for each hop.
type walker struct {
	s     *Store
	query *graphstore.WalkQuery
	seen  map[string]bool
	// outgoing and incoming are the names of the relationships of Ahead.
	outgoing, incoming []string
}

// begin returns the start entities. The walk does not go on from a start entity that has no node.
func (w *walker) begin() []graphstore.Visit {
	begin := make([]graphstore.Visit, 0, len(w.query.From))
	for _, urn := range w.query.From {
		if !w.seen[urn] {
			w.seen[urn] = true
			begin = append(begin, graphstore.Visit{URN: urn, Type: graphstore.TypeOf(urn)})
		}
	}
	return begin
}

// hop returns the entities that are one hop from the frontier.
func (w *walker) hop(ctx context.Context, frontier []graphstore.Visit, expires time.Time) ([]graphstore.Visit, error) {
	byType := map[string][]string{}
	for _, v := range frontier {
		byType[v.Type] = append(byType[v.Type], v.URN)
	}
	var next []graphstore.Visit
	for near, urns := range byType {
		for _, direction := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
			leads := map[string][]string{}
			for _, step := range w.query.Steps {
				if step.Direction == direction && step.NearType() == near && w.s.statements.Known(step.Type) {
					leads[step.Type] = append(leads[step.Type], step.FarType())
				}
			}
			if len(leads) == 0 {
				continue
			}
			for part := range slices.Chunk(urns, frontierRows) {
				if graphstore.Expired(expires) {
					return nil, graphstore.ErrImpatient
				}
				found, err := w.follow(ctx, part, leads, direction)
				if err != nil {
					return nil, err
				}
				next = append(next, found...)
			}
		}
	}
	return w.once(graphstore.SortVisits(next)), nil
}

// once merges entities that were reached twice in a hop: along several relationships, or from several parts
// of the frontier.
func (w *walker) once(next []graphstore.Visit) []graphstore.Visit {
	left := next[:0]
	for _, v := range next {
		if last := len(left) - 1; last >= 0 && left[last].URN == v.URN {
			left[last].MergeVisit(&v)
			continue
		}
		if w.query.MaxHops != 1 { // after the last hop, nobody asks
			w.seen[v.URN] = true
		}
		left = append(left, v)
	}
	return left
}

// follow follows relationships from entities of one type to entities of the types to which each relationship leads.
// If the caller asks which entities lead on, the rows have many entities each. A hop with too many entities for that
// is followed again, without an answer to this question.
func (w *walker) follow(ctx context.Context, urns []string, leads map[string][]string, d graphstore.Direction) ([]graphstore.Visit, error) {
	types := slices.Sorted(maps.Keys(leads))
	name := "read/hop_out"
	if d == graphstore.Incoming {
		name = "read/hop_in"
	}
	params := map[string]any{"urns": urns}
	switch {
	case w.query.AsOf != 0:
		name += "_as_of"
		params["asOf"], params["types"] = w.query.AsOf, types
	case w.query.Before:
		name += "_before"
	case len(w.outgoing) == 0 || len(w.incoming) == 0:
		name += "_plain"
	default:
		next, all, err := w.followPacked(ctx, name, params, leads)
		if err != nil || all {
			return next, err
		}
		name += "_plain"
	}
	statement, err := w.s.statements.WithTypes(name, types)
	if err != nil {
		return nil, err
	}
	var next []graphstore.Visit
	_, err = query(ctx, w.s, w.s.lanes.walks, statement, params, func(r *driver.Record) (struct{}, error) {
		v := visitOf(r)
		if !w.wants(&v, leads[text(r, "relationship")]) {
			return struct{}{}, nil
		}
		if !w.query.Before {
			v.Before, v.Others = "", false
		}
		next = append(next, v)
		return struct{}{}, nil
	})
	return next, err
}

// followPacked is follow with rows of many entities. A row also says which entities lead to further ones, and which lack a
// relationship. The result all reports whether the visits are complete.
func (w *walker) followPacked(ctx context.Context, name string, params map[string]any, leads map[string][]string) (next []graphstore.Visit, all bool, err error) {
	asked := w.s.statements.Known(w.query.Lacking)
	lacking := w.outgoing // any names: the answer is not used
	if asked {
		lacking = []string{w.query.Lacking}
	}
	statement, err := w.s.statements.Hop(name, slices.Sorted(maps.Keys(leads)), w.outgoing, w.incoming, lacking)
	if err != nil {
		return nil, false, err
	}
	params = maps.Clone(params)
	params["limit"] = packedVisits + 1
	read := 0
	_, err = query(ctx, w.s, w.s.lanes.walks, statement, params, func(r *driver.Record) (struct{}, error) {
		before := len(next)
		next = appendAlike(next, r)
		read += len(next) - before
		types := leads[text(r, "relationship")]
		next = append(next[:before], slices.DeleteFunc(next[before:], func(v graphstore.Visit) bool { return !w.wants(&v, types) })...)
		for i := range next[before:] {
			next[before+i].Lacks = asked && next[before+i].Lacks
		}
		return struct{}{}, nil
	})
	return next, read <= packedVisits, err
}

// wants reports whether a hop reaches an entity along a relationship that leads to entities of the types.
func (w *walker) wants(v *graphstore.Visit, types []string) bool {
	return !w.seen[v.URN] && slices.Contains(types, v.Type) && (!w.query.WithoutRemoved || !v.Removed)
}

package neo4j

import (
	"context"
	"fmt"
	"slices"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// CountTimeSeries counts the values in a range.
func (s *Store) CountTimeSeries(ctx context.Context, r graphstore.TimeSeriesRange) (int64, error) {
	return one(ctx, s, "read/count_time_series", rangeParams(&r), func(r *driver.Record) (int64, error) { return integer(r, "total"), nil })
}

func rangeParams(r *graphstore.TimeSeriesRange) row {
	from, to := graphstore.TimeBounds(r.From, r.To)
	return row{"urn": r.URN, "aspect": orNil(r.Aspect), "from": from, "to": to, "runId": orNil(r.RunID)}
}

// held has the counts of one entity.
type held struct {
	urn string
	graphstore.Holdings
}

func heldRecord(r *driver.Record) (held, error) {
	h := held{urn: text(r, "urn"), Holdings: graphstore.Holdings{Versions: integer(r, "versions")}}
	for _, series := range bags(r, "series", func(b bag) bag { return b }) {
		if h.TimeSeries == nil {
			h.TimeSeries = map[string]int64{}
		}
		h.TimeSeries[series.text("aspect")] = series.integer("total")
	}
	return h, nil
}

func holdings(list []held, err error) (map[string]graphstore.Holdings, error) {
	found := make(map[string]graphstore.Holdings, len(list))
	for _, h := range list {
		found[h.urn] = h.Holdings
	}
	return found, err
}

// Holdings counts the versions and values of entities.
func (s *Store) Holdings(ctx context.Context, urns []string) (map[string]graphstore.Holdings, error) {
	return holdings(rows(ctx, s, "read/holdings", map[string]any{"urns": urns}, heldRecord))
}

// Holdings counts the versions and values of entities.
func (t *tx) Holdings(urns []string) (map[string]graphstore.Holdings, error) {
	if err := t.current(); err != nil {
		return nil, err
	}
	return holdingsIn(t, urns)
}

func holdingsIn(r runner, urns []string) (map[string]graphstore.Holdings, error) {
	return holdings(records(r, "read/holdings", map[string]any{"urns": urns}, heldRecord))
}

// historyAttempts bounds the readings of the history of entities that are written meanwhile.
const historyAttempts = 10

// History returns all that is stored of entities except their time series. The parts of one
// entity's history are from the same moment. A transaction of the server sees commits that
// other transactions make meanwhile, so History compares the numbers of the versions before and
// after: edges change only together with a version.
func (s *Store) History(ctx context.Context, urns []string) (map[string]graphstore.History, error) {
	found := map[string]graphstore.History{}
	for range historyAttempts {
		if len(urns) == 0 {
			return found, nil
		}
		before, err := s.historyNumbers(ctx, urns)
		if err != nil {
			return nil, err
		}
		read, err := s.history(ctx, urns)
		if err != nil {
			return nil, err
		}
		after, err := s.historyNumbers(ctx, urns)
		if err != nil {
			return nil, err
		}
		var moved []string
		for _, urn := range urns {
			if !slices.Equal(before[urn], after[urn]) {
				moved = append(moved, urn)
			} else if h, ok := read[urn]; ok {
				found[urn] = h
			}
		}
		urns = moved
	}
	return nil, fmt.Errorf("%d entities are being written continuously: %w", len(urns), graphstore.ErrBusy)
}

// HistoryBytes lets the database add up the sizes of versions.
func (s *Store) HistoryBytes(ctx context.Context, urns []string) (map[string]int64, error) {
	found := map[string]int64{}
	if len(urns) == 0 {
		return found, nil
	}
	_, err := rows(ctx, s, "read/history_bytes", map[string]any{"urns": urns}, func(r *driver.Record) (struct{}, error) {
		found[text(r, "urn")] = integer(r, "bytes")
		return struct{}{}, nil
	})
	return found, err
}

func (s *Store) historyNumbers(ctx context.Context, urns []string) (map[string][]any, error) {
	numbers := map[string][]any{}
	_, err := rows(ctx, s, "read/history_numbers", map[string]any{"urns": urns}, func(r *driver.Record) (struct{}, error) {
		list, _ := r.Get("numbers")
		numbers[text(r, "urn")], _ = list.([]any)
		return struct{}{}, nil
	})
	return numbers, err
}

func (s *Store) history(ctx context.Context, urns []string) (map[string]graphstore.History, error) {
	found := map[string]graphstore.History{}
	versions, err := rows(ctx, s, "read/history_versions", map[string]any{"urns": urns}, aspectRecord)
	if err != nil {
		return nil, err
	}
	for urn, aspects := range byURN(versions) {
		found[urn] = graphstore.History{Versions: aspects}
	}
	if len(s.types) == 0 {
		return found, nil // the model has no relationships
	}
	text, err := s.statements.WithTypes("read/history_statements", slices.Sorted(slices.Values(s.types)))
	if err != nil {
		return nil, err
	}
	statements, err := query(ctx, s, s.lanes.of("read/history_statements"), text, map[string]any{"urns": urns}, statementRecord)
	if err != nil {
		return nil, err
	}
	for i := range statements {
		h := found[statements[i].Owner]
		h.Add(statements[i])
		found[statements[i].Owner] = h
	}
	for urn, h := range found {
		h.Sort()
		found[urn] = h
	}
	return found, nil
}

// Ended returns the ended statements that were current at the given moments.
func (t *tx) Ended(asked []graphstore.StatementAt) ([]*graphstore.EndedStatement, error) {
	if err := t.current(); err != nil {
		return nil, err
	}
	return endedIn(t, asked)
}

func endedIn(r runner, asked []graphstore.StatementAt) ([]*graphstore.EndedStatement, error) {
	found, wanted := make([]*graphstore.EndedStatement, len(asked)), make([]row, len(asked))
	for i := range asked {
		wanted[i] = identityRow(&asked[i].EdgeID)
		wanted[i]["n"], wanted[i]["at"] = i, asked[i].At
	}
	for chunk := range slices.Chunk(wanted, rowsAtOnce) {
		_, err := records(r, "read/ended_at", map[string]any{"rows": chunk}, func(r *driver.Record) (struct{}, error) {
			e, err := statementRecord(r)
			found[integer(r, "n")] = &e
			return struct{}{}, err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func statementRecord(r *driver.Record) (graphstore.EndedStatement, error) {
	b := bag(properties(r, "statement"))
	return graphstore.EndedStatement{
		EdgeStatement: graphstore.EdgeStatement{
			EdgeID: graphstore.EdgeID{
				Owner: b.text("owner"), Aspect: b.text("aspect"), Path: b.text("path"),
				Source: text(r, "source"), Type: text(r, "type"), Destination: text(r, "destination"),
			},
			SourceType: text(r, "sourceType"), DestinationType: text(r, "destinationType"),
			EdgeAttributes: attributesOf(b),
			Since:          b.integer("since"), SinceRun: b.text("sinceRun"), SinceActor: b.text("sinceActor"),
			Resumed: b.integer("resumed"), ResumedActor: b.text("resumedActor"),
		},
		Until: b.integer("until"), UntilRun: b.text("untilRun"), UntilActor: b.text("untilActor"),
	}, nil
}

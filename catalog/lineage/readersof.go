package lineage

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/reads"
)

// ColumnReader is an entity that reads a column, or may read it. Because is one of the Because… constants, and Why the
// reason as a sentence; Clauses are the clauses in which the SQL of the entity reads the column.
type ColumnReader struct {
	URN     string   `json:"urn"`
	Type    string   `json:"type"`
	Because string   `json:"because"`
	Why     string   `json:"why"`
	Clauses []string `json:"clauses,omitempty"`
}

// ColumnReaders are the entities that read a column for certain, and the entities that may read it.
type ColumnReaders struct{ Certain, Possible []ColumnReader }

// DatasetReaders says who reads columns of a dataset.
type DatasetReaders struct {
	// Columns are the readers by the URN of the column.
	Columns map[string]*ColumnReaders
	// Queries is how many queries about the dataset were looked at: saved queries, and queries that ran since the
	// moment of the question.
	Queries int
	// Partial says why there may be more readers; "" if all were looked at.
	Partial string
}

// ReadersOf finds the entities one hop from columns of a dataset that the loss of each column would affect, and the
// queries that read it. Queries that somebody saw run count if they ran since a moment, in epoch milliseconds, or if
// they do not say when. Soft-deleted entities do not count.
func (s *Service) ReadersOf(ctx context.Context, dataset model.URN, columns []model.URN, since int64) (*DatasetReaders, error) {
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	found := &DatasetReaders{Columns: make(map[string]*ColumnReaders, len(columns))}
	queries, err := s.ranQueries(ctx, dataset.String(), since, found)
	if err != nil {
		return nil, err
	}
	ran, err := s.judgeRan(ctx, dataset.String(), catalog.Texts(columns), queries)
	if err != nil {
		return nil, err
	}
	for _, column := range columns {
		readers, cut, err := s.readersOfColumn(ctx, column)
		if err != nil {
			return nil, err
		}
		if cut != graphstore.NotCut {
			found.Partial = "there are more readers than were looked at"
		}
		if err := ran.add(ctx, readers, column.String()); err != nil {
			return nil, err
		}
		found.Columns[column.String()] = readers
	}
	return found, nil
}

// readersOfColumn returns the entities that the loss of a column affects directly, without the queries that nobody saved.
func (s *Service) readersOfColumn(ctx context.Context, column model.URN) (*ColumnReaders, graphstore.Cut, error) {
	q := WalkQuery{URN: column, Direction: Downstream, MaxHops: 1, paths: true}
	if err := checkWalk(&q); err != nil {
		return nil, graphstore.NotCut, err
	}
	loss, err := s.followLoss(ctx, q, ChangeDrop, s.walkFromStart)
	if err != nil {
		return nil, graphstore.NotCut, err
	}
	readers := &ColumnReaders{}
	var urns []string
	for _, e := range loss.found {
		if !e.on.Removed {
			urns = append(urns, e.on.URN)
		}
	}
	slices.Sort(urns)
	named, err := s.nameAll(ctx, append(slices.Clone(urns), loss.start))
	if err != nil {
		return nil, graphstore.NotCut, err
	}
	for _, urn := range urns {
		e := loss.effects[urn]
		clauses := reads.Clauses(e.reads)
		one := &ImpactedEntity{Because: e.because, Clauses: clauses, Columns: e.columns}
		one.URN, one.Name = urn, named[urn]
		readers.add(e.effect, ColumnReader{URN: urn, Type: typeOf(urn), Because: e.because, Why: loss.why(one, named), Clauses: clauses})
	}
	return readers, loss.cut, nil
}

func (r *ColumnReaders) add(effect string, one ColumnReader) {
	if effect == EffectCertain {
		r.Certain = append(r.Certain, one)
	} else {
		r.Possible = append(r.Possible, one)
	}
}

// nameAll returns the names of entities.
func (s *Service) nameAll(ctx context.Context, urns []string) (map[string]string, error) {
	names := map[string]string{}
	for some := range slices.Chunk(urns, catalog.MaxPage) {
		found, err := s.names.Name(ctx, some)
		if err != nil {
			return nil, err
		}
		for urn, n := range found {
			names[urn] = n.Name
		}
	}
	return names, nil
}

// ranQueries returns the queries about a dataset that nobody saved and that ran since a moment. It counts both these
// and the saved queries.
func (s *Service) ranQueries(ctx context.Context, dataset string, since int64, found *DatasetReaders) (map[string]*savedQuery, error) {
	edges, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: []string{dataset}, Direction: graphstore.Incoming, Page: graphstore.Page{Count: limits.MaxUnusedQueries},
		Kinds: []graphstore.EdgeKind{{Type: model.RelationshipIsAssociatedWith, SourceType: model.EntityQuery, DestinationType: model.EntityDataset}},
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	page := edges[dataset]
	if int(page.Total) > len(page.Edges) {
		found.Partial = "there are more queries about the table than were looked at"
	}
	urns := make([]string, len(page.Edges))
	for i := range page.Edges {
		urns[i] = page.Edges[i].Source
	}
	ran := map[string]*savedQuery{}
	names := []string{model.AspectQueryProperties, model.AspectQuerySubjects, model.AspectDerivedSubjects, model.AspectStatus}
	err = s.eachAspects(ctx, distinct(urns), names, func(urn string, aspects []graphstore.Aspect) error {
		q, err := newSavedQuery(urn, aspects)
		if err != nil {
			return err
		}
		last, removed, err := lastRun(urn, aspects)
		if err != nil || removed || q.Source == systemQuery && last > 0 && last < since {
			return err
		}
		found.Queries++
		if q.Source == systemQuery {
			q.Source = "" // the query ran, so it is judged like a saved one
			ran[urn] = q
		}
		return nil
	})
	return ran, err
}

// lastRun returns when a query was last seen, epoch milliseconds, 0 if that is not known, and whether it is soft-deleted.
func lastRun(urn string, aspects []graphstore.Aspect) (last int64, removed bool, err error) {
	for i := range aspects {
		var f struct {
			Removed      bool `json:"removed"`
			LastModified struct {
				Time int64 `json:"time"`
			} `json:"lastModified"`
		}
		if err := json.Unmarshal(aspects[i].Value, &f); err != nil {
			return 0, false, catalog.Errorf(catalog.Internal, "%s of %s: %w", aspects[i].Name, urn, err)
		}
		last, removed = max(last, f.LastModified.Time), removed || f.Removed
	}
	return last, removed, nil
}

// queriesThatRan are queries about a dataset, with the facts to judge them for each of its columns.
type queriesThatRan struct {
	s      *Service
	judged []*judgement
}

// newTexts returns a reader of SQL for one question.
func (s *Service) newTexts() *reads.Reader { return s.texts.Reader(s.now().Add(walkPatience), s.now) }

// judgeRan prepares the judgement of queries for columns of a dataset.
func (s *Service) judgeRan(ctx context.Context, dataset string, columns []string, queries map[string]*savedQuery) (*queriesThatRan, error) {
	ran := &queriesThatRan{s: s}
	if len(queries) == 0 {
		return ran, nil
	}
	now := s.aspectsAsOf(0)
	lost, err := s.lost(ctx, now, dataset, columns)
	if err != nil {
		return nil, err
	}
	for _, urn := range slices.Sorted(maps.Keys(queries)) {
		ran.judged = append(ran.judged, &judgement{lost: lost, urn: urn, of: model.EntityQuery, reader: &reader{}, query: queries[urn]})
	}
	return ran, s.findSQL(ctx, now, s.newTexts(), ran.judged)
}

// add adds the queries that read a column.
func (r *queriesThatRan) add(ctx context.Context, readers *ColumnReaders, column string) error {
	texts := r.s.newTexts()
	for _, all := range r.judged {
		lost := *all.lost
		lost.urns, lost.paths = []string{column}, plainPaths([]string{column})
		j := *all
		j.lost = &lost
		var err error
		if j.found, err = texts.Read(ctx, lost.paths, j.tables, j.statements); err != nil {
			return err
		}
		e := j.effect()
		if e == nil {
			continue
		}
		path := lost.paths[0]
		why := "a query that ran may read " + path + ": " + e.detail
		switch e.because {
		case BecauseSubject:
			why = "a query that ran names " + path + " as its subject"
		case BecauseSQL:
			why = "a query that ran reads " + path + " in " + reads.PlacesText(e.reads)
		}
		readers.add(e.effect, ColumnReader{URN: j.urn, Type: model.EntityQuery, Because: e.because, Why: why, Clauses: reads.Clauses(e.reads)})
	}
	return nil
}

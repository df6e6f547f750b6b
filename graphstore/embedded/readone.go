package embedded

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// A read of one entity takes the id of the entity from the cache, and finds the aspects of the
// entity by their ids.

// aspectColumns are the columns of a version that aspectOf reads. The value is read as a blob
// because the driver copies a text once more.
const aspectColumns = "seq, created_on, created_by, last_observed, run, registry, properties, last_run, made_on, made_by, CAST(value AS BLOB)"

// aspectOf reads aspectColumns, which must be the last columns of the row.
func (n *names) aspectOf(a *graphstore.Aspect, row sqlite.Row) error {
	row = row[len(row)-11:]
	a.Seq, a.CreatedOn, a.System.LastObserved = row.Int(0), row.Int(1), row.Int(3)
	a.Value = row.Bytes(10)
	// A NULL number is read as 0. No name has the number 0, and no moment is that long ago.
	var registry, madeBy string
	err := n.fill(named{&a.CreatedBy, row.Int(2)}, named{&a.System.RunID, row.Int(4)}, named{&registry, row.Int(5)},
		named{&a.System.LastRunID, row.Int(7)}, named{&madeBy, row.Int(9)})
	if err != nil {
		return err
	}
	a.System.RegistryName, a.System.RegistryVersion, _ = strings.Cut(registry, registrySeparator)
	if row.Int(9) != 0 {
		a.System.AspectCreated = &graphstore.Stamp{Time: row.Int(8), Actor: madeBy}
	}
	if properties := row.Text(6); properties != "" {
		return readDetails(properties, &a.System)
	}
	return nil
}

// latestOf reads a row of latestOfAll or latestOfSome.
func (n *names) latestOf(urn string, row sqlite.Row) (graphstore.Aspect, error) {
	a := graphstore.Aspect{URN: urn, Name: n.aspect(row.Int(0) % maxAspectNames)}
	return a, n.aspectOf(&a, row)
}

// fewAspects bounds the aspects of an entity that one statement reads by name.
const fewAspects = 8

// These statements read one entity. latestOfAll reads the latest versions of all aspects.
// latestOfSome has, for each number of aspects, the statement that reads this number of aspects.
var (
	readEntityID = "SELECT id FROM entity WHERE urn = ?"
	readLatest   = "SELECT " + aspectColumns + " FROM latest WHERE id = ?"
	readLastSeq  = "SELECT coalesce(max(seq), 0) FROM version WHERE aspect = ?"
	latestOfAll  = "SELECT id, " + aspectColumns + " FROM latest WHERE id BETWEEN ? AND ?"
	latestOfSome = func() (texts [fewAspects + 1]string) {
		one := "SELECT id, " + aspectColumns + " FROM latest WHERE id = ?"
		for n := 1; n < len(texts); n++ {
			texts[n] = one + strings.Repeat(" UNION ALL "+one, n-1)
		}
		return texts
	}()
)

// latestOfOne returns the latest versions of a few aspects of an entity, or of all if none are
// named. One statement reads them, so they are from the same moment.
func (s *Store) latestOfOne(ctx context.Context, urn string, names []string) (map[string][]graphstore.Aspect, error) {
	none := map[string][]graphstore.Aspect{}
	entity, err := s.entityID(ctx, urn)
	if err != nil || entity == 0 {
		return none, err
	}
	var aspects []graphstore.Aspect
	if len(names) == 0 {
		err = s.points.each(ctx, latestOfAll, func(row sqlite.Row) error {
			a, err := s.names.latestOf(urn, row)
			aspects = append(aspects, a)
			return err
		}, entity*maxAspectNames, (entity+1)*maxAspectNames-1)
	} else {
		aspects, err = s.latestOfSome(ctx, urn, entity, names)
	}
	if err != nil || len(aspects) == 0 {
		return none, s.failure(err)
	}
	return map[string][]graphstore.Aspect{urn: aspects}, nil
}

// latestOfSome returns the latest versions of a few aspects of an entity, from the cache if it
// has all of them.
func (s *Store) latestOfSome(ctx context.Context, urn string, entity int64, names []string) ([]graphstore.Aspect, error) {
	var room [fewAspects]int64
	ids := room[:0]
	for _, name := range names {
		if id := s.names.aspectID(name); id != 0 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, s.open()
	}
	aspects, epoch, ok := s.memory.latest.find(entity, ids)
	if ok {
		return aspects, ctx.Err()
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = entity*maxAspectNames + id
	}
	read := make(map[int64]graphstore.Aspect, len(ids))
	err := s.points.each(ctx, latestOfSome[len(args)], func(row sqlite.Row) error {
		a, err := s.names.latestOf(urn, row)
		aspects, read[row.Int(0)%maxAspectNames] = append(aspects, a), a
		return err
	}, args...)
	if err == nil {
		s.memory.latest.add(epoch, entity, ids, read)
	}
	return aspects, err
}

// entityID returns the id of an entity, 0 if it has no row.
func (s *Store) entityID(ctx context.Context, urn string) (int64, error) {
	if id, ok := s.memory.ids.find(urn); ok {
		return id, s.open()
	}
	var id int64
	err := s.points.each(ctx, readEntityID, func(row sqlite.Row) error {
		id = row.Int(0)
		return nil
	}, urn)
	if err == nil && id != 0 {
		s.memory.ids.add(urn, id)
	}
	return id, s.failure(err)
}

// aspectID returns the id of the row that an aspect has or would have, 0 if it can have none.
func (s *Store) aspectID(ctx context.Context, key graphstore.AspectKey) (int64, error) {
	name := s.names.aspectID(key.Name)
	if name == 0 {
		return 0, s.open()
	}
	entity, err := s.entityID(ctx, key.URN)
	if err != nil || entity == 0 {
		return 0, err
	}
	return entity*maxAspectNames + name, nil
}

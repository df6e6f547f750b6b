package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// These statements read the destinations of edges and their sources, as two arrays in the same
// order.
const (
	destinations        = `SELECT j.value AS near, x.dst AS far FROM json_each(?1) j CROSS JOIN edge x ON x.src = j.value AND x.type = ?2`
	endedDestinations   = `SELECT j.value, x.dst FROM json_each(?1) j CROSS JOIN ended_edge x ON x.src = j.value AND x.type = ?2`
	destinationsThen    = " AND coalesce(x.resumed, x.since) <= ?3"
	currentDestinations = "SELECT json_group_array(near), json_group_array(far) FROM (" + destinations + " WHERE ?3 = 0)"
	pastDestinations    = "SELECT json_group_array(near), json_group_array(far) FROM (" + destinations + destinationsThen +
		" UNION ALL " + endedDestinations + destinationsThen + " AND x.until > ?3)"
)

// RemovedAmong finds the entities that are soft-deleted.
func (s *Store) RemovedAmong(ctx context.Context, urns []string) (map[string]bool, error) {
	removed := map[string]bool{}
	if err := s.open(); err != nil || len(urns) == 0 {
		return removed, err
	}
	nodes, err := s.locate(ctx, urns)
	for _, n := range nodes {
		if n.removed {
			removed[urns[n.place]] = true
		}
	}
	return removed, err
}

// FarEnds finds the entities to which relationships lead.
func (s *Store) FarEnds(ctx context.Context, q graphstore.EndQuery) (map[string][]string, error) {
	found := map[string][]string{}
	if err := s.open(); err != nil {
		return nil, err
	}
	name, err := s.names.find(q.Type)
	if err != nil || name == 0 {
		return found, s.failure(err)
	}
	nodes, err := s.locate(ctx, q.URNs)
	if err != nil {
		return nil, err
	}
	urns := map[int64]string{}
	for part := range slices.Chunk(nodes, frontierRows) {
		places := placesOf(part)
		ends, err := s.destinationsOf(ctx, part, name, q.AsOf)
		if err != nil {
			return nil, s.failure(err)
		}
		if err := s.nameEnds(ctx, ends, urns); err != nil {
			return nil, err
		}
		for id, list := range ends {
			named := make([]string, len(list))
			for i, end := range list {
				named[i] = urns[end]
			}
			slices.Sort(named)
			found[q.URNs[places[id]]] = slices.Compact(named)
		}
	}
	return found, nil
}

func (s *Store) destinationsOf(ctx context.Context, nodes []located, name, asOf int64) (map[int64][]int64, error) {
	ids := make([]int64, len(nodes))
	for i, n := range nodes {
		ids[i] = n.id
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	text := currentDestinations
	if asOf != 0 {
		text = pastDestinations
	}
	rows, err := s.readers.QueryContext(ctx, text, string(list), name, asOf)
	if err != nil {
		return nil, err
	}
	return scanEnds[int64](rows, func(far int64) int64 { return far })
}

// scanEnds reads the only row of a statement: two arrays in the same order, with the near ends
// and the far ends of edges.
func scanEnds[E any](rows *sql.Rows, of func(far int64) E) (map[int64][]E, error) {
	defer rows.Close()
	found := map[int64][]E{}
	var nears, fars sql.RawBytes
	if !rows.Next() {
		return found, rows.Err()
	}
	if err := rows.Scan(&nears, &fars); err != nil {
		return nil, err
	}
	next, stop := iter.Pull(integers(fars))
	defer stop()
	for id := range integers(nears) {
		far, _ := next()
		found[id] = append(found[id], of(far))
	}
	return found, rows.Err()
}

// nameEnds adds the URNs of far ends to the known URNs.
func (s *Store) nameEnds(ctx context.Context, ends map[int64][]int64, urns map[int64]string) error {
	var missing []int64
	for _, list := range ends {
		for _, end := range list {
			if _, known := urns[end]; !known {
				urns[end] = ""
				missing = append(missing, end)
			}
		}
	}
	return s.nameEntities(ctx, missing, urns)
}

// nameEntities finds the URNs of entities in the cache or the database, and caches the entities.
func (s *Store) nameEntities(ctx context.Context, ids []int64, into map[int64]string) error {
	epoch := s.memory.now()
	cached, unread := s.memory.nodes(ids)
	for id, n := range cached {
		into[id] = n.urn
	}
	if len(unread) == 0 {
		return nil
	}
	list, err := json.Marshal(unread)
	if err != nil {
		return err
	}
	rows, err := s.readers.QueryContext(ctx, nodesByID, string(list))
	if err != nil {
		return s.failure(err)
	}
	read, err := s.scanNodes(rows, epoch)
	for id, n := range read {
		into[id] = n.urn
	}
	return s.failure(err)
}

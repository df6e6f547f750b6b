package lineage

import (
	"context"

	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
)

// addReadings gives edges both readings of their SQL, where a client's SQL parser and the server differ, or differed at the
// moment.
func (s *Service) addReadings(ctx context.Context, edges []*Link, asOf int64) error {
	var owners []string
	for _, e := range edges {
		if e.Provenance != nil {
			owners = append(owners, e.StatedBy...)
		}
	}
	readings, err := s.readingsAt(ctx, owners, asOf)
	if err != nil || len(readings) == 0 {
		return err
	}
	for _, e := range edges {
		if e.Provenance != nil {
			e.Provenance.Readings = readings.Of(e.Downstream, e.Upstream)
		}
	}
	return nil
}

// readingsAt reads the differing readings of entities. For a past moment, it reads the readings of a limited number of
// entities, as impact does.
func (s *Service) readingsAt(ctx context.Context, entities []string, asOf int64) (statements.DifferentReadings, error) {
	past := s.aspectsAsOf(asOf)
	return statements.ReadingsOf(ctx, func(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
		stored, _, err := past.read(ctx, urns, names)
		return stored, err
	}, entities)
}

// addReadings gives the edges of pages both readings of their SQL.
func (h *lineageHop) addReadings(ctx context.Context, pages map[string]RelationshipsPage) error {
	var owners []string
	for _, page := range pages {
		for i := range page.Relationships {
			owners = append(owners, page.Relationships[i].edge.Owners...)
		}
	}
	readings, err := h.c.readingsAt(ctx, owners, h.query.AsOf)
	if err != nil || len(readings) == 0 {
		return err
	}
	for _, page := range pages {
		for i := range page.Relationships {
			r := &page.Relationships[i]
			if r.readings = readings.Of(r.edge.Source, r.edge.Destination); r.readings == nil {
				r.readings = readings.Of(r.edge.Destination, r.edge.Source)
			}
		}
	}
	return nil
}

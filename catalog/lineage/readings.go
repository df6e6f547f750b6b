package lineage

import (
	"context"

	"github.com/headwater-io/headwater/catalog/statements"
)

// addReadings gives edges of the present both readings of their SQL, where a client's SQL parser and the server differ.
func (s *Service) addReadings(ctx context.Context, edges []*Link, asOf int64) error {
	if asOf != 0 {
		return nil
	}
	var owners []string
	for _, e := range edges {
		if e.Provenance != nil {
			owners = append(owners, e.StatedBy...)
		}
	}
	readings, err := statements.ReadingsOf(ctx, s.store, owners)
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

// addReadings gives the edges of pages both readings of their SQL.
func (h *lineageHop) addReadings(ctx context.Context, pages map[string]RelationshipsPage) error {
	if h.query.AsOf != 0 {
		return nil
	}
	var owners []string
	for _, page := range pages {
		for i := range page.Relationships {
			owners = append(owners, page.Relationships[i].edge.Owners...)
		}
	}
	readings, err := statements.ReadingsOf(ctx, h.c.store, owners)
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

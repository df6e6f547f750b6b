package lineage

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// aspectReader reads aspects as of now or as of a past moment.
type aspectReader struct {
	s *Service
	// asOf is the moment, epoch milliseconds; 0 is now.
	asOf int64
	// left is the number of entities whose former versions may still be read.
	left int
	// tables reads the columns of tables beside the entities that are judged, with a number of its own.
	tables *aspectReader
}

// ofTables returns the reader of tables that the judged entities read as well.
func (r *aspectReader) ofTables() *aspectReader {
	if r.tables == nil {
		r.tables = r.s.aspectsAsOf(r.asOf)
	}
	return r.tables
}

func (s *Service) aspectsAsOf(at int64) *aspectReader {
	return &aspectReader{s: s, asOf: at, left: limits.ImpactPastEntities}
}

// read returns aspects of entities at the moment of the reader. unknown has the reason for each
// entity whose aspects at that moment are not all known.
func (r *aspectReader) read(ctx context.Context, urns, names []string) (stored map[string][]graphstore.Aspect, unknown map[string]string, err error) {
	if r.asOf == 0 {
		stored, err = r.s.store.LatestAspects(ctx, urns, names)
		return stored, nil, catalog.StoreFailure(err)
	}
	some := urns[:min(r.left, len(urns))]
	r.left -= len(some)
	stored, unknown = map[string][]graphstore.Aspect{}, map[string]string{}
	past := map[string]history.PastAspects{}
	if len(some) > 0 {
		if past, err = r.s.history.AspectsAt(ctx, some, r.asOf, names); err != nil {
			return nil, nil, err
		}
	}
	for urn, aspects := range past {
		if stored[urn] = aspects.Values; len(aspects.Lost) > 0 {
			unknown[urn] = "its " + aspects.Lost[0] + " of that moment is not kept any more"
		}
	}
	for _, urn := range urns[len(some):] {
		unknown[urn] = "former versions are read of fewer entities"
	}
	return stored, unknown, nil
}

package write

import (
	"encoding/json"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// keepRolledBack keeps a version that is rolled back for timelines, if these
// cover its aspect.
func (s *session) keepRolledBack(ch *change, latest, predecessor *graphstore.Aspect) error {
	if s.w.keepRolledBack == nil || !s.w.keepRolledBack(ch.aspect) {
		return nil
	}
	gone := catalog.RolledBackVersion{
		Aspect: ch.aspect.Name, CreatedOn: latest.CreatedOn, CreatedBy: latest.CreatedBy, Run: latest.System.RunID, Value: latest.Value,
	}
	if predecessor != nil {
		gone.Before = predecessor.Seq
	}
	value, err := json.Marshal(gone)
	if err != nil {
		return catalog.Errorf(catalog.Internal, "a version that is rolled back: %w", err)
	}
	now := s.tx.Now()
	s.pending.PutTimeSeries = append(s.pending.PutTimeSeries, graphstore.TimeSeriesValue{
		URN: ch.urn.String(), Aspect: catalog.RolledBackSeries, Key: strconv.FormatInt(now, 10) + " " + ch.aspect.Name, Timestamp: now,
		Value: value, CreatedOn: now, CreatedBy: s.actor,
	})
	s.noteLast(ch.entity.Name)
	return nil
}

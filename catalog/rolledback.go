package catalog

import (
	"encoding/json"
	"strconv"

	"github.com/headwater-io/headwater/graphstore"
)

// RolledBackSeries is the time series in which a rollback keeps the versions
// that it removed from an entity. No model has it. Its values do not belong to
// a run, so no rollback removes them.
const RolledBackSeries = "takenBack"

// RolledBackVersion is a version that a rollback removed.
type RolledBackVersion struct {
	Aspect string `json:"aspect"`
	// Before is the Seq of the version that replaced it, 0 for none. CreatedOn
	// (epoch milliseconds), CreatedBy and Run are when it was written, by whom
	// and in which run.
	Before    int64           `json:"before"`
	CreatedOn int64           `json:"createdOn"`
	CreatedBy string          `json:"createdBy"`
	Run       string          `json:"run"`
	Value     json.RawMessage `json:"value"`

	// At is when it was rolled back, epoch milliseconds, By is the actor who did
	// that.
	At int64  `json:"-"`
	By string `json:"-"`
}

// keepRolledBack keeps a version that is rolled back for timelines, if these
// cover its aspect.
func (s *session) keepRolledBack(ch *change, latest, predecessor *graphstore.Aspect) error {
	if s.c.keepRolledBack == nil || !s.c.keepRolledBack(ch.aspect) {
		return nil
	}
	gone := RolledBackVersion{
		Aspect: ch.aspect.Name, CreatedOn: latest.CreatedOn, CreatedBy: latest.CreatedBy, Run: latest.System.RunID, Value: latest.Value,
	}
	if predecessor != nil {
		gone.Before = predecessor.Seq
	}
	value, err := json.Marshal(gone)
	if err != nil {
		return Errorf(Internal, "a version that is rolled back: %w", err)
	}
	now := s.tx.Now()
	s.pending.PutTimeSeries = append(s.pending.PutTimeSeries, graphstore.TimeSeriesValue{
		URN: ch.urn.String(), Aspect: RolledBackSeries, Key: strconv.FormatInt(now, 10) + " " + ch.aspect.Name, Timestamp: now,
		Value: value, CreatedOn: now, CreatedBy: s.actor,
	})
	s.noteLast(ch.entity.Name)
	return nil
}

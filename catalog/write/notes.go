package write

import (
	"maps"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// Notes are records of the change log for replicas alone, about differences that an export shows
// and no other change tells. A note with the key of a time-series value is about this value. A note
// about a key aspect is about when the latest versions of the entity were last observed or, if it
// has a Seq, about everything that is stored of the entity. Any other note is about everything that
// is stored of its aspect.

// noteObserved adds a note for each entity with pending equal writes.
func (s *session) noteObserved() {
	for _, urn := range slices.Sorted(maps.Keys(s.observed)) {
		note := s.record(s.observed[urn], graphstore.ChangeNote)
		note.Aspect = s.observed[urn].entity.KeyAspect
		s.pending.Changes = append(s.pending.Changes, note)
	}
	clear(s.observed)
}

// noteWhole adds a note that everything that is stored of an entity may have changed.
func (s *session) noteWhole(h *History) {
	note := s.record(&change{urn: h.URN, entity: h.entity, aspect: s.w.Registry().AnyAspect(h.entity.KeyAspect)}, graphstore.ChangeNote)
	note.Seq = 1
	s.pending.Changes = append(s.pending.Changes, note)
}

// noteLast adds a note of the value that was added to the batch last.
func (s *session) noteLast(entityType string) {
	value := &s.pending.PutTimeSeries[len(s.pending.PutTimeSeries)-1]
	s.pending.Changes = append(s.pending.Changes, noteOf(value, entityType, s.tx.Now(), s.actor))
}

func noteOf(value *graphstore.TimeSeriesValue, entityType string, now int64, actor string) graphstore.Change {
	return graphstore.Change{
		Time: now, Actor: actor, Kind: graphstore.ChangeNote, URN: value.URN, EntityType: entityType,
		Aspect: value.Aspect, TimeSeriesTime: value.Timestamp, TimeSeriesKey: value.Key,
	}
}

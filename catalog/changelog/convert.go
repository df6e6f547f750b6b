package changelog

import (
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
)

// changesOf converts stored changes to a new list for one caller. The caller may clear changes
// of its list while other callers still use the stored changes.
func changesOf(stored []graphstore.Change) []catalog.Change {
	changes := make([]catalog.Change, len(stored))
	for i := range stored {
		s := &stored[i]
		changes[i] = catalog.Change{
			Cursor: s.Cursor, Time: s.Time, Actor: s.Actor, Kind: catalog.ChangeKind(s.Kind), URN: s.URN, EntityType: s.EntityType, Aspect: s.Aspect,
			Seq: s.Seq, PreviousSeq: s.PreviousSeq, SeriesKey: s.TimeSeriesKey,
			Value: s.Value, Previous: s.Previous, System: systemOfChange(s.System, s.Seq), PreviousSystem: systemOfChange(s.PreviousSystem, s.PreviousSeq),
			ValuesPruned: s.ValuesPruned,
		}
	}
	return changes
}

// systemOfChange returns the system metadata of a version that a change refers to. A seq of 0
// stands for no version.
func systemOfChange(stored *graphstore.SystemMetadata, seq int64) *catalog.SystemMetadata {
	s := catalog.SystemOf(stored)
	if s != nil && seq > 0 {
		s.Version = strconv.FormatInt(seq, 10)
	}
	return s
}

// headsOf returns the heads of stored changes.
func headsOf(stored []graphstore.Change) []catalog.ChangeHead {
	heads := make([]catalog.ChangeHead, len(stored))
	for i := range stored {
		s := &stored[i]
		heads[i] = catalog.ChangeHead{
			Time: s.Time, Kind: catalog.ChangeKind(s.Kind), URN: s.URN, EntityType: s.EntityType, Aspect: s.Aspect,
			First: s.Kind == graphstore.ChangeUpsert && s.PreviousSeq == 0,
		}
	}
	return heads
}

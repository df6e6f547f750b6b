package graphstore

import (
	"encoding/json"
	"math"
)

// ChangeKind is the kind of a change.
type ChangeKind string

const (
	// ChangeUpsert: an aspect has a new latest value, by any kind of write.
	ChangeUpsert ChangeKind = "UPSERT"
	// ChangeRestate: the latest value was stated again, unchanged.
	ChangeRestate ChangeKind = "RESTATE"
	// ChangeDelete: the aspect was deleted or, for a key aspect, the entity.
	ChangeDelete ChangeKind = "DELETE"
	// ChangeNote: a change that is only for replicas, and that other followers do not see: an
	// equal write that moved lastObserved, a value that a rollback stored, or an imported entity.
	ChangeNote ChangeKind = "NOTE"
)

// LogPart is the part of the change log after one cursor and up to another. Without
// After it begins with the log, without UpTo it ends with it. A log that does not have
// After returns [ErrLostCursor]; UpTo is not checked.
type LogPart struct{ After, UpTo string }

// Change is one entry of the change log.
type Change struct {
	// Cursor is the position after this change. Stores set it on reading.
	Cursor string
	// Time is the time of the log, epoch milliseconds. Actor is the URN of the actor who made the
	// change.
	Time                    int64
	Actor                   string
	Kind                    ChangeKind
	URN, EntityType, Aspect string
	// Seq is the version that became the latest, PreviousSeq the version that had been the latest;
	// 0 for none. A change of a time series has the TimeSeriesTime and TimeSeriesKey of the value
	// instead.
	Seq, PreviousSeq int64
	TimeSeriesTime   int64
	TimeSeriesKey    string
	// Value and System belong to the version Seq, Previous and PreviousSystem to the version
	// PreviousSeq. On writing, they are given only if the version is deleted in the same
	// transaction, or has a stamp later than Time. On reading, stores fill them in from the
	// versions. ValuesPruned tells that retention has deleted one of the versions since.
	Value, Previous        json.RawMessage
	System, PreviousSystem *SystemMetadata
	ValuesPruned           bool
}

// Becomes records the version that became the latest. If the stamp of the version is later than
// the change, because of a clock that was ahead or an import, the change carries the value of
// the version: the stamp could not distinguish this version from one that later gets the same
// number.
func (c *Change) Becomes(a *Aspect) {
	c.Seq = a.Seq
	if a.CreatedOn > c.Time {
		c.Value, c.System = a.Value, &a.System
	}
}

// Replaces records the version that had been the latest, in the same way as Becomes.
func (c *Change) Replaces(a *Aspect) {
	c.PreviousSeq = a.Seq
	if a.CreatedOn > c.Time {
		c.Previous, c.PreviousSystem = a.Value, &a.System
	}
}

// FillVersions fills in the values that a change refers to, for backends. The function find
// returns the version with a Seq, and whether it is still stored.
func (c *Change) FillVersions(find func(seq int64) (Aspect, bool, error)) error {
	for _, side := range []struct {
		seq    int64
		value  *json.RawMessage
		system **SystemMetadata
	}{{c.Seq, &c.Value, &c.System}, {c.PreviousSeq, &c.Previous, &c.PreviousSystem}} {
		if side.seq == 0 || *side.value != nil {
			continue
		}
		a, ok, err := find(side.seq)
		if err != nil {
			return err
		}
		if !ok || a.CreatedOn > c.Time && c.Time != 0 { // the version was deleted, or its number was used again after a rollback
			c.ValuesPruned = true
			continue
		}
		*side.value = a.Value
		if *side.system == nil {
			*side.system = &a.System
		}
	}
	return nil
}

// TimeBounds replaces the zero of an unbounded side with the extreme value.
func TimeBounds(from, to int64) (int64, int64) {
	if from == 0 {
		from = math.MinInt64
	}
	if to == 0 {
		to = math.MaxInt64
	}
	return from, to
}

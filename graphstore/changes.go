package graphstore

import (
	"encoding/json"
	"math"
)

// ChangeKind says what a change did.
type ChangeKind string

const (
	// ChangeUpsert: an aspect has a new latest value (CREATE and PATCH too).
	ChangeUpsert ChangeKind = "UPSERT"
	// ChangeRestate: the value is the same and is stated again.
	ChangeRestate ChangeKind = "RESTATE"
	// ChangeDelete: the aspect, or with the key aspect the entity, is gone.
	ChangeDelete ChangeKind = "DELETE"
	// ChangeNote: nothing that followers of the catalog are told about, but that a
	// replica must repeat: an equal write, which moved lastObserved, a value that a
	// rollback kept, or an entity that was imported.
	ChangeNote ChangeKind = "NOTE"
)

// LogPart is the part of the change log after one cursor and up to another. Without
// After it begins with the log, without UpTo it ends with it. A log that does not have
// After returns [ErrLostCursor]; UpTo is not checked.
type LogPart struct{ After, UpTo string }

// Change is one entry of the change log.
type Change struct {
	// Cursor is filled in on reading: the position after this change.
	Cursor string
	// Time is the log's own, epoch milliseconds, Actor the URN of who did it.
	Time                    int64
	Actor                   string
	Kind                    ChangeKind
	URN, EntityType, Aspect string
	// Seq and PreviousSeq refer to the versions that became and had been the
	// latest; 0 for none. A time-series change has the value's TimeSeriesTime
	// and TimeSeriesKey instead.
	Seq, PreviousSeq int64
	TimeSeriesTime   int64
	TimeSeriesKey    string
	// Value and Previous: given on writing only when the version they refer to
	// is removed in the same transaction, or stamped later than Time; on reading
	// filled in from the versions. ValuesPruned says that retention has since removed one.
	Value, Previous        json.RawMessage
	System, PreviousSystem *SystemMetadata
	ValuesPruned           bool
}

// Becomes records which version became the latest. If the version is stamped later
// than the change, by a clock that was ahead or by an import, the change carries
// its value: the stamp cannot distinguish it from a version that later gets the
// same number.
func (c *Change) Becomes(a *Aspect) {
	c.Seq = a.Seq
	if a.CreatedOn > c.Time {
		c.Value, c.System = a.Value, &a.System
	}
}

// Replaces records which version had been the latest, in the same way.
func (c *Change) Replaces(a *Aspect) {
	c.PreviousSeq = a.Seq
	if a.CreatedOn > c.Time {
		c.Previous, c.PreviousSystem = a.Value, &a.System
	}
}

// FillVersions fills in the values that a change refers to, for backends: find
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
		if !ok || a.CreatedOn > c.Time && c.Time != 0 { // deleted, or its number was used again after a rollback
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

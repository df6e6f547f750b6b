package write

import (
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Any stands for every entity type or aspect in a retention rule.
const Any = "*"

// RetentionKey names the aspects of the entities to which a retention rule applies.
type RetentionKey struct{ Entity, Aspect string }

// Retention is how many archived versions of an aspect are kept beside the
// latest. The most specific rule applies: (entity, aspect), (entity, *), (*,
// aspect), (*, *). Without a rule everything is kept.
type Retention map[RetentionKey]int64

// DefaultRetention keeps 20 archived versions, 5 of ingestion results.
func DefaultRetention() Retention {
	return Retention{
		{Any, Any}: 20,
		{model.EntityDataHubExecutionRequest, model.AspectDataHubExecutionRequestResult}: 5,
	}
}

func (r Retention) archived(entity, aspect string) (int64, bool) {
	for _, key := range []RetentionKey{{entity, aspect}, {entity, Any}, {Any, aspect}, {Any, Any}} {
		if n, ok := r[key]; ok {
			return n, true
		}
	}
	return 0, false
}

// HoldVersions sets whether a follower of the change log still needs values that retention would
// delete. If so, up to limits.MaxHeldVersions archived versions of an aspect are kept. Once no
// follower needs them, the versions beyond the retention are deleted.
func (w *Writer) HoldVersions(hold bool) {
	if w.held.Swap(hold) && !hold {
		_ = w.Background("versions that no follower needs any more", w.deleteHeld) // which fails only when the server stops
	}
}

// expired returns the archived versions that are deleted when the latest
// becomes the archived version seq.
func (w *Writer) expired(entity string, key graphstore.AspectKey, seq int64) (graphstore.VersionRange, bool) {
	archived, limited := w.retention.archived(entity, key.Name)
	if w.held.Load() {
		if limited && seq > archived {
			w.heldAspects.add(key, entity)
		}
		archived = max(archived, limits.MaxHeldVersions)
	}
	if !limited || seq <= archived {
		return graphstore.VersionRange{}, false
	}
	return graphstore.VersionRange{Key: key, FromSeq: 1, ToSeq: seq - archived}, true
}

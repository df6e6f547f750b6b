package catalog

import (
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// WriteOptions name the writer, and say for which state a write waits.
type WriteOptions struct {
	// Actor is the URN of the actor who writes, in the graph's spelling, the
	// system actor when empty.
	Actor string
	// AwaitIndex: return only when the search index has the write too.
	AwaitIndex bool
	// KeepUnknown: members and aspects that the model does not have are kept as they
	// were sent, and not refused.
	KeepUnknown bool
	// AddDerived: the writer's client knows the model, so that members that follow from
	// others are added to values that do not have them.
	AddDerived bool
	// Alongside, if set, returns records that are stored in each transaction of a batch. It
	// is given the positions in the batch of the items that are written when the
	// transaction ends, and may be called for a transaction that is then tried again. A
	// batch with it is written in its order: after a failure that may be over later,
	// nothing else of the batch is tried.
	Alongside func(written []int) []graphstore.Record
}

// WithoutWait returns the options for one step of a request that waits for the
// index only at its end.
func (o WriteOptions) WithoutWait() WriteOptions {
	o.AwaitIndex = false
	return o
}

// ActorIn returns the actor of a write, the system actor of the dialect when
// none is named.
func (o WriteOptions) ActorIn(d model.Dialect) string {
	if o.Actor == "" {
		return SystemActor(d)
	}
	return o.Actor
}

package catalog

import (
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// WriteOptions say who writes, and whether the write waits for the index.
type WriteOptions struct {
	// Actor is the URN of the writer in the graph's spelling. If it is empty, the system actor
	// writes.
	Actor string
	// AwaitIndex: return only when the search index has the write too.
	AwaitIndex bool
	// KeepUnknown: members and aspects that the model lacks are stored unchanged. Otherwise they are refused.
	KeepUnknown bool
	// AddDerived: members that follow from others are added to values without them, because the
	// writer's client knows the whole model.
	AddDerived bool
	// Alongside, if set, returns records that are stored in each transaction of a batch. Its argument has the
	// positions in the batch of the items that are written when the transaction ends. It may be called for a
	// transaction that is then tried again. Such a batch is written in its order: after a failure that may be
	// temporary, no later item is tried.
	Alongside func(written []int) []graphstore.Record
}

// WithoutWait returns the options for one step of a request that waits for the
// index only at its end.
func (o WriteOptions) WithoutWait() WriteOptions {
	o.AwaitIndex = false
	return o
}

// ActorIn returns the actor of a write. Without an actor it is the system actor of the dialect.
func (o WriteOptions) ActorIn(d model.Dialect) string {
	if o.Actor == "" {
		return SystemActor(d)
	}
	return o.Actor
}

package write

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// IngestWhole applies proposals in one transaction, in order: all of them, or
// none. When some are refused the error is a *RefusedError.
func (w *Writer) IngestWhole(ctx context.Context, proposals []Proposal, o catalog.WriteOptions) ([]BatchItem, error) {
	if err := ctx.Err(); err != nil {
		return nil, catalog.StoreFailure(err)
	}
	w.nameProposals(ctx, proposals...)
	if err := checkWhole(proposals); err != nil || len(proposals) == 0 {
		return nil, err
	}
	items := make([]BatchItem, len(proposals))
	changes := w.changesOf(proposals, items, 0, len(proposals), o)
	if err := refusedOf(proposals, items); err != nil {
		return nil, err
	}
	outcomes, err := w.updateWhole(ctx, changes, o)
	for i := range outcomes {
		items[i] = BatchItem{outcomes[i].result(changes[i]), outcomes[i].err}
	}
	if refused := refusedOf(proposals, items); refused != nil {
		return nil, refused
	}
	if err != nil {
		return nil, err
	}
	return items, w.SettleIf(ctx, slices.ContainsFunc(outcomes, func(one outcome) bool { return one.changed }), o)
}

// checkWhole bounds the size of one transaction.
func checkWhole(proposals []Proposal) error {
	const apart = "send it in parts, or with partial=true, which writes each proposal independently"
	if len(proposals) > limits.MaxWholeBatch {
		return catalog.Errorf(catalog.Invalid, "%d proposals in a batch that is written whole, at most %d are allowed; %s", len(proposals), limits.MaxWholeBatch, apart)
	}
	size := 0
	for i := range proposals {
		if proposals[i].Aspect != nil {
			size += len(proposals[i].Aspect.Value)
		}
	}
	if size > limits.MaxWholeBatchBytes {
		return catalog.Errorf(catalog.TooLarge, "the values of a batch that is written whole have %d bytes, at most %d are allowed; %s", size, limits.MaxWholeBatchBytes, apart)
	}
	return nil
}

// refusedOf is the error of a batch some of whose members were refused.
func refusedOf(proposals []Proposal, items []BatchItem) error {
	var refused catalog.RefusedMembers
	for i := range items {
		if items[i].Err != nil {
			refused.Add(catalog.RefusedMember{Index: i, URN: cmp.Or(items[i].URN, proposals[i].EntityURN), Aspect: proposals[i].AspectName, Err: items[i].Err})
		}
	}
	return refused.Err(len(items), "nothing was written")
}

// TryWhole returns the errors of IngestWhole that can be found without writing: invalid values, and writes
// that the caller may not make. TryWhole writes nothing.
func (w *Writer) TryWhole(ctx context.Context, proposals []Proposal, o catalog.WriteOptions) error {
	if err := checkWhole(proposals); err != nil || len(proposals) == 0 {
		return err
	}
	items := make([]BatchItem, len(proposals))
	changes := w.changesOf(proposals, items, 0, len(proposals), o)
	if err := refusedOf(proposals, items); err != nil {
		return err
	}
	w.protectChanges(ctx, changes)
	for i, ch := range changes {
		items[i].Err = ch.refused
	}
	return refusedOf(proposals, items)
}

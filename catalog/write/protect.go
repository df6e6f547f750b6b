package write

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Protect decides whether the caller of a context may write an aspect of an entity. It returns the
// refusal, or nil. The deletion of an entity is asked for as a write of its key aspect.
type Protect func(ctx context.Context, u model.URN, aspect string) error

// protects asks [Options.Protect]. Work of the server itself is never refused.
func (w *Writer) protects(ctx context.Context, u model.URN, aspect string) error {
	if own, _ := ctx.Value(ownWorkKey{}).(bool); own || w.protect == nil {
		return nil
	}
	return w.protect(ctx, u, aspect)
}

// protectHistories returns the first refusal of an import.
func (w *Writer) protectHistories(ctx context.Context, histories []*History) error {
	for _, h := range histories {
		for i := range h.Versions {
			if err := w.protects(ctx, h.URN, h.Versions[i].Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// protectRows returns the first refusal of a rollback.
func (w *Writer) protectRows(ctx context.Context, entities []EntityRows) error {
	for _, e := range entities {
		for i := range e.Rows {
			if err := w.protects(ctx, model.StoredURN(e.URN), e.Rows[i].Aspect); err != nil {
				return err
			}
		}
	}
	return nil
}

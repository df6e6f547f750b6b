package intake

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog"
)

// TestAnswersShareMemory: while clients do not read large answers, another large answer is refused,
// and small answers are sent.
func TestAnswersShareMemory(t *testing.T) {
	b := NewBudget(64 << 20)
	b.wait = 0
	first, second := b.Share(), b.Share()
	ctx := WithShare(context.Background(), first)
	if err := HoldAnswer(ctx, 20<<20); err != nil || b.Held() != 40<<20 {
		t.Errorf("the first holds %d: %v", b.Held(), err)
	}
	other := WithShare(context.Background(), second)
	if err := HoldAnswer(other, 20<<20); catalog.CodeOf(err) != catalog.Busy {
		t.Errorf("the second: %v", err)
	}
	if err := HoldAnswer(other, 100<<10); err != nil {
		t.Errorf("a small one: %v", err)
	}
	first.Release()
	if err := HoldAnswer(other, 20<<20); err != nil {
		t.Errorf("after the first was sent: %v", err)
	}
	second.Release()
	if b.Held() != 0 {
		t.Errorf("%d are held by nobody", b.Held())
	}
	if err := HoldAnswer(context.Background(), 1<<30); err != nil {
		t.Errorf("without a budget: %v", err)
	}
}

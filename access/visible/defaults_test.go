package visible_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/access/policies/policyfile"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// TestDefaults: with the policies of the first start, nothing but secrets is hidden from anybody.
func TestDefaults(t *testing.T) {
	all := without(things(testseed.Rand(t, 0), 12), map[string]bool{secret: true})
	s := see(t, all, policyfile.Defaults())
	for _, q := range questions(all) {
		got, err := q.ask(s.ctx, s.store)
		want, wantErr := q.ask(context.Background(), s.Store)
		if err != nil || wantErr != nil {
			t.Fatal(q.name, err, wantErr)
		}
		if text(got) != text(want) {
			differ(t, q.name, text(got), text(want))
		}
	}
	if whole, err := s.permissions(policyfile.Defaults()).SeesWhole(t.Context()); err != nil || !whole {
		t.Errorf("a catalog without secrets is not whole: %v", err)
	}
}

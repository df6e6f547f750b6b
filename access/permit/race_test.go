package permit_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
)

// TestPolicyChangesDuringWrites switches a policy on and off while the user whom it concerns writes batches.
// Each batch is written whole or refused whole, and a batch that begins after the withdrawal of the policy is
// refused.
func TestPolicyChangesDuringWrites(t *testing.T) {
	var permits *permit.Service
	h := catalogtest.NewProtectedHarness(t, func(ctx context.Context, wants []write.Want) []error {
		if permission.Of(ctx) == nil { // the test itself
			return nil
		}
		return permits.Protect(ctx, wants)
	})
	permits = permit.New(permit.Options{Store: h.Store, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	set := func(state string) {
		h.Say("urn:li:dataHubPolicy:race", model.AspectDataHubPolicyInfo, `{"displayName":"r","description":"","type":"METADATA","state":"`+state+`","privileges":["EDIT_ENTITY"],"actors":{"users":["urn:li:corpuser:wim"]}}`)
		permits.Forget()
	}
	batch := func(name string) []string {
		var urns []string
		for i := range 3 {
			urns = append(urns, "urn:li:tag:"+fmt.Sprint(name, ".", i))
		}
		return urns
	}
	try := func(name string) error {
		permissions, err := permits.Of(t.Context(), policies.Actor{URN: "urn:li:corpuser:wim"})
		if err != nil {
			return err
		}
		ctx := requestinfo.WithCaller(t.Context(), requestinfo.Caller{Actor: "urn:li:corpuser:wim", Means: requestinfo.ByToken})
		var proposals []write.Proposal
		for _, u := range batch(name) {
			proposals = append(proposals, write.Proposal{
				EntityURN: u, EntityType: model.EntityTag, ChangeType: write.Upsert, AspectName: model.AspectTagProperties,
				Aspect: &write.GenericAspect{Value: []byte(`{"name":"` + name + `"}`), ContentType: "application/json"},
			})
		}
		return h.IngestTogether(permission.With(ctx, permissions), proposals, catalog.WriteOptions{})
	}
	type outcome struct {
		name string
		err  error
	}
	var (
		mu       sync.Mutex
		outcomes []outcome
		over     atomic.Bool
		workers  sync.WaitGroup
	)
	note := func(name string) error {
		err := try(name)
		mu.Lock()
		defer mu.Unlock()
		outcomes = append(outcomes, outcome{name, err})
		return err
	}
	set("INACTIVE")
	for worker := range 3 {
		workers.Go(func() {
			for n := 0; !over.Load(); n++ {
				_ = note(fmt.Sprint("worker", worker, ".", n))
			}
		})
	}
	for round := range testsize.Of(20, 200) {
		set("ACTIVE")
		if err := note(fmt.Sprint("allowed", round)); err != nil {
			t.Errorf("after the policy was switched on: %v", err)
		}
		set("INACTIVE")
		if err := note(fmt.Sprint("refused", round)); catalog.CodeOf(err) != catalog.Forbidden {
			t.Errorf("after the policy was withdrawn: %v", err)
		}
	}
	over.Store(true)
	workers.Wait()
	done := map[bool]int{}
	for _, o := range outcomes {
		if o.err != nil && catalog.CodeOf(o.err) != catalog.Forbidden {
			t.Errorf("%s: %v", o.name, o.err)
		}
		done[o.err == nil]++
		for _, u := range batch(o.name) {
			if exists, err := h.Exists(t.Context(), urn(t, u)); err != nil || exists != (o.err == nil) {
				t.Errorf("%s ended with %v; %s exists: %t %v", o.name, o.err, u, exists, err)
			}
		}
	}
	t.Logf("%d batches were written, %d refused", done[true], done[false])
	if done[true] < 20 || done[false] < 20 {
		t.Errorf("%d batches were written, %d refused", done[true], done[false])
	}
}

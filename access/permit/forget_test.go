package permit_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// slowStore holds the answer of the first listing of policies until it is let go.
type slowStore struct {
	permit.Store
	read, letGo chan struct{}
}

func (s *slowStore) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	found, err := s.Store.LatestAspects(ctx, urns, names)
	select {
	case <-s.read:
	default:
		close(s.read)
		<-s.letGo
	}
	return found, err
}

// TestForgetDuringReading changes a policy while the policies are read: whoever asks after Forget, or after Changed
// with the URN of the policy, gets the changed one.
func TestForgetDuringReading(t *testing.T) {
	const policy = "urn:li:dataHubPolicy:late"
	for name, tell := range map[string]func(*permit.Service){
		"forget":  (*permit.Service).Forget,
		"changed": func(s *permit.Service) { s.Changed([]string{policy}) },
	} {
		for _, joins := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				h := catalogtest.NewProtectedHarness(t, func(context.Context, []write.Want) []error { return nil })
				store := &slowStore{Store: h.Store, read: make(chan struct{}), letGo: make(chan struct{})}
				permits := permit.New(permit.Options{Store: store, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
				h.Say(policy, model.AspectDataHubPolicyInfo, `{"displayName":"before","description":"","type":"METADATA","state":"ACTIVE","privileges":["EDIT_ENTITY"],"actors":{"users":["urn:li:corpuser:wim"]}}`)
				name := func() string {
					all, err := permits.Policies(t.Context())
					if err != nil || len(all) != 1 {
						t.Errorf("%d policies, %v", len(all), err)
						return ""
					}
					return all[0].Name
				}
				early := make(chan string, 1)
				go func() { early <- name() }()
				<-store.read
				h.Say(policy, model.AspectDataHubPolicyInfo, `{"displayName":"after","description":"","type":"METADATA","state":"INACTIVE","privileges":["EDIT_ENTITY"],"actors":{"users":["urn:li:corpuser:wim"]}}`)
				tell(permits)
				late := make(chan string, 1)
				if joins { // the late request comes while the early one is still reading
					go func() { late <- name() }()
					time.AfterFunc(50*time.Millisecond, func() { close(store.letGo) })
				} else {
					close(store.letGo)
				}
				<-early
				if !joins {
					late <- name()
				}
				if got := <-late; got != "after" {
					t.Errorf("asked after the change, joins %t: the policy %q", joins, got)
				}
			})
		}
	}
}

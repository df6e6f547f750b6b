package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testFailuresAmongMany: many updates come at the same time and may share a commit, and some of
// the updates fail after writing. The writes of a failed update must be invisible to the other
// updates and must not be stored.
func testFailuresAmongMany(t *testing.T, s graphstore.Store) {
	const entities, writers, rounds = 5, 4, 6
	var group sync.WaitGroup
	for e := range entities {
		for w := range writers {
			group.Go(func() {
				for r := range rounds {
					fails := (w+r)%writers == 0
					err := s.Update(context.Background(), []string{urn(e)}, func(tx graphstore.Tx) error {
						v := value(r)
						if fails {
							v = json.RawMessage(`{"n":"failed"}`)
						}
						if _, err := putNext(tx, urn(e), "ownership", v); err != nil {
							return err
						}
						if !fails {
							return nil
						}
						err := tx.Write(graphstore.Batch{
							AddEdges:      []graphstore.EdgeStatement{statement(urn(e), "OwnedBy", urn(100+e), "ownership", "p", 1)},
							PutTimeSeries: []graphstore.TimeSeriesValue{{URN: urn(e), Aspect: "datasetProfile", Key: "k", Timestamp: 1, Value: value(1)}},
							Changes:       []graphstore.Change{{Time: tx.Now(), Actor: actor, Kind: graphstore.ChangeRestate, URN: urn(e), EntityType: "dataset", Aspect: "ownership"}},
						})
						return errors.Join(err, errPlanned)
					})
					if errors.Is(err, errPlanned) != fails || !fails && err != nil {
						t.Errorf("an update of entity %d: %v", e, err)
					}
				}
			})
		}
	}
	group.Wait()
	const succeeded = writers*rounds - rounds
	for e := range entities {
		versions := must[[]graphstore.Aspect](t)(s.AspectVersions(context.Background(), key(urn(e), "ownership"), graphstore.Page{Count: 1000}))
		seqs := map[int64]bool{}
		for i := range versions {
			seqs[versions[i].Seq] = true
			if string(versions[i].Value) == `{"n":"failed"}` {
				t.Errorf("version %d of entity %d was written by an update that failed", versions[i].Seq, e)
			}
		}
		if len(versions) != succeeded || len(seqs) != succeeded || !seqs[1] || !seqs[succeeded] {
			t.Errorf("entity %d has %d versions, want %d without a gap", e, len(versions), succeeded)
		}
		wantEqual(t, "edges of failed updates", ends(t, s, graphstore.EdgeQuery{URNs: []string{urn(e)}}), []string{})
		series := must[[]graphstore.TimeSeriesValue](t)(s.TimeSeries(context.Background(), graphstore.TimeSeriesQuery{URN: urn(e), Aspect: "datasetProfile", Limit: 9}))
		if len(series) > 0 {
			t.Errorf("entity %d has a value of an update that failed", e)
		}
	}
	if changes := readAll(t, s, "", 1000); len(changes) != entities*succeeded {
		t.Errorf("%d changes, want %d", len(changes), entities*succeeded)
	}
}

func testTransfers(t *testing.T, s graphstore.Store) { Transfers(t, s) }

// Transfers has clients of several stores on one database move amounts between entities, two
// entities an update. Each update replaces the versions that the update has read, so the sum of
// all amounts must stay the same.
func Transfers(t *testing.T, stores ...graphstore.Store) {
	t.Helper()
	const accounts, clients, rounds, start = 8, 8, 12, 100
	amount := func(a *graphstore.Aspect) (n int) {
		if a == nil {
			return start
		}
		var v struct{ N int }
		if err := json.Unmarshal(a.Value, &v); err != nil {
			t.Error(err)
		}
		return v.N
	}
	var group sync.WaitGroup
	for i, s := range stores {
		for c := range clients {
			group.Go(func() {
				for r := range rounds {
					from, to := (c+r+i)%accounts, (c*3+r*5+i+1)%accounts
					if from == to {
						continue
					}
					err := s.Update(context.Background(), []string{urn(from), urn(to)}, func(tx graphstore.Tx) error {
						states, err := tx.Aspects([]graphstore.AspectKey{key(urn(from), "ownership"), key(urn(to), "ownership")})
						if err != nil {
							return err
						}
						return errors.Join(
							second(putNext(tx, urn(from), "ownership", value(amount(states[0].Latest)-1))),
							second(putNext(tx, urn(to), "ownership", value(amount(states[1].Latest)+1))),
						)
					})
					if err != nil {
						t.Errorf("a transfer: %v", err)
					}
				}
			})
		}
	}
	group.Wait()
	sum := 0
	for n := range accounts {
		versions := must[[]graphstore.Aspect](t)(stores[0].AspectVersions(context.Background(), key(urn(n), "ownership"), graphstore.Page{Count: 1000}))
		if len(versions) == 0 {
			sum += start
			continue
		}
		sum += amount(&versions[0])
		for i := range versions[1:] { // versions are in the order newest first
			if d := amount(&versions[i]) - amount(&versions[i+1]); d != 1 && d != -1 || versions[i].Seq != versions[i+1].Seq+1 {
				t.Errorf("entity %d went from %s (%d) to %s (%d)", n, versions[i+1].Value, versions[i+1].Seq, versions[i].Value, versions[i].Seq)
			}
		}
	}
	if sum != accounts*start {
		t.Errorf("the amounts add up to %d, want %d", sum, accounts*start)
	}
}

func second(_ int64, err error) error { return err }

// testToggledEdge: many writers in turn add and end one edge. Each update must find the edge as
// the update before it left the edge, even when both share a commit.
func testToggledEdge(t *testing.T, s graphstore.Store) {
	const writers, rounds = 9, 5
	u := urn(1)
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range rounds {
				err := s.Update(context.Background(), []string{u}, func(tx graphstore.Tx) error {
					seq, err := putNext(tx, u, "ownership", value(1))
					if err != nil {
						return err
					}
					e := statement(u, "OwnedBy", urn(2), "ownership", "p", tx.Now())
					if seq%2 == 1 {
						e.SinceRun = fmt.Sprint(seq)
						return tx.Write(graphstore.Batch{AddEdges: []graphstore.EdgeStatement{e}})
					}
					return tx.Write(graphstore.Batch{EndEdges: []graphstore.EdgeEnd{{EdgeID: e.EdgeID, Until: tx.Now(), UntilRun: fmt.Sprint(seq)}}})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	current, _ := edges(t, s, graphstore.EdgeQuery{URNs: []string{u}})
	if len(current) != 1 || current[0].SinceRun != fmt.Sprint(writers*rounds) {
		t.Errorf("current edges: %+v", current)
	}
	history := must[map[string]graphstore.History](t)(s.History(context.Background(), []string{u}))[u]
	if len(history.Ended) != writers*rounds/2 {
		t.Errorf("%d edges have ended, want %d", len(history.Ended), writers*rounds/2)
	}
}

package removal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
)

// stored is a version as a plain model keeps it.
type stored struct{ run, value string }

// TestRollbackOfRandomRuns writes random runs, takes one back while the store
// fails at random, and compares with a plain model.
func TestRollbackOfRandomRuns(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		seed := testseed.Of(t)
		random := rand.New(rand.NewPCG(seed, 7))
		f := &catalogtest.Faulty{Store: store}
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		for round := range testsize.Of(2, 8) { // hard and soft in turn
			randomRollback(h, random, fmt.Sprintf("%x_%d", seed, round), round%2 == 0)
		}
	})
}

// aspectsWritten are the aspects that random runs write.
var aspectsWritten = []string{"datasetProperties", "upstreamLineage", "globalTags", "status"}

func randomRollback(h *catalogtest.Harness, random *rand.Rand, name string, hard bool) {
	urns, runs := make([]string, 30), []string{name + "a", name + "b", name + "c"}
	for i := range urns {
		urns[i] = fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,%s.t%d,PROD)", name, i)
	}
	versions := map[graphstore.AspectKey][]stored{}
	makers := map[string]string{}
	for range 300 {
		urn, aspect, run := urns[random.IntN(len(urns))], aspectsWritten[random.IntN(len(aspectsWritten))], runs[random.IntN(len(runs))]
		value := randomValue(random, aspect, urns)
		h.Run(run, urn, aspect, value)
		if makers[urn] == "" {
			makers[urn] = run
		}
		key := graphstore.AspectKey{URN: urn, Name: aspect}
		if n := len(versions[key]); n == 0 || versions[key][n-1].value != value {
			versions[key] = append(versions[key], stored{run, value})
		}
	}
	target := runs[1]
	run, _, err := h.Removal.RunNamed(context.Background(), target)
	h.Want("", err)
	planned := h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun(target), Hard: hard, DryRun: true})
	if listed := run.Summary(hard); listed.Rows != planned.RowsOfRun || listed.Rows == 0 {
		h.T.Errorf("hard %t: %d rows are listed, a rollback takes %d", hard, listed.Rows, planned.RowsOfRun)
	}
	after := ""
	for attempt := 0; ; attempt++ {
		h.Store.FailUpdateAt, h.Store.FailCommitAt = 0, 0
		switch { // a failure before the transaction, and one when it is to be committed
		case attempt < 4:
			h.Store.FailUpdateAt = h.Store.Updates.Load() + 1 + int64(random.IntN(2))
		case attempt < 8:
			h.Store.FailCommitAt = h.Store.Updates.Load() + 1 + int64(random.IntN(2))
		}
		limit := 1 + random.IntN(40)
		result, err := h.Removal.Rollback(context.Background(), removal.RollbackRequest{Origin: catalogtest.OfRun(target), Hard: hard, Limit: limit, After: after}, catalog.WriteOptions{})
		if err != nil && catalog.CodeOf(err) != catalog.Unavailable {
			h.T.Fatal(err)
		}
		compareVersions(h, urns, versions, makers, target, hard, false)
		if attempt < 8 { // begun anew, as after an interruption
			continue
		}
		if after = result.Next; after == "" {
			break
		}
	}
	h.Store.FailUpdateAt, h.Store.FailCommitAt = 0, 0
	compareVersions(h, urns, versions, makers, target, hard, true)
}

func randomValue(random *rand.Rand, aspect string, urns []string) string {
	switch aspect {
	case "datasetProperties":
		return fmt.Sprintf(`{"name":"n%d"}`, random.IntN(1000))
	case "upstreamLineage":
		return fmt.Sprintf(`{"upstreams":[{"dataset":"%s","type":"TRANSFORMED"}]}`, urns[random.IntN(len(urns))])
	case "globalTags":
		return fmt.Sprintf(`{"tags":[{"tag":"urn:li:tag:t%d"}]}`, random.IntN(5))
	}
	return fmt.Sprintf(`{"removed":%t}`, random.IntN(4) == 0)
}

// compareVersions compares the store with a model. Until the rollback is done, every aspect has either its
// old or its final value.
func compareVersions(h *catalogtest.Harness, urns []string, versions map[graphstore.AspectKey][]stored, makers map[string]string, target string, hard, done bool) {
	h.T.Helper()
	ctx := context.Background()
	histories, err := h.Store.History(ctx, urns)
	h.Want("", err)
	nodes, err := h.Store.Entities(ctx, urns)
	h.Want("", err)
	exists := map[string]graphstore.Entity{}
	for _, n := range nodes {
		exists[n.URN] = n
	}
	for _, urn := range urns {
		got := map[string][]stored{}
		for _, v := range histories[urn].Versions {
			got[v.Name] = append(got[v.Name], stored{v.System.RunID, string(v.Value)})
		}
		made := makers[urn] == target
		for _, aspect := range aspectsWritten {
			before := versions[graphstore.AspectKey{URN: urn, Name: aspect}]
			after := before
			for len(after) > 0 && after[len(after)-1].run == target {
				after = after[:len(after)-1]
			}
			if made && hard {
				after = nil
			}
			if made && !hard && aspect == "status" && done {
				if n := exists[urn]; !n.Removed || len(got[aspect]) == 0 || got[aspect][len(got[aspect])-1].value != `{"removed":true}` {
					h.T.Errorf("%s, made by the run, is not removed: %v", urn, got[aspect])
				}
				continue
			}
			switch {
			case slices.Equal(got[aspect], after):
			case !done && (slices.Equal(got[aspect], before) || made && aspect == "status"):
			case made && !hard && slices.Equal(got[aspect], before) && slices.ContainsFunc(before, func(s stored) bool { return s.value == `{"removed":true}` }):
			default:
				if wasRemoved(versions, urn) && !hard {
					continue // a soft rollback leaves out soft-deleted entities
				}
				h.T.Errorf("%s of %s (made by the run: %t, hard: %t, done: %t):\ngot  %v\nwant %v\nwas  %v", aspect, urn, made, hard, done, got[aspect], after, before)
			}
			compareEdges(h, urn, aspect, histories[urn], got[aspect])
		}
	}
}

func wasRemoved(versions map[graphstore.AspectKey][]stored, urn string) bool {
	status := versions[graphstore.AspectKey{URN: urn, Name: model.AspectStatus}]
	return slices.ContainsFunc(status, func(s stored) bool { return s.value == `{"removed":true}` })
}

// compareEdges compares the edge statements of an aspect with its latest value.
func compareEdges(h *catalogtest.Harness, urn, aspect string, history graphstore.History, versions []stored) {
	h.T.Helper()
	want, got := map[string]bool{}, map[string]bool{}
	if len(versions) > 0 {
		var value struct {
			Upstreams []struct{ Dataset string }
			Tags      []struct{ Tag string }
		}
		if err := json.Unmarshal([]byte(versions[len(versions)-1].value), &value); err != nil {
			h.T.Fatal(err)
		}
		for _, u := range value.Upstreams {
			want[u.Dataset] = true
		}
		for _, tag := range value.Tags {
			want[tag.Tag] = true
		}
	}
	for _, e := range history.Current {
		if e.Aspect == aspect {
			got[e.Destination] = true
		}
	}
	if !maps.Equal(want, got) {
		h.T.Errorf("edges of %s of %s: %v, want %v", aspect, urn, got, want)
	}
}

package visible_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// TestConditionFollows: the condition of a caller whose rights stay the same lasts until an entity moves
// below what the condition names.
func TestConditionFollows(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	const hidden, below, other = "urn:li:domain:hidden", "urn:li:domain:below", "urn:li:domain:other"
	dataset := "urn:li:dataset:(urn:li:dataPlatform:hive,x1,PROD)"
	all := []thing{{urn: hidden}, {urn: below}, {urn: other}, {urn: dataset, domain: below}}
	write(h, all, all)
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	permits := permit.New(permit.Options{Store: h.Store, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler)})
	h.OnCommit(permits.Changed)
	for name, set := range map[string][]policies.Policy{
		"equal":  {allow(), deny(criterion("DOMAIN", policies.Equals, hidden))},
		"begins": {allow(), deny(criterion("DOMAIN", policies.StartsWith, "urn:li:domain:hid"))},
	} {
		rights := policies.Compile(set, now).Rights(policies.Actor{URN: piet})
		permissions := permits.With(rights)
		index := visible.NewIndex(h.Index, h.Store, model.Default())
		found := func(after string, want int) {
			t.Helper()
			h.Await()
			q := indexer.Query{Filter: indexer.In{Field: indexer.FieldType, Values: []string{model.EntityDataset}}, Size: 1}
			result, err := index.Search(visible.With(t.Context(), permissions), &q)
			if err != nil || result.Total != want {
				t.Fatalf("%s: %d found %s, want %d: %v", name, result.Total, after, want, err)
			}
		}
		found("at first", 1)
		h.Run("r", below, "domainProperties", `{"name":"below","parentDomain":"`+hidden+`"}`)
		now = now.Add(time.Second) // a condition on the beginning of URNs is valid for a moment
		found("after the domain came below the hidden one", 0)
		h.Run("r", dataset, "domains", `{"domains":["`+other+`"]}`)
		now = now.Add(time.Second)
		found("after the dataset left the domain", 1)
		h.Run("r", dataset, "domains", `{"domains":["`+below+`"]}`)
		h.Run("r", below, "domainProperties", `{"name":"below"}`)
		now = now.Add(time.Second)
		found("after the domain left the hidden one", 1)
	}
}

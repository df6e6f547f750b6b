package visible_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// oneAspect is a store with one version.
type oneAspect struct {
	graphstore.Store
	aspect graphstore.Aspect
}

func (s oneAspect) LatestAspects(_ context.Context, urns, _ []string) (map[string][]graphstore.Aspect, error) {
	return map[string][]graphstore.Aspect{urns[0]: {s.aspect}}, nil
}

// TestFewHidden: a caller from whom only entities of few types are hidden finds none of them in values, whatever way a
// value spells them, and all other names.
func TestFewHidden(t *testing.T) {
	s := see(t, nil, []policies.Policy{allow()})
	if types, few := s.permissions([]policies.Policy{allow()}).AllBut(); !few || len(types) != 1 || types[0] != model.EntityDataHubSecret {
		t.Fatalf("hidden are the types %v (few: %v), want only secrets", types, few)
	}
	for name, set := range policySets {
		if _, few := s.permissions(set).AllBut(); few != (name == "all but secrets") {
			t.Errorf("%s: hidden entities are of few types: %v", name, few)
		}
	}
	const tag, other = "urn:li:tag:t", "urn:li:corpuser:u"
	for name, spelled := range map[string]string{
		"plain":           secret,
		"another dialect": "urn:example:dataHubSecret:s0",
		"escaped":         strings.ReplaceAll(secret, "S", `\u0053`),
		"escaped colons":  strings.ReplaceAll(secret, ":", `\u003a`),
		"a column of one": "urn:li:schemaField:(" + secret + ",a)",
		"a restricted":    "urn:li:restricted:0123",
	} {
		value := json.RawMessage(`{"a":["` + spelled + `","` + other + `"],"b":"` + spelled + `"}`)
		store := visible.NewStore(oneAspect{aspect: graphstore.Aspect{URN: tag, Name: "x", Value: value}}, model.Default())
		found, err := store.LatestAspects(s.ctx, []string{tag}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(found[tag][0].Value); got != `{"a":["`+other+`"]}` {
			t.Errorf("%s: %s", name, got)
		}
	}
}

package neo4j_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/model"
)

// TestLineageIsOneStatement: the lineage of the model, in either direction, is walked in one statement. A walk hop by hop
// has a few statements for each hop, which take most of its time.
func TestLineageIsOneStatement(t *testing.T) {
	registry := model.Default()
	kinds, mirrored := lineage.GraphKinds(registry)
	s, err := neo4j.Open(context.Background(), neo4j.Options{URI: testservers.Neo4j(t), RelationshipTypes: registry.RelationshipNames(), Kinds: kinds, Mirrored: mirrored})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, upstream := range []bool{true, false} {
		var steps []graphstore.Step
		for _, kind := range registry.LineageKinds() {
			step := graphstore.Step{EdgeKind: graphstore.EdgeKind{Type: kind.Relationship, SourceType: kind.SourceType, DestinationType: kind.DestinationType}}
			if kind.Upstream != upstream {
				step.Direction = graphstore.Incoming
			}
			steps = append(steps, step)
		}
		if !s.AtOnce(steps) {
			t.Errorf("upstream %v: the walk is done hop by hop", upstream)
		}
	}
}

package dbt_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/model"
)

// without allows the names that the expression does not match.
type without struct{ *regexp.Regexp }

func (w without) Allows(name string) bool { return !w.MatchString(name) }

func denying(expression string) dbt.Names { return without{regexp.MustCompile(expression)} }

// TestPatternsLeaveOutNodes: a node that is left out has no entity, and the lineage of nodes that derive
// from it still names it.
func TestPatternsLeaveOutNodes(t *testing.T) {
	project := read(t, artifacts(t, "v12"))
	const harvest, harvests = "urn:li:dataset:(urn:li:dataPlatform:dbt,orchard.main.harvest,PROD)", "semantic_model.orchard.harvests"
	for _, c := range []struct {
		name     string
		patterns dbt.Patterns
		left     []string
	}{
		{"an id", dbt.Patterns{Nodes: denying(`^model\.orchard\.harvest$`)}, []string{"model.orchard.harvest"}},
		{"a table", dbt.Patterns{Tables: denying(`^orchard\.main\.harvest$`)}, []string{"model.orchard.harvest"}},
		{"a semantic model has no place", dbt.Patterns{Tables: denying(`^(orchard\.main\.harvest$|semantic)`), Schemas: denying("^semantic")}, []string{"model.orchard.harvest"}},
	} {
		var left []string
		proposals, _ := project.Proposals(dbt.Settings{Platform: "duckdb", Env: "PROD", Now: now, Patterns: c.patterns, LeftOut: func(id string) { left = append(left, id) }})
		if !slices.Equal(left, c.left) {
			t.Errorf("%s: %q are left out", c.name, left)
		}
		followed, semantic := false, false
		for i := range proposals {
			p := &proposals[i]
			if p.EntityURN == harvest && p.AspectName == model.AspectDatasetProperties {
				t.Errorf("%s: %s is proposed", c.name, harvest)
			}
			followed = followed || strings.Contains(p.Aspect.Value, harvest) || strings.Contains(p.Aspect.Value, "duckdb,orchard.main.harvest,")
			semantic = semantic || strings.Contains(p.EntityURN, harvests)
		}
		if !followed || !semantic {
			t.Errorf("%s: what follows from the model does not name it, or the semantic model is left out", c.name)
		}
	}
	for name, patterns := range map[string]dbt.Patterns{"databases": {Databases: denying("^orchard")}, "schemas": {Schemas: denying(`^orchard\.`)}} {
		proposals, _ := project.Proposals(dbt.Settings{Platform: "duckdb", Env: "PROD", Now: now, Patterns: patterns})
		if slices.ContainsFunc(proposals, func(p model.FileProposal) bool {
			return p.EntityType == model.EntityDataset && strings.Contains(p.EntityURN, "dbt,orchard.")
		}) {
			t.Errorf("%s: datasets are proposed", name)
		}
	}
}

package gql_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// knownLocations are the places of directives in the specification of October 2021. graphql-core
// 3.2, by which the Python client 0.10.5 reads the schema, refuses a schema with others.
var knownLocations = []string{
	"QUERY", "MUTATION", "SUBSCRIPTION", "FIELD", "FRAGMENT_DEFINITION", "FRAGMENT_SPREAD", "INLINE_FRAGMENT", "VARIABLE_DEFINITION",
	"SCHEMA", "SCALAR", "OBJECT", "FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INTERFACE", "UNION", "ENUM", "ENUM_VALUE", "INPUT_OBJECT", "INPUT_FIELD_DEFINITION",
}

// TestDirectiveLocations: every place of a directive is one that existing clients know.
func TestDirectiveLocations(t *testing.T) {
	h := gql.New(gql.Options{Catalog: testcatalog.New(t)})
	var answer struct {
		Data struct {
			Schema struct {
				Directives []struct {
					Name      string
					Locations []string
				}
			} `json:"__schema"`
		}
	}
	if err := json.Unmarshal([]byte(ask(t, h, `{ __schema { directives { name locations } } }`, nil)), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Data.Schema.Directives) < 3 {
		t.Fatal(answer)
	}
	for _, d := range answer.Data.Schema.Directives {
		if len(d.Locations) == 0 {
			t.Errorf("@%s has no place", d.Name)
		}
		for _, l := range d.Locations {
			if !slices.Contains(knownLocations, l) {
				t.Errorf("@%s may be at %s, which existing clients do not know", d.Name, l)
			}
		}
	}
}

package model

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlatformsAndQualifiedNames: the platform ids and the complete names in URNs.
func TestPlatformsAndQualifiedNames(t *testing.T) {
	r := Default()
	for urn, want := range map[string][2]string{
		"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)":                    {"hive", "shop.orders"},
		"urn:li:dataJob:(urn:li:dataFlow:(airflow,nightly,PROD),load)":                  {"airflow", ""},
		"urn:li:dataFlow:(airflow,nightly,PROD)":                                        {"airflow", ""},
		"urn:li:chart:(looker,revenue)":                                                 {"looker", ""},
		"urn:li:mlModel:(urn:li:dataPlatform:sagemaker,churn,PROD)":                     {"sagemaker", ""},
		"urn:li:dataPlatform:hive":                                                      {"", ""},
		"urn:li:corpuser:ada":                                                           {"", ""},
		"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,a.b,PROD),email)": {"", ""},
	} {
		u := StoredURN(urn)
		if got := [2]string{r.PlatformID(u), r.QualifiedName(u)}; got != want {
			t.Errorf("%s: %q, want %q", urn, got, want)
		}
	}
}

// TestShownNames: no search field has the name of a property that people see.
func TestShownNames(t *testing.T) {
	r := Default()
	for _, e := range r.Entities() {
		for _, name := range append([]string{e.KeyAspect}, e.Aspects...) {
			a, _ := r.Aspect(name)
			for _, f := range a.search {
				if f.isNodeProperty(e.Name) && reservedProperties[f.Name] {
					t.Errorf("%s of %s gives the node %s", name, e.Name, f.Name)
				}
			}
		}
	}
	for _, name := range r.RelationshipNames() {
		if reservedRelationships[name] {
			t.Errorf("the model has the relationship %s", name)
		}
	}
}

// TestOwnerTypes: a built-in ownership type has the same word as the older kind of owner.
func TestOwnerTypes(t *testing.T) {
	for _, c := range []struct{ stated, urn, want string }{
		{"TECHNICAL_OWNER", "", "TECHNICAL_OWNER"},
		{"NONE", "urn:li:ownershipType:__system__technical_owner", "TECHNICAL_OWNER"},
		{"CUSTOM", "urn:li:ownershipType:on-call", "on-call"},
		{"CUSTOM", "no urn", "CUSTOM"},
	} {
		if got := OwnerType(c.stated, c.urn); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.stated, c.urn, got, c.want)
		}
	}
}

// TestProfileNumbers: the profile of a partition has no numbers.
func TestProfileNumbers(t *testing.T) {
	for text, want := range map[string]map[string]any{
		`{"rowCount":5,"columnCount":2}`:                        {"rowCount": int64(5), "columnCount": int64(2)},
		`{"rowCount":5,"partitionSpec":{"type":"FULL_TABLE"}}`:  {"rowCount": int64(5)},
		`{"rowCount":5,"partitionSpec":{"type":"PARTITION"}}`:   nil,
		`{"fieldProfiles":[]}`:                                  nil,
		`{"rowCount":"many"}`:                                   nil,
		`{"sizeInBytes":9,"partitionSpec":{"partition":"ALL"}}`: {"sizeInBytes": int64(9)},
	} {
		if diff := cmp.Diff(want, ProfileNumbers(json.RawMessage(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

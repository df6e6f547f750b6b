package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// derived is a text with the members that follow from others. The text need not be valid.
func derived(aspect, text string, how Derivation) (json.RawMessage, error) {
	derive := derivation(aspect, []byte(text), how)
	value, err := jsontree.DecodeObject([]byte(text))
	if derive == nil || err != nil {
		return json.RawMessage(text), nil //nolint:nilerr // parsing reports the error
	}
	if fault := derive(value); fault != nil {
		return nil, &ValidationError{Faults: []Fault{*fault}}
	}
	return jsontree.Encode(value)
}

func TestDerive(t *testing.T) {
	domains := func(plain string, associations ...string) string {
		text := `{"domains":[` + plain + `]`
		if len(associations) > 0 {
			text += `,"domainAssociations":[` + strings.Join(associations, ",") + `]`
		}
		return text + `}`
	}
	const a, b = `"urn:li:domain:a"`, `"urn:li:domain:b"`
	const ofA, ofB, sourced = `{"domain":` + a + `}`, `{"domain":` + b + `}`, `{"domain":` + a + `,"context":"x"}`
	const propagated = `{"domain":` + a + `,"attribution":{"time":1,"actor":"urn:li:corpuser:ada","sourceDetail":{"propagated":"true"}}}`
	for _, c := range []struct{ name, aspect, current, text, want string }{
		{
			"owners by type", "ownership", "",
			`{"owners":[{"owner":"urn:li:corpuser:a","type":"DATAOWNER"},{"owner":"urn:li:corpuser:b","type":"CUSTOM","typeUrn":"urn:li:ownershipType:x"},{"owner":"urn:li:corpuser:c","type":"DATAOWNER"},{"owner":"urn:li:corpuser:a","type":"DATAOWNER"},{"owner":"urn:li:corpuser:d"}],"ownerTypes":{"urn:li:ownershipType:old":["urn:li:corpuser:z"]}}`,
			`{"owners":[{"owner":"urn:li:corpuser:a","type":"DATAOWNER"},{"owner":"urn:li:corpuser:b","type":"CUSTOM","typeUrn":"urn:li:ownershipType:x"},{"owner":"urn:li:corpuser:c","type":"DATAOWNER"},{"owner":"urn:li:corpuser:a","type":"DATAOWNER"},{"owner":"urn:li:corpuser:d"}],
			"ownerTypes":{"urn:li:ownershipType:__system__dataowner":["urn:li:corpuser:a","urn:li:corpuser:c"],"urn:li:ownershipType:x":["urn:li:corpuser:b"],"urn:li:ownershipType:__system__none":["urn:li:corpuser:d"]}}`,
		},
		{"an older client does not know owners by type", "ownership", "", `{"owners":[]}`, `{"owners":[]}`},
		{"equal domains", "domains", "", domains(a, sourced), domains(a, sourced)},
		{"domains alone, the stored value has associations", "domains", domains(a, sourced), domains(b + "," + a), domains(b+","+a, ofB, sourced)},
		{"domains alone", "domains", domains(b), domains(a), domains(a)},
		{"first write of associations", "domains", "", domains("", ofA, ofB), domains(a+","+b, ofA, ofB)},
		{"associations without the required list", "domains", "", `{"domainAssociations":[` + ofA + `]}`, domains(a, ofA)},
		{"associations change", "domains", domains(a, ofA), domains(a, ofA, ofB), domains(a+","+b, ofA, ofB)},
		{"domains change", "domains", domains(a, sourced), domains(a+","+b, sourced), domains(a+","+b, sourced, ofB)},
		{"the last one is removed", "domains", domains(a, ofA), `{"domains":[` + a + `],"domainAssociations":[]}`, `{"domains":[],"domainAssociations":[]}`},
		{"both change", "domains", domains(a, ofA), domains(b, ofA, ofB), ""},
		{"the plain list is emptied", "domains", domains(a, ofA), domains("", ofA), domains("")[:len(domains(""))-1] + `,"domainAssociations":[]}`},
		{"no domain twice", "domains", "", domains(a+","+a, sourced, ofA), domains(a, sourced, ofA)},
		{"propagated ones last", "domains", "", domains(a+","+b, propagated, ofB), domains(b+","+a, ofB, propagated)},
		{"a list of other things", "domains", domains(a, ofA), `{"domains":[` + a + `],"domainAssociations":[1]}`, `{"domains":[` + a + `],"domainAssociations":[1]}`},
		{"both differ at first", "domains", "", domains(a, ofB), ""},
		{"not JSON", "domains", "", `{"domainAssociations"`, `{"domainAssociations"`},
	} {
		got, err := derived(c.aspect, c.text, Derivation{Current: []byte(c.current)})
		switch {
		case c.want == "":
			if err == nil || !strings.Contains(err.Error(), "Cannot update both domains and domainAssociations") {
				t.Errorf("%s: %s %v", c.name, got, err)
			}
		case err != nil || string(got) != c.want && !jsontree.EqualText(got, []byte(c.want)):
			t.Errorf("%s: %s %v", c.name, got, err)
		}
	}
}

// TestEdgesVia: edges have the URN of the query that states them.
func TestEdgesVia(t *testing.T) {
	column := func(dataset, name string) string { return "urn:li:schemaField:(" + dataset + "," + name + ")" }
	edges := Default().Edges(owner(t, datasetA), parsed(t, "upstreamLineage", `{"upstreams":[{"dataset":"`+datasetB+`","type":"COPY","query":"urn:li:query:q"}],"fineGrainedLineages":[
		{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["`+column(datasetB, "p")+`"],"downstreams":["`+column(datasetA, "r")+`"],"query":"urn:li:query:c"}]}`))
	via := map[string]string{}
	for _, e := range edges {
		via[e.SourceType+" "+e.DestinationType] = e.Via
	}
	if via["dataset dataset"] != "urn:li:query:q" || via["schemaField schemaField"] != "urn:li:query:c" {
		t.Errorf("%v", via)
	}
}

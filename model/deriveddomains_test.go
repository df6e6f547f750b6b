package model

import (
	"testing"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// TestDeriveStatedDomains: a whole value states its domains in either list. An empty list of
// URNs does not remove the domains of the associations, because the list is a required
// member. A client that knows both lists gets both.
func TestDeriveStatedDomains(t *testing.T) {
	const both = `{"domains":["urn:li:domain:a"],"domainAssociations":[{"domain":"urn:li:domain:a","context":"x"}]}`
	for _, c := range []struct {
		name, current, text string
		add                 bool
		want                string
	}{
		{"associations alone", "", `{"domains":[],"domainAssociations":[{"domain":"urn:li:domain:a","context":"x"}]}`, false, both},
		{"the same again", both, `{"domains":[],"domainAssociations":[{"domain":"urn:li:domain:a","context":"x"}]}`, false, both},
		{"other associations", both, `{"domains":[],"domainAssociations":[{"domain":"urn:li:domain:b"}]}`, false, `{"domains":["urn:li:domain:b"],"domainAssociations":[{"domain":"urn:li:domain:b"}]}`},
		{"none", both, `{"domains":[]}`, false, `{"domains":[],"domainAssociations":[]}`},
		{"the associations of others are removed", both, `{"domains":["urn:li:domain:b"],"domainAssociations":[]}`, false, ""},
		{"an older client", "", `{"domains":["urn:li:domain:a"]}`, false, `{"domains":["urn:li:domain:a"]}`},
		{"a client that knows both", "", `{"domains":["urn:li:domain:a"]}`, true, `{"domains":["urn:li:domain:a"],"domainAssociations":[{"domain":"urn:li:domain:a"}]}`},
		{"a null", "", `{"domains":["urn:li:domain:a"],"domainAssociations":null}`, true, `{"domains":["urn:li:domain:a"],"domainAssociations":[{"domain":"urn:li:domain:a"}]}`},
		{
			"what was read from a value without associations", `{"domains":["urn:li:domain:a"]}`, `{"domains":["urn:li:domain:a","urn:li:domain:b"],"domainAssociations":[{"domain":"urn:li:domain:a"}]}`, false,
			`{"domains":["urn:li:domain:a","urn:li:domain:b"],"domainAssociations":[{"domain":"urn:li:domain:a"},{"domain":"urn:li:domain:b"}]}`,
		},
	} {
		got, err := derived(AspectDomains, c.text, Derivation{Current: []byte(c.current), Whole: true, Add: c.add})
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: %s", c.name, got)
			}
			continue
		}
		if err != nil || !jsontree.EqualText(got, []byte(c.want)) {
			t.Errorf("%s: %s %v", c.name, got, err)
		}
	}
}

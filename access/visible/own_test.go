package visible_test

import (
	"slices"
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
)

// TestOwn: a caller who sees no other entity sees the tokens that the caller has made or acts with. A caller
// who manages policies sees policies and roles.
func TestOwn(t *testing.T) {
	s := see(t, nil, nil)
	token := func(id, owner, actor string) string {
		u := "urn:li:dataHubAccessToken:" + id
		s.Say(u, "dataHubAccessTokenInfo", `{"name":"n","ownerUrn":"urn:li:corpuser:`+owner+`","actorUrn":"urn:li:corpuser:`+actor+`","createdAt":1}`)
		return u
	}
	made, acts, other := token("made", "piet", "service"), token("acts", "ada", "piet"), token("other", "ada", "ada")
	const role, rule = "urn:li:dataHubRole:Reader", "urn:li:dataHubPolicy:p"
	s.Say(role, "dataHubRoleInfo", `{"name":"r","description":"","editable":false}`)
	s.Say(rule, "dataHubPolicyInfo", `{"displayName":"p","description":"","type":"METADATA","state":"ACTIVE","privileges":[],"actors":{"resourceOwners":false,"allUsers":false,"allGroups":false},"editable":true}`)
	s.Await()
	manages := policies.Policy{ID: "m", Type: policies.Platform, State: policies.Active, Privileges: []string{"MANAGE_POLICIES"}, Actors: policies.Actors{Everybody: true}}
	for name, c := range map[string]struct {
		set  []policies.Policy
		want []string
	}{
		"nothing else": {nil, []string{acts, made}},
		"policies":     {[]policies.Policy{manages}, []string{acts, made, rule, role}},
		"but no tag":   {[]policies.Policy{manages, deny(criterion("TYPE", policies.Equals, "tag"))}, []string{acts, made, rule, role}},
	} {
		s.as(c.set)
		found, err := s.store.Entities(s.ctx, []string{made, acts, other, role, rule})
		if err != nil {
			t.Fatal(err)
		}
		hits, err := s.index.Search(s.ctx, &indexer.Query{Size: 10})
		if err != nil {
			t.Fatal(err)
		}
		var stored, indexed, listed []string
		for _, e := range found {
			stored = append(stored, e.URN)
		}
		for _, hit := range hits.Hits {
			indexed = append(indexed, hit.URN)
		}
		for _, entityType := range []string{"dataHubAccessToken", "dataHubPolicy", "dataHubRole"} {
			urns, _, err := s.store.ListEntities(s.ctx, entityType, graphstore.Page{Count: 10})
			if err != nil {
				t.Fatal(err)
			}
			listed = append(listed, urns...)
		}
		for from, got := range map[string][]string{"the store": stored, "the index": indexed, "lists": listed} {
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %s tells of %v, want %v", name, from, got, c.want)
			}
		}
	}
}

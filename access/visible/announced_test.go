package visible_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/graphstore"
)

// TestAnnounced: the stored value of an announced change names neither the columns of hidden datasets nor what is said of them,
// now and in the change log.
func TestAnnounced(t *testing.T) {
	s := see(t, nil, nil)
	dataset := func(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive,shop." + name + ",PROD)" }
	for _, name := range []string{"open", "secret"} {
		s.Say(dataset(name), "status", `{"removed":false}`)
	}
	const made, unannounced = "urn:li:announcedChange:pr-1", "urn:li:announcedChange:un-1"
	info := func(title, state, open string) string {
		return `{"title":"` + title + `","state":"` + state + `","created":{"time":0,"actor":"urn:li:corpuser:ada"},"changes":[` + open +
			`{"kind":"columnRenamed","datasets":["` + dataset("secret") + `"],"column":"salary","path":"salary","how":"salary has its place","newName":"salary2","arrivals":[{"dataset":"` + dataset("secret") + `","time":1,"change":"c","description":"Column salary was removed"}]}],` +
			`"effects":[{"urn":"` + dataset("open") + `","name":"open","effect":"certain","why":"it reads salary"},{"name":"pay by salary","effect":"possible"},{"urn":"` + dataset("secret") + `","name":"salaries","effect":"certain"}],` +
			`"certain":2,"possible":1,"refused":false,"exceptions":[{"name":"salary","rule":"contract","who":"ada","until":"2027-01-01","reason":"salary goes"}]}`
	}
	s.Say(made, "announcedChangeInfo", info("shop/orders 1", "ANNOUNCED", `{"kind":"columnDropped","datasets":["`+dataset("open")+`"],"column":"state"},`))
	s.Say(unannounced, "announcedChangeInfo", info("Column salary was removed", "UNANNOUNCED", ""))
	s.Await()
	for hidden, set := range map[bool][]policies.Policy{
		false: {allow()},
		true:  {allow(), deny(criterion("URN", policies.Equals, dataset("secret")))},
	} {
		s.as(set)
		found, err := s.store.LatestAspects(s.ctx, []string{made, unannounced}, []string{"announcedChangeInfo"})
		if err != nil {
			t.Fatal(err)
		}
		values := []string{}
		for _, urn := range []string{made, unannounced} {
			for _, a := range found[urn] {
				values = append(values, string(a.Value))
			}
		}
		versions, err := s.store.AspectVersions(s.ctx, graphstore.AspectKey{URN: made, Name: "announcedChangeInfo"}, graphstore.Page{Count: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range versions {
			values = append(values, string(a.Value))
		}
		if len(values) != 3 {
			t.Fatalf("%q", values)
		}
		if named := strings.Contains(strings.Join(values, " "), "salar"); named == hidden {
			t.Errorf("hidden=%t: %q", hidden, values)
		}
		if !strings.Contains(values[0], `"column":"state"`) || !strings.Contains(values[0], "shop/orders 1") || !strings.Contains(values[0], `"effect":"certain"`) {
			t.Errorf("hidden=%t: what may be seen is gone: %s", hidden, values[0])
		}
		if hidden != slices.ContainsFunc(values[1:2], func(v string) bool { return strings.Contains(v, "A change that nobody announced") }) {
			t.Errorf("hidden=%t: %s", hidden, values[1])
		}
	}
}

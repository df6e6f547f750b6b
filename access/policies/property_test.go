package policies_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/model"
)

// TestFilterAgrees: the filter holds for exactly the entities for which Allows reports true, and Decide
// agrees with both.
func TestFilterAgrees(t *testing.T) {
	r := random{testseed.Rand(t, 1)}
	allowed, refused, constant := 0, 0, 0
	for range testsize.Of(3000, 100_000) {
		all, asked := r.policies(8), r.some(3, privileges)
		rights := policies.Compile(all, now).Rights(r.actor())
		general := rights.Filter(asked, "")
		if general.True() || general.False() {
			constant++
		}
		for range 20 {
			res := r.resource()
			want := rights.Allows(asked, &res)
			special := rights.Filter(asked, res.Type)
			if general.Matches(&res) != want || special.Matches(&res) != want {
				t.Fatalf("Allows is %t\n%v\n%v\nfor %+v\n%v of %+v\n%+v", want, general, special, res, asked, rights.Actor(), all)
			}
			if slices.Contains(special.Fields(), policies.FieldType) {
				t.Fatalf("the filter for one type asks for the type: %v", special)
			}
			if d := rights.Decide(asked, &res); d.Allowed != want || want && (d.Policy == "" || d.Effect != policies.Allow) {
				t.Fatalf("Allows is %t, Decide %+v", want, d)
			}
			if want {
				allowed++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d allowed, %d refused, %d constant filters", allowed, refused, constant)
	if allowed < refused/20 || refused < allowed/20 {
		t.Errorf("%d allowed and %d refused test too little", allowed, refused)
	}
}

// TestNeedsSuffice: facts that Needs does not name change no decision.
func TestNeedsSuffice(t *testing.T) {
	r := random{testseed.Rand(t, 2)}
	decided, partial := 0, 0
	for range testsize.Of(3000, 100_000) {
		asked := r.some(3, privileges)
		rights := policies.Compile(r.policies(6), now).Rights(r.actor())
		for range 10 {
			res := r.resource()
			for range r.IntN(3) {
				res.SubResources = append(res.SubResources, r.resource())
			}
			for _, entityType := range []string{res.Type, ""} {
				needs, want := rights.Needs(asked, entityType), rights.Allows(asked, &res)
				other := r.resource()
				if entityType != "" || needs&policies.NeedsType != 0 {
					other.Type = res.Type
				}
				copyFacts(&other, &res, needs)
				switch got := rights.Allows(asked, &other); {
				case needs == policies.Everything && !want, needs == policies.Nothing && want, got != want:
					t.Fatalf("needs %b, %t and %t for\n%+v\n%+v", needs, want, got, res, other)
				case needs.Decided():
					decided++
				default:
					partial++
				}
			}
		}
	}
	t.Logf("%d decided without facts, %d with some", decided, partial)
	if decided == 0 || partial == 0 {
		t.Error("one kind is missing")
	}
}

// copyFacts copies the needed facts from one resource to another.
func copyFacts(to, from *policies.Resource, needs policies.Facts) {
	for _, fact := range []struct {
		bit  policies.Facts
		copy func()
	}{
		{policies.NeedsURN, func() { to.URN = from.URN }},
		{policies.NeedsOwners, func() { to.Owners = from.Owners }},
		{policies.NeedsDomains, func() { to.Domains = from.Domains }},
		{policies.NeedsContainers, func() { to.Containers = from.Containers }},
		{policies.NeedsTags, func() { to.Tags = from.Tags }},
		{policies.NeedsTerms, func() { to.Terms = from.Terms }},
		{policies.NeedsInstance, func() { to.Instance = from.Instance }},
		{policies.NeedsGroups, func() { to.Groups = from.Groups }},
		{policies.NeedsSubResources, func() { to.SubResources = from.SubResources }},
	} {
		if needs&fact.bit != 0 {
			fact.copy()
		}
	}
}

// TestAspectsKeepPolicies: a policy that is written to its aspects and read again is the same, and the model
// has the aspects.
func TestAspectsKeepPolicies(t *testing.T) {
	r := random{testseed.Rand(t, 3)}
	for i := range testsize.Of(2000, 20_000) {
		p := r.policy(i)
		info, rule := aspects(t, &p, 0), aspects(t, &p, 1)
		for name, tree := range map[string]jsontree.Object{model.AspectDataHubPolicyInfo: info, model.AspectHeadwaterPolicyRule: rule} {
			text, err := jsontree.Encode(tree)
			if err == nil && tree != nil {
				_, err = model.Default().Parse(model.LI(), name, text)
			}
			if err != nil {
				t.Fatalf("%s %s: %v", name, text, err)
			}
		}
		read, _ := policies.FromAspects(p.ID, info, rule)
		if !policies.Equal(&p, &read) {
			t.Fatalf("written %+v\nread    %+v", p, read)
		}
	}
}

// TestTogether: a set and rights may be used by many at once.
func TestTogether(t *testing.T) {
	r := random{testseed.Rand(t, 5)}
	set, actor, resource := policies.Compile(r.policies(20), now), r.actor(), r.resource()
	shared := set.Rights(actor)
	want := shared.Allows(privileges, &resource)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				filter := shared.Filter(privileges, "")
				if set.Rights(actor).Allows(privileges, &resource) != want || filter.Matches(&resource) != want || shared.Decide(privileges, &resource).Allowed != want {
					t.Error("the answer changes")
				}
			}
		})
	}
	all.Wait()
}

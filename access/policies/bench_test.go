package policies_test

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/model"
)

// tenants returns policies that each let one group see the datasets of one domain, except those with a tag.
func tenants(n int) []policies.Policy {
	var all []policies.Policy
	for i := range n {
		all = append(all, policy(
			named(fmt.Sprint(i)), who(policies.Actors{Groups: []string{fmt.Sprint("urn:li:corpGroup:", i)}}),
			on(policies.FieldType, policies.Equals, model.EntityDataset, model.EntityChart),
			on(policies.FieldDomain, policies.Equals, fmt.Sprint("urn:li:domain:", i)),
			on(policies.FieldTag, policies.NotEquals, tags[0]),
		))
	}
	return all
}

func memberOf(n int) policies.Actor {
	actor := policies.Actor{URN: ada}
	for i := range n {
		actor.Groups = append(actor.Groups, fmt.Sprint("urn:li:corpGroup:", i))
	}
	return actor
}

// hundred returns the rights of 100 policies, and a resource that only the last of them lets the actor see.
func hundred() (*policies.Rights, *policies.Resource) {
	return policies.Compile(tenants(100), now).Rights(memberOf(100)), &policies.Resource{
		Type: model.EntityDataset, URN: pay, Domains: []string{"urn:li:domain:99", "urn:li:domain:root"}, Tags: []string{tags[2]},
	}
}

func TestAllowsDoesNotAllocate(t *testing.T) {
	rights, resource := hundred()
	asked := policies.Group(policies.Read, model.EntityDataset)
	if n := testing.AllocsPerRun(100, func() {
		if !rights.Allows(asked, resource) || rights.Needs(asked, model.EntityDataset) == 0 {
			t.Error("it is refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAllows(b *testing.B) {
	rights, resource := hundred()
	asked := policies.Group(policies.Read, model.EntityDataset)
	b.ReportAllocs()
	for b.Loop() {
		rights.Allows(asked, resource)
	}
}

func BenchmarkDecide(b *testing.B) {
	rights, resource := hundred()
	asked := policies.Group(policies.Read, model.EntityDataset)
	b.ReportAllocs()
	for b.Loop() {
		rights.Decide(asked, resource)
	}
}

func BenchmarkDecideRefused(b *testing.B) {
	rights, resource := hundred()
	resource.Domains = nil
	asked := policies.Group(policies.Read, model.EntityDataset)
	b.ReportAllocs()
	for b.Loop() {
		rights.Decide(asked, resource)
	}
}

func BenchmarkFilter(b *testing.B) {
	rights, _ := hundred()
	asked := policies.Group(policies.Read, model.EntityDataset)
	b.ReportAllocs()
	for b.Loop() {
		rights.Filter(asked, model.EntityDataset)
	}
}

// BenchmarkRights: an actor in 5 groups, 10,000 policies.
func BenchmarkRights(b *testing.B) {
	set, actor := policies.Compile(tenants(10_000), now), memberOf(5)
	b.ReportAllocs()
	for b.Loop() {
		set.Rights(actor)
	}
}

func BenchmarkCompile(b *testing.B) {
	all := tenants(10_000)
	b.ReportAllocs()
	for b.Loop() {
		policies.Compile(all, now)
	}
}

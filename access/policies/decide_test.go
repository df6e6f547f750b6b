package policies_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/model"
)

func named(id string) func(*policies.Policy) {
	return func(p *policies.Policy) { p.ID, p.Name = id, "Policy "+id }
}

// TestReasons: a decision names the policy and by which name it concerns the actor.
func TestReasons(t *testing.T) {
	owned := &policies.Resource{Type: model.EntityDataset, URN: pay, Owners: []policies.Owner{{URN: "urn:li:corpuser:x"}, {URN: finance}}}
	for _, c := range []struct {
		of    policies.Actors
		actor policies.Actor
		want  policies.Reason
		told  string
	}{
		{policies.Actors{Everybody: true}, policies.Actor{URN: ada}, policies.Reason{Kind: policies.AsEverybody}, "everybody"},
		{policies.Actors{Everybody: true, Users: []string{ada}}, policies.Actor{URN: ada}, policies.Reason{Kind: policies.AsUser, Name: ada}, "the user " + ada},
		{policies.Actors{Groups: []string{finance}}, policies.Actor{Groups: []string{"g", finance}}, policies.Reason{Kind: policies.AsGroup, Name: finance}, "the group " + finance},
		{policies.Actors{AnyGroup: true}, policies.Actor{Groups: []string{"g"}}, policies.Reason{Kind: policies.AsAnyGroup}, "everybody in a group"},
		{policies.Actors{Roles: []string{admin}}, policies.Actor{Roles: []string{admin}}, policies.Reason{Kind: policies.AsRole, Name: admin}, "the role " + admin},
		{policies.Actors{Roles: []string{admin}}, policies.Actor{GroupRoles: []string{admin}}, policies.Reason{Kind: policies.AsRole, Name: admin}, "the role " + admin},
		{policies.Actors{Owners: true}, policies.Actor{URN: ada, Groups: []string{finance}}, policies.Reason{Kind: policies.AsOwner, Name: finance}, "the owner " + finance},
	} {
		got := policies.Compile([]policies.Policy{policy(who(c.of))}, now).Rights(c.actor).Decide([]string{"EDIT_ENTITY", view}, owned)
		want := policies.Decision{Allowed: true, Privilege: view, Policy: "p", Name: "P", Effect: policies.Allow, Why: c.want}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if told := got.String(); told != "The policy p (P) allows VIEW_ENTITY_PAGE to "+c.told+"." {
			t.Error(told)
		}
	}
	if got := policies.Compile(nil, now).Rights(policies.Actor{System: true}).Decide(nil, nil); !got.Allowed || got.Why.String() != "the system" || got.String() != "The system may do everything." {
		t.Errorf("%+v", got)
	}
	own := policies.Compile(nil, now).Rights(policies.Actor{URN: ada}).Decide([]string{view}, &policies.Resource{Type: model.EntityCorpuser, URN: ada})
	if !own.Allowed || own.Policy != "own-entity" || own.Why.Kind != policies.AsUser {
		t.Errorf("%+v", own)
	}
}

// TestNear: a refusal names the policy that denies, or the policies that would have allowed the question and
// the conditions that failed.
func TestNear(t *testing.T) {
	set := policies.Compile([]policies.Policy{
		policy(named("charts"), on(policies.FieldType, policies.Equals, model.EntityChart), who(policies.Actors{Users: []string{"urn:li:corpuser:x"}, Roles: []string{admin}})),
		policy(named("tagged"), on(policies.FieldTag, policies.NotEquals, tags[0])),
		policy(named("ended"), func(p *policies.Policy) { p.EndsAt = now }),
		policy(named("draft"), func(p *policies.Policy) { p.State = policies.Draft }),
		policy(named("added"), only(policies.FieldURN, tags[0])),
		policy(named("unknown"), on("COLOUR", policies.Equals, "red")),
		policy(named("other"), func(p *policies.Policy) { p.Privileges = []string{"EDIT_ENTITY"} }),
	}, now)
	rights := set.Rights(policies.Actor{URN: ada})
	got := rights.Decide([]string{view, "MANAGE_TAGS"}, &policies.Resource{
		Type: model.EntityDataset, URN: pay, Tags: []string{tags[0]},
		SubResources: []policies.Resource{{URN: tags[1]}, {URN: policies.Wildcard}, {URN: tags[0]}},
	})
	near := func(id string, failed ...policies.Failure) policies.Near {
		return policies.Near{Policy: id, Name: "Policy " + id, Privilege: view, Failed: failed}
	}
	want := policies.Decision{Near: []policies.Near{
		near("tagged", policies.Failure{Kind: policies.FailedCriterion, Field: policies.FieldTag, Condition: policies.NotEquals, Values: tags[:1], Has: tags[:1]}),
		near("ended", policies.Failure{Kind: policies.FailedEnd}),
		near("draft", policies.Failure{Kind: policies.FailedState}),
		near("added", policies.Failure{Kind: policies.FailedConstraint, Field: policies.FieldURN, Condition: policies.Equals, Values: tags[:1], Has: tags[1:2]}),
		near("unknown", policies.Failure{Kind: policies.FailedCriterion, Field: "COLOUR", Condition: policies.Equals, Values: []string{"red"}}),
		near("charts",
			policies.Failure{Kind: policies.FailedActor, Values: []string{"urn:li:corpuser:x", admin}},
			policies.Failure{Kind: policies.FailedCriterion, Field: policies.FieldType, Condition: policies.Equals, Values: []string{model.EntityChart}, Has: []string{model.EntityDataset}}),
	}}
	if diff := cmp.Diff(want, got); diff != "" || got.String() != "No policy allows it." {
		t.Errorf("%s\n%s", got, diff)
	}
	var told []string
	for _, n := range append(got.Near, policies.Near{Policy: "x", Name: "X", Privilege: view, Failed: []policies.Failure{{Kind: policies.FailedActor}, {Kind: policies.FailedResource}, {Kind: policies.FailedCriterion, Field: policies.FieldURN, Condition: policies.StartsWith, Values: []string{"a", "b"}}}}) {
		told = append(told, n.String())
	}
	if diff := cmp.Diff([]string{
		"The policy tagged (Policy tagged) would allow VIEW_ENTITY_PAGE, but TAG must not be urn:li:tag:pii, and is urn:li:tag:pii.",
		"The policy ended (Policy ended) would allow VIEW_ENTITY_PAGE, but it has ended.",
		"The policy draft (Policy draft) would allow VIEW_ENTITY_PAGE, but it is not active.",
		"The policy added (Policy added) would allow VIEW_ENTITY_PAGE, but URN must be urn:li:tag:pii for what is added or removed, which is urn:li:tag:pii.name.",
		"The policy unknown (Policy unknown) would allow VIEW_ENTITY_PAGE, but it has a condition that this server does not know.",
		"The policy charts (Policy charts) would allow VIEW_ENTITY_PAGE, but it concerns urn:li:corpuser:x or urn:li:dataHubRole:Admin, and TYPE must be chart, and is dataset.",
		"The policy x (X) would allow VIEW_ENTITY_PAGE, but it does not concern the actor, and it is about resources, and URN must begin with a or b, and is nothing.",
	}, told); diff != "" {
		t.Error(diff)
	}
	none := rights.Decide([]string{view}, nil)
	if none.Allowed || len(none.Near) != 6 || none.Near[0].Policy != "tagged" || none.Near[0].Failed[0].Kind != policies.FailedResource {
		t.Errorf("%+v", none)
	}

	denied := policies.Compile([]policies.Policy{policy(), policy(denies, named("no")), policy(denies, everything, named("never"))}, now)
	if d := denied.Rights(policies.Actor{URN: ada}).Decide([]string{view}, nil); d.Allowed || d.Policy != "no" || d.Effect != policies.Deny || d.Privilege != view || len(d.Near) != 0 || d.String() != "The policy no (Policy no) denies VIEW_ENTITY_PAGE to everybody." {
		t.Errorf("%+v", d)
	}

	var many []policies.Policy
	for i := range 30 {
		many = append(many, policy(named(fmt.Sprint(i)), who(policies.Actors{})))
	}
	if d := policies.Compile(many, now).Rights(policies.Actor{URN: ada}).Decide([]string{view}, nil); len(d.Near) != 10 {
		t.Errorf("%d policies are near", len(d.Near))
	}
}

// TestFiltersAreSimple shows the filters that policies become.
func TestFiltersAreSimple(t *testing.T) {
	owners := who(policies.Actors{Owners: true})
	typed := who(policies.Actors{Owners: true, OwnerTypes: ownerTypes[:1]})
	for _, c := range []struct {
		of         string
		policies   []policies.Policy
		want       string
		needs      policies.Facts
		privileges []string
	}{
		{"", nil, "URN is urn:li:corpuser:ada", policies.NeedsURN, nil},
		{"", []policies.Policy{policy()}, "everything", policies.Everything, nil},
		{"", []policies.Policy{policy(), policy(denies)}, "nothing", policies.Nothing, nil},
		{"", []policies.Policy{policy(), policy(denies, everything)}, "nothing", policies.Nothing, nil},
		{"", []policies.Policy{policy(), policy(denies, everything, on(policies.FieldTag, policies.Equals, "x"))}, "not TAG is x", policies.NeedsTags, nil},
		{"dataset", []policies.Policy{policy(on(policies.FieldType, policies.Equals, "dataset"))}, "everything", policies.Everything, nil},
		{"chart", []policies.Policy{policy(denies, on(policies.FieldType, policies.Equals, "dataset")), policy()}, "everything", policies.Everything, nil},
		{"chart", []policies.Policy{policy(on(policies.FieldType, policies.Equals, "dataset"))}, "URN is urn:li:corpuser:ada", policies.NeedsURN, nil},
		{"", []policies.Policy{policy(on(policies.FieldType, policies.Equals, "dataset"))}, "URN is urn:li:corpuser:ada or TYPE is dataset", policies.NeedsURN | policies.NeedsType, nil},
		{"", []policies.Policy{policy(on("COLOUR", policies.Equals))}, "nothing", policies.Nothing, []string{"EDIT_ENTITY"}},
		{"", []policies.Policy{policy(on(policies.FieldTag, policies.Equals, "x")), policy(on(policies.FieldTag, policies.Equals, "y"))}, "URN is urn:li:corpuser:ada or TAG is x, y", policies.NeedsURN | policies.NeedsTags, nil},
		{"", []policies.Policy{policy(on(policies.FieldTag, policies.NotEquals, "x"), on(policies.FieldURN, policies.StartsWith, "u"))}, "URN is urn:li:corpuser:ada or (not TAG is x and URN begins with u)", policies.NeedsURN | policies.NeedsTags, nil},
		{"", []policies.Policy{policy(on(policies.FieldDomain, policies.Equals, "d"))}, "URN is urn:li:corpuser:ada or DOMAIN is d or (TYPE is domain and URN is d)", policies.NeedsURN | policies.NeedsType | policies.NeedsDomains, nil},
		{
			"",
			[]policies.Policy{policy(), policy(denies, on(policies.FieldTag, policies.Equals, "x"), on(policies.FieldType, policies.Equals, "dataset")), policy(denies, on(policies.FieldTag, policies.Equals, "y"), on(policies.FieldType, policies.Equals, "dataset"))},
			"not (TAG is x, y and TYPE is dataset)", policies.NeedsType | policies.NeedsTags, nil,
		},
		{"domain", []policies.Policy{policy(on(policies.FieldDomain, policies.Equals, "d"))}, "URN is urn:li:corpuser:ada, d or DOMAIN is d", policies.NeedsURN | policies.NeedsType | policies.NeedsDomains, nil},
		{"dataset", []policies.Policy{policy(on(policies.FieldDomain, policies.Equals, "d"))}, "URN is urn:li:corpuser:ada or DOMAIN is d", policies.NeedsURN | policies.NeedsType | policies.NeedsDomains, nil},
		{"", []policies.Policy{policy(owners)}, "URN is urn:li:corpuser:ada or OWNER is urn:li:corpuser:ada", policies.NeedsURN | policies.NeedsOwners, nil},
		{"", []policies.Policy{policy(typed)}, "URN is urn:li:corpuser:ada or OWNER is urn:li:corpuser:ada as urn:li:ownershipType:technical", policies.NeedsURN | policies.NeedsOwners, nil},
		{
			"",
			[]policies.Policy{policy(func(p *policies.Policy) { p.Privileges = []string{view, "GET_ENTITY_PRIVILEGE"} }), policy(denies, on(policies.FieldTag, policies.Equals, "x"), func(p *policies.Policy) { p.Privileges = []string{view, "GET_ENTITY_PRIVILEGE"} })},
			"not TAG is x", policies.NeedsTags,
			[]string{view, "GET_ENTITY_PRIVILEGE"},
		},
	} {
		rights := policies.Compile(c.policies, now).Rights(policies.Actor{URN: ada})
		asked := c.privileges
		if asked == nil {
			asked = []string{view}
		}
		if got := rights.Filter(asked, c.of).String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if got := rights.Needs(asked, c.of); got != c.needs {
			t.Errorf("%s needs %b, want %b", c.want, got, c.needs)
		}
	}
	system := policies.Compile(nil, now).Rights(policies.Actor{System: true})
	if !system.Filter(nil, "").True() || system.Needs(nil, "") != policies.Everything || !system.Needs(nil, "").Decided() {
		t.Error("the system may not do everything")
	}
}

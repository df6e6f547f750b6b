package policies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// TestCedarAgrees compares the decisions of random policies with the decisions of Cedar, a policy engine that
// others have written. Each policy becomes a permit or forbid in Cedar's language, each actor and resource an
// entity.
func TestCedarAgrees(t *testing.T) {
	r := random{testseed.Rand(t, 4)}
	allowed, refused := 0, 0
	for range testsize.Of(1_200, 100_000) {
		all := r.policies(6)
		set, judge := policies.Compile(all, now), toCedar(t, all)
		for range testsize.Of(10, 3) { // in the large size, more policies rather than more questions about each set
			actor := r.actor()
			rights := set.Rights(actor)
			for range 5 {
				var res *policies.Resource
				if !r.in(10) {
					chosen := r.resource()
					if res = &chosen; r.in(6) {
						*res = policies.Resource{Type: res.Type} // about the type
					}
					for range r.IntN(3) {
						res.SubResources = append(res.SubResources, r.resource())
					}
				}
				entities, request := cedarEntities(actor, res)
				for _, privilege := range privileges {
					request.Action = cedar.NewEntityUID("Action", cedar.String(privilege))
					decision, diagnostic := cedar.Authorize(judge, entities, request)
					if len(diagnostic.Errors) > 0 {
						t.Fatalf("Cedar: %v\n%s", diagnostic.Errors, judge.MarshalCedar())
					}
					want := bool(decision)
					if got := rights.Allows([]string{privilege}, res); got != want {
						t.Fatalf("we say %t and Cedar %t\n%s of %+v on %+v\n%s", got, want, privilege, actor, res, judge.MarshalCedar())
					}
					if want {
						allowed++
					} else {
						refused++
					}
				}
			}
		}
	}
	t.Logf("%d allowed, %d refused, no disagreement", allowed, refused)
	if allowed < refused/20 || refused < allowed/20 {
		t.Errorf("%d allowed and %d refused test too little", allowed, refused)
	}
}

// toCedar translates policies. The rules are written from the reference's, not from the engine's code.
func toCedar(t *testing.T, all []policies.Policy) *cedar.PolicySet {
	t.Helper()
	var text strings.Builder
	for _, p := range all {
		if p.State != policies.Active || !p.EndsAt.IsZero() && !now.Before(p.EndsAt) {
			continue
		}
		head := "permit"
		if p.Effect == policies.Deny {
			head = "forbid"
		}
		action := "action in [" + strings.Join(quoted(`Action::`, p.Privileges), ", ") + "]"
		if slices.Contains(p.Privileges, policies.EveryPrivilege) {
			action = "action"
		}
		fmt.Fprintf(&text, "%s(principal, %s, resource) when { ((%s)) && %s && %s };\n",
			head, action, cedarActors(p.Actors), cedarResources(p), cedarConstraints(p))
	}
	text.WriteString(`permit(principal, action in [Action::"VIEW_ENTITY_PAGE", Action::"GET_ENTITY_PRIVILEGE"], resource)
		when { principal.urn != "" && resource.present && resource.urn.contains(principal.urn) };`)
	set, err := cedar.NewPolicySetFromBytes("policies", []byte(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	return set
}

func quoted(prefix string, texts []string) []string {
	var found []string
	for _, text := range texts {
		found = append(found, fmt.Sprintf("%s%q", prefix, text))
	}
	return found
}

func set(texts []string) string { return "[" + strings.Join(quoted("", texts), ", ") + "]" }

func cedarActors(a policies.Actors) string {
	either := []string{"false"}
	if a.Everybody {
		either = append(either, "true")
	}
	if a.AnyGroup {
		either = append(either, "!principal.groups.isEmpty()")
	}
	either = append(either, set(a.Users)+".contains(principal.urn)", "principal in "+"["+strings.Join(append(quoted("Group::", a.Groups), quoted("Role::", a.Roles)...), ", ")+"]")
	if a.Owners && a.OwnerTypes == nil {
		either = append(either, "resource.present && !resource.urn.isEmpty() && resource.owners.containsAny(principal.names)")
	}
	for _, ownerType := range a.OwnerTypes {
		if a.Owners {
			either = append(either, fmt.Sprintf("resource.present && !resource.urn.isEmpty() && resource.ownedAs.hasTag(%q) && resource.ownedAs.getTag(%[1]q).containsAny(principal.names)", ownerType))
		}
	}
	return strings.Join(either, ") || (")
}

func cedarResources(p policies.Policy) string {
	if p.Type == policies.Platform || p.Resources == nil {
		return "true"
	}
	all := []string{"resource.present"}
	if r := p.Resources; r.Filter != nil {
		all = append(all, cedarCriteria("resource", r.Filter, p.Effect)...)
	} else {
		if r.Type != "" {
			all = append(all, set([]string{r.Type})+".containsAny(resource.fieldTYPE)")
		}
		if r.URNs != nil && !r.All {
			all = append(all, set(r.URNs)+".containsAny(resource.urn)")
		}
	}
	return "(" + strings.Join(all, " && ") + ")"
}

// cedarConstraints writes one condition for each of the two sub-resources that there may be.
func cedarConstraints(p policies.Policy) string {
	if p.Resources == nil || p.Resources.Constraints == nil {
		return "true"
	}
	var parts []string
	for _, sub := range []string{"resource.sub0", "resource.sub1"} {
		holds := strings.Join(append([]string{sub + ".present"}, cedarCriteria(sub, p.Resources.Constraints, p.Effect)...), " && ")
		if p.Effect == policies.Deny {
			parts = append(parts, "("+holds+")")
		} else {
			parts = append(parts, "(!"+sub+".present || ("+holds+"))")
		}
	}
	if p.Effect == policies.Deny {
		return "(resource.present && (" + strings.Join(parts, " || ") + "))"
	}
	return "(!resource.present || (" + strings.Join(parts, " && ") + "))"
}

func cedarCriteria(of string, criteria []policies.Criterion, effect policies.Effect) []string {
	var all []string
	for _, c := range criteria {
		if c.Field == "COLOUR" {
			all = append(all, fmt.Sprint(effect == policies.Deny))
			continue
		}
		values := of + ".field" + c.Field
		switch c.Condition {
		case policies.Equals:
			all = append(all, fmt.Sprintf("%s.containsAny(%s)", values, set(c.Values)))
		case policies.StartsWith:
			all = append(all, fmt.Sprintf("%sBegin.containsAny(%s)", values, set(c.Values)))
		case policies.NotEquals:
			all = append(all, fmt.Sprintf("!%s.containsAny(%s)", values, set(c.Values)))
		}
	}
	return all
}

func cedarEntities(actor policies.Actor, res *policies.Resource) (types.EntityMap, cedar.Request) {
	principal, resource := cedar.NewEntityUID("User", "asker"), cedar.NewEntityUID("Thing", "asked")
	entities := types.EntityMap{}
	var groups, roles []types.EntityUID
	for _, role := range append(append([]string{}, actor.Roles...), actor.GroupRoles...) {
		roles = append(roles, cedar.NewEntityUID("Role", cedar.String(role)))
	}
	for _, group := range actor.Groups {
		groups = append(groups, cedar.NewEntityUID("Group", cedar.String(group)))
	}
	entities[principal] = types.Entity{
		UID: principal, Parents: types.NewEntityUIDSet(append(groups, roles...)...),
		Attributes: types.NewRecord(types.RecordMap{
			"urn": types.String(actor.URN), "groups": cedarSet(actor.Groups), "names": cedarSet(append([]string{actor.URN}, actor.Groups...)),
		}),
	}
	record, owned := cedarRecord(res, entities)
	if res != nil {
		for i := range 2 {
			sub := types.RecordMap{"present": types.Boolean(false)}
			if i < len(res.SubResources) {
				sub, _ = cedarRecord(&res.SubResources[i], entities)
			}
			record[cedar.String(fmt.Sprint("sub", i))] = types.NewRecord(sub)
		}
		record["ownedAs"] = owned
	}
	entities[resource] = types.Entity{UID: resource, Attributes: types.NewRecord(record)}
	return entities, cedar.Request{Principal: principal, Resource: resource, Context: types.NewRecord(nil)}
}

// cedarRecord writes the facts of a resource. The beginnings of values stand beside them, because
// Cedar cannot ask whether one value of a set begins with a text. Owners by type are tags of an entity.
func cedarRecord(res *policies.Resource, entities types.EntityMap) (types.RecordMap, types.EntityUID) {
	ownedAs := cedar.NewEntityUID("Owned", cedar.String(fmt.Sprint(len(entities))))
	if res == nil {
		return types.RecordMap{"present": types.Boolean(false)}, ownedAs
	}
	one := func(text string) []string {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	itself := res.Domains
	if res.Type == "domain" {
		itself = append(one(res.URN), itself...)
	}
	var owners []string
	byType := map[string][]string{}
	for _, o := range res.Owners {
		owners = append(owners, o.URN)
		byType[o.TypeURN] = append(byType[o.TypeURN], o.URN)
	}
	record := types.RecordMap{"present": types.Boolean(true), "urn": cedarSet(one(res.URN)), "owners": cedarSet(owners)}
	for field, values := range map[policies.Field][]string{
		policies.FieldType: one(res.Type), policies.FieldURN: one(res.URN), policies.FieldOwner: owners, policies.FieldDomain: itself,
		policies.FieldGroup: res.Groups, policies.FieldInstance: one(res.Instance), policies.FieldTag: res.Tags,
		policies.FieldContainer: res.Containers, policies.FieldTerm: res.Terms,
	} {
		record[cedar.String("field"+string(field))] = cedarSet(values)
		var begin []string
		for _, possible := range valuesOf[field] {
			if slices.ContainsFunc(values, func(value string) bool { return strings.HasPrefix(value, possible) }) {
				begin = append(begin, possible)
			}
		}
		record[cedar.String("field"+string(field)+"Begin")] = cedarSet(begin)
	}
	labels := types.RecordMap{}
	for ownerType, urns := range byType {
		labels[cedar.String(ownerType)] = cedarSet(urns)
	}
	entities[ownedAs] = types.Entity{UID: ownedAs, Tags: types.NewRecord(labels)}
	return record, ownedAs
}

func cedarSet(texts []string) types.Set {
	var values []types.Value
	for _, text := range texts {
		values = append(values, types.String(text))
	}
	return types.NewSet(values...)
}

package permit_test

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// columnOf returns the URN of a column.
func columnOf(dataset string) string { return "urn:li:schemaField:(" + dataset + ",id)" }

// on is a filter for one entity.
func on(u string) string { return `{"field":"URN","values":["` + u + `"],"condition":"EQUALS"}` }

// TestLogicalParents: to say that an entity is an instance of a logical model needs the right to change both.
// The right to change a column is the right to change its dataset, or that of a policy about the column itself, unless
// another policy denies it for the dataset.
func TestLogicalParents(t *testing.T) {
	h := newHouse(t)
	const model1 = "urn:li:dataset:(urn:li:dataPlatform:logical,orders,PROD)"
	h.policy("p1", "EDIT_ENTITY", "child", on(orders))
	h.policy("p2", "EDIT_ENTITY", "parent", on(model1))
	h.policy("p3", "EDIT_ENTITY", "both", on(orders))
	h.policy("p4", "EDIT_ENTITY", "both", on(model1))
	h.policy("p5", "EDIT_ENTITY", "mixed", on(orders))
	h.policy("p6", "EDIT_ENTITY", "mixed", on(columnOf(model1)))
	for i, on := range []string{on(orders), on(columnOf(model1))} {
		h.policy(fmt.Sprint("p", 7+i), "EDIT_ENTITY", "denied", on)
	}
	h.put("urn:li:dataHubPolicy:p9", model.AspectDataHubPolicyInfo, `{"displayName":"p9","description":"","type":"METADATA","state":"ACTIVE","resources":{"filter":{"criteria":[`+on(model1)+`]}},"privileges":["EDIT_ENTITY"],"actors":{"users":["urn:li:corpuser:denied"],"resourceOwners":false,"allUsers":false,"allGroups":false},"editable":true}`)
	h.put("urn:li:dataHubPolicy:p9", model.AspectHeadwaterPolicyRule, `{"effect":"DENY","state":"ACTIVE"}`)
	h.permits.Forget()
	names := func(parent string) catalog.Tree {
		return catalog.Tree{"parent": catalog.Tree{"destinationUrn": parent}}
	}
	for name, c := range map[string]struct {
		urn   string
		value catalog.Tree
		patch string
		// may lists the actors whom the policies allow the write.
		may map[string]bool
	}{
		"a dataset":            {urn: orders, value: names(model1), may: map[string]bool{"both": true}},
		"a column":             {urn: columnOf(orders), value: names(columnOf(model1)), may: map[string]bool{"both": true, "mixed": true}},
		"nothing":              {urn: orders, value: catalog.Tree{}, may: map[string]bool{"child": true, "both": true, "mixed": true, "denied": true}},
		"a patch":              {urn: orders, patch: `[{"op":"add","path":"/parent","value":{"destinationUrn":"` + model1 + `"}}]`, may: map[string]bool{"both": true}},
		"a patch of a member":  {urn: orders, patch: `[{"op":"add","path":"/parent/destinationUrn","value":"` + model1 + `"}]`, may: map[string]bool{"both": true}},
		"a patch that removes": {urn: orders, patch: `[{"op":"remove","path":"/parent"}]`, may: map[string]bool{"child": true, "both": true, "mixed": true, "denied": true}},
	} {
		want := write.Want{URN: urn(t, c.urn), Aspect: model.AspectLogicalParent, Kind: write.Changes, Value: c.value}
		if c.patch != "" {
			want.Patch = patch(t, c.patch)
		}
		for _, who := range []string{"child", "parent", "both", "mixed", "denied", "ned"} {
			if got := h.permits.Protect(h.as(who), []write.Want{want}); (got[0] == nil) != c.may[who] {
				t.Errorf("%s by %s: %v", name, who, got[0])
			}
		}
	}
}

// TestInstead: an edit may name questions about other entities, all of which have to be allowed. They never
// replace a privilege of the platform.
func TestInstead(t *testing.T) {
	h := newHouse(t)
	h.policy("p1", "EDIT_ENTITY_DATA_PRODUCTS", "quinn", on(orders))
	about := func(urns ...string) []permission.Question {
		var questions []permission.Question
		for _, u := range urns {
			questions = append(questions, permission.About(urn(t, u), "EDIT_ENTITY_DATA_PRODUCTS", "EDIT_ENTITY"))
		}
		return questions
	}
	for name, c := range map[string]struct {
		want write.Want
		may  bool
	}{
		"one asset":                  {write.Want{URN: urn(t, "urn:li:dataProduct:a"), Aspect: model.AspectDataProductProperties, Instead: about(orders)}, true},
		"another asset too":          {write.Want{URN: urn(t, "urn:li:dataProduct:a"), Aspect: model.AspectDataProductProperties, Instead: about(orders, secrets)}, false},
		"no asset":                   {write.Want{URN: urn(t, "urn:li:dataProduct:a"), Aspect: model.AspectDataProductProperties}, false},
		"what gives somebody rights": {write.Want{URN: urn(t, "urn:li:corpuser:quinn"), Aspect: model.AspectRoleMembership, Instead: about(orders)}, false},
	} {
		c.want.Kind, c.want.Edit = write.Changes, true
		if got := h.permits.Protect(h.as("quinn"), []write.Want{c.want}); (got[0] == nil) != c.may {
			t.Errorf("%s: %v", name, got[0])
		}
		if got := h.permits.Protect(h.as("ned"), []write.Want{c.want}); got[0] == nil {
			t.Errorf("%s by somebody else is permitted", name)
		}
	}
}

// TestServersPolicies: callers who manage policies write editable policies. Policies that are not editable
// belong to the server, and to callers who may import.
func TestServersPolicies(t *testing.T) {
	h := newHouse(t)
	h.policy("own", "EDIT_ENTITY", "x", "")
	h.put("urn:li:dataHubPolicy:managers", model.AspectDataHubPolicyInfo, `{"displayName":"m","description":"","type":"PLATFORM","state":"ACTIVE","privileges":["MANAGE_POLICIES"],"actors":{"users":["urn:li:corpuser:mia"],"resourceOwners":false,"allUsers":false,"allGroups":false},"editable":true}`)
	h.permits.Forget()
	system, err := h.permits.Of(t.Context(), policies.Actor{System: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		id, aspect string
		kind       write.WantKind
		editable   any
		patch      string
		may        bool
	}{
		"a new policy":                        {id: "new", kind: write.Changes, editable: true, may: true},
		"a new policy without the member":     {id: "new", kind: write.Changes, may: true},
		"a new policy like one of the server": {id: "new", kind: write.Creates, editable: false},
		"a policy, made not editable":         {id: "own", kind: write.Changes, editable: false},
		"a policy of the server":              {id: "0", kind: write.Changes, editable: true},
		"its rule":                            {id: "0", aspect: model.AspectHeadwaterPolicyRule, kind: write.Changes},
		"its status":                          {id: "0", aspect: model.AspectStatus, kind: write.Changes},
		"its deletion":                        {id: "0", aspect: "dataHubPolicyKey", kind: write.Deletes},
		"the deletion of another":             {id: "own", aspect: "dataHubPolicyKey", kind: write.Deletes, may: true},
		"a patch of the name":                 {id: "own", kind: write.Changes, patch: `[{"op":"add","path":"/displayName","value":"x"}]`, may: true},
		"a patch of the member":               {id: "own", kind: write.Changes, patch: `[{"op":"add","path":"/editable","value":false}]`},
		"a patch of everything":               {id: "own", kind: write.Changes, patch: `[{"op":"add","path":"","value":{"editable":false}}]`},
	} {
		want := write.Want{URN: urn(t, "urn:li:dataHubPolicy:"+c.id), Aspect: c.aspect, Kind: c.kind}
		if c.aspect == "" {
			want.Aspect = model.AspectDataHubPolicyInfo
			if c.patch == "" {
				want.Value = catalog.Tree{"displayName": "x"}
				if c.editable != nil {
					want.Value["editable"] = c.editable
				}
			}
		}
		if c.patch != "" {
			want.Patch = patch(t, c.patch)
		}
		if got := h.permits.Protect(h.as("mia"), []write.Want{want}); (got[0] == nil) != c.may {
			t.Errorf("%s: %v", name, got[0])
		}
		if got := h.permits.Protect(h.as("ned"), []write.Want{want}); catalog.CodeOf(got[0]) != catalog.Forbidden {
			t.Errorf("%s by somebody else: %v", name, got[0])
		}
		if got := h.permits.Protect(h.as("ada", "Admin"), []write.Want{want}); got[0] != nil {
			t.Errorf("%s by an administrator: %v", name, got[0])
		}
		if got := h.permits.Protect(permission.With(h.as("ned"), system), []write.Want{want}); got[0] != nil {
			t.Errorf("%s by the system: %v", name, got[0])
		}
	}
}

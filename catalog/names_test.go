package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

func inBlanks(urn string) string { return "  " + catalogtest.OtherLetters(urn) + " " }

const (
	flow1, job1   = "urn:li:dataFlow:(airflow,f,PROD)", "urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),j)"
	node1, node2  = "urn:li:glossaryNode:n1", "urn:li:glossaryNode:n2"
	term1, term2  = "urn:li:glossaryTerm:t1", "urn:li:glossaryTerm:t2"
	group1, user2 = "urn:li:corpGroup:g", "urn:li:corpuser:bob"
	tag1, tag2    = "urn:li:tag:T1", "urn:li:tag:T2"
	domain1       = "urn:li:domain:d"
	owning        = "urn:li:ownershipType:mine"
)

// nameHarness is a small catalog in which everything that the mutations name exists.
func nameHarness(t *testing.T) *catalogtest.SearchHarness {
	h := catalogtest.NewSearchHarness(t)
	var batch []write.Proposal
	say := func(urn, aspect, value string) {
		p := catalogtest.Proposal(write.Upsert, urn, aspect, value)
		u, _, _ := h.ParseURN(urn)
		p.EntityType = u.EntityType()
		batch = append(batch, p)
	}
	for _, urn := range []string{catalogtest.Upstream, job1, flow1, user2, tag2, "urn:li:chart:(looker,c)"} {
		say(urn, "status", `{"removed":false}`)
	}
	say(catalogtest.Ada, "corpUserInfo", `{"active":true}`)
	say(group1, "corpGroupInfo", `{"admins":[],"members":[],"groups":[]}`)
	say(tag1, "tagProperties", `{"name":"T1"}`)
	say(domain1, "domainProperties", `{"name":"d"}`)
	say(owning, "ownershipTypeInfo", `{"name":"mine","created":`+catalogtest.Stamp+`,"lastModified":`+catalogtest.Stamp+`}`)
	for _, urn := range []string{node1, node2} {
		say(urn, "glossaryNodeInfo", `{"definition":"","name":"`+urn+`"}`)
	}
	for _, urn := range []string{term1, term2} {
		say(urn, "glossaryTermInfo", `{"definition":"","name":"`+urn+`","termSource":"INTERNAL"}`)
	}
	say(term1, "glossaryRelatedTerms", `{"isRelatedTerms":["`+term2+`"]}`)
	say(catalogtest.Table, "schemaMetadata", `{"schemaName":"x","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"id","type":{"type":{"com.linkedin.schema.StringType":{}}},"nativeDataType":"s"}]}`)
	say(catalogtest.Table, "globalTags", `{"tags":[{"tag":"`+tag1+`"}]}`)
	say(catalogtest.Table, "ownership", `{"owners":[{"owner":"`+catalogtest.Ada+`","type":"CUSTOM","typeUrn":"`+owning+`"}],"lastModified":`+catalogtest.Stamp+`}`)
	say(catalogtest.Table, "institutionalMemory", `{"elements":[{"url":"u","description":"","createStamp":`+catalogtest.Stamp+`}]}`)
	say(catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Upstream+`","type":"TRANSFORMED","auditStamp":`+catalogtest.Stamp+`}]}`)
	say(catalogtest.Table, "datasetProfile", `{"timestampMillis":1}`)
	say(user2, "nativeGroupMembership", `{"nativeGroups":["`+group1+`"]}`)
	if _, err := h.IngestWhole(bg, batch, wo); err != nil {
		t.Fatal(err)
	}
	return h
}

// mutations are all operations that take URNs, each with s for the spelling of
// every URN. Proposals and snapshots take no blanks.
var mutations = map[string]struct {
	do     func(h *services.Services, s spell) (any, error)
	strict bool
}{
	"AddLink": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.AddLink(bg, s.urn(catalogtest.Table), edits.LinkText{URL: "v", Label: "l"}, wo)
	})},
	"RemoveLink": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.RemoveLink(bg, s.urn(catalogtest.Table), "u", nil, wo)
	})},
	"SetDomain": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetDomain(bg, s.urn(domain1), []model.URN{s.urn(catalogtest.Table), s.urn(job1)}, wo)
	})},
	"SetDeprecation": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetDeprecation(bg, edits.Deprecation{Deprecated: true}, []model.URN{s.urn(catalogtest.Table)}, wo)
	})},
	"SetRemoved": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetRemoved(bg, true, []model.URN{s.urn(catalogtest.Table), s.urn(tag1)}, wo)
	})},
	"SetDescription": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetDescription(bg, edits.Resource{URN: s.urn(catalogtest.Table), Field: "id"}, "d", wo)
	})},
	"SetName":     {do: act(func(h *services.Services, s spell) error { return h.Edits.SetName(bg, s.urn(term1), "another", wo) })},
	"SetTagColor": {do: act(func(h *services.Services, s spell) error { return h.Edits.SetTagColor(bg, s.urn(tag2), "#fff", wo) })},
	"SetParentNode": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetParentNode(bg, s.urn(term1), s.urn(node1), wo)
	})},
	"SetParentNode below itself": {do: act(func(h *services.Services, s spell) error {
		if err := h.Edits.SetParentNode(bg, s.urn(node1), s.urn(node2), wo); err != nil {
			return err
		}
		if err := h.Edits.SetParentNode(bg, s.urn(node2), s.urn(node1), wo); catalog.CodeOf(err) != catalog.Invalid {
			return fmt.Errorf("a node is below itself: %w", err)
		}
		return nil
	})},
	"relate": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditRelatedTerms(bg, s.urn(term2), []model.URN{s.urn(term1), catalogtest.URN(term1)}, "hasA", true, wo)
	})},
	"unrelate": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditRelatedTerms(bg, s.urn(term1), []model.URN{s.urn(term2)}, "isA", false, wo)
	})},
	"AddLabels": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.AddLabels(bg, edits.TagLabel, []model.URN{s.urn(tag1), s.urn(tag2), catalogtest.URN(tag2)}, []edits.Resource{{URN: s.urn(catalogtest.Table)}, {URN: s.urn(catalogtest.Table), Field: "id"}}, wo)
	})},
	"AddLabels of terms": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.AddLabels(bg, edits.TermLabel, []model.URN{s.urn(term1), catalogtest.URN(term1)}, []edits.Resource{{URN: s.urn(catalogtest.Table)}}, wo)
	})},
	"RemoveLabels": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.RemoveLabels(bg, edits.TagLabel, []model.URN{s.urn(tag1)}, []edits.Resource{{URN: s.urn(catalogtest.Table)}}, wo)
	})},
	"EditLineage": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditLineage(bg, []edits.LineageEdge{{Upstream: s.urn(catalogtest.Upstream), Downstream: s.urn(catalogtest.Table)}, {Upstream: s.urn(catalogtest.Table), Downstream: s.urn(job1)}, {Upstream: s.urn(job1), Downstream: s.urn(catalogtest.Upstream)}}, nil, wo)
	})},
	"EditLineage, remove": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditLineage(bg, nil, []edits.LineageEdge{{Upstream: s.urn(catalogtest.Upstream), Downstream: s.urn(catalogtest.Table)}}, wo)
	})},
	"AddOwners": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.AddOwners(bg, []edits.NewOwner{{URN: s.urn(catalogtest.Ada), TypeURN: s.urn(owning)}, {URN: s.urn(group1), EntityType: "corpGroup"}}, []model.URN{s.urn(catalogtest.Table)}, wo)
	})},
	"RemoveOwners": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.RemoveOwners(bg, []model.URN{s.urn(catalogtest.Ada)}, s.urn(owning), []model.URN{s.urn(catalogtest.Table)}, wo)
	})},
	"join": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditGroupMembers(bg, s.urn(group1), []model.URN{s.urn(catalogtest.Ada), s.urn(user2), catalogtest.URN(user2)}, true, wo)
	})},
	"leave": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditGroupMembers(bg, s.urn(group1), []model.URN{s.urn(user2)}, false, wo)
	})},
	"SetUserStatus": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetUserStatus(bg, s.urn(catalogtest.Ada), "ACTIVE", wo)
	})},
	"EditProfile": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditProfile(bg, s.urn(catalogtest.Ada), catalog.Tree{"title": "t"}, wo)
	})},
	"replacements": {do: act(func(h *services.Services, s spell) error {
		return h.Edit(bg, []write.Edit{
			edits.ReplaceOwners(s.urn(catalogtest.Table), []edits.NewOwner{{URN: s.urn(user2), TypeURN: s.urn(owning)}}), edits.ReplaceTags(s.urn(catalogtest.Table), []model.URN{s.urn(tag2), catalogtest.URN(tag2)}),
			edits.ReplaceLinks(s.urn(catalogtest.Table), []edits.Link{{URL: "w", Author: s.urn(user2)}}), edits.ReplaceDescription(s.urn(catalogtest.Table), "editableDatasetProperties", "d"),
			edits.ReplaceLegacyDeprecation(s.urn(catalogtest.Table), edits.Deprecation{Deprecated: true}), edits.ReplaceColumnNotes(s.urn(catalogtest.Table), []edits.ColumnNote{{FieldPath: "id", Tags: []model.URN{s.urn(tag1)}}}),
		}, wo)
	})},
	"CreateEntity": {do: func(h *services.Services, s spell) (any, error) {
		return h.Edits.CreateEntity(bg, edits.NewEntity{EntityType: "glossaryTerm", ID: "made", Name: "made", Parent: s.urn(node1)}, wo)
	}},
	"ReportOperation": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.ReportOperation(bg, edits.Operation{Dataset: s.urn(catalogtest.Table), Type: "INSERT", SourceType: "DATA_PROCESS", Time: new(int64)}, wo)
	})},
	"Delete": {do: func(h *services.Services, s spell) (any, error) {
		return h.Removal.Delete(bg, s.urn(tag1), false, wo)
	}},
	"DeleteEntity": {do: act(func(h *services.Services, s spell) error {
		return h.Removal.DeleteEntity(bg, s.urn(tag1), []string{"tag"}, wo)
	})},
	"DeleteReferences": {do: func(h *services.Services, s spell) (any, error) {
		return h.Removal.DeleteReferences(bg, s.urn(tag1), false, wo)
	}},
	"DeleteTimeSeries": {do: func(h *services.Services, s spell) (any, error) {
		return h.Removal.DeleteTimeSeries(bg, removal.TimeSeriesDeletion{URN: s.urn(catalogtest.Table), Aspect: "datasetProfile"}, wo)
	}},
	"BatchDelete": {do: func(h *services.Services, s spell) (any, error) {
		return h.Removal.BatchDelete(bg, removal.BatchDeletion{URNs: []model.URN{s.urn(tag1), catalogtest.URN(tag1), s.urn(tag2)}, References: true}, wo)
	}},
	"BatchDelete, soft": {do: func(h *services.Services, s spell) (any, error) {
		return h.Removal.BatchDelete(bg, removal.BatchDeletion{URNs: []model.URN{s.urn(tag1), catalogtest.URN(tag1)}, Soft: true, System: &catalog.SystemMetadata{LastObserved: 1}}, wo)
	}},
	"BatchDelete, dry": {do: func(h *services.Services, s spell) (any, error) {
		return h.Removal.BatchDelete(bg, removal.BatchDeletion{URNs: []model.URN{s.urn(catalogtest.Table), catalogtest.URN(catalogtest.Table)}, DryRun: true}, wo)
	}},
	"Ingest": {strict: true, do: func(h *services.Services, s spell) (any, error) {
		return h.Ingest(bg, catalogtest.Proposal(write.Upsert, s(catalogtest.Table), "status", `{"removed":true}`), wo)
	}},
	"IngestBatch": {strict: true, do: func(h *services.Services, s spell) (any, error) {
		return h.IngestBatch(bg, []write.Proposal{catalogtest.Proposal(write.Upsert, s(catalogtest.Table), "status", `{"removed":true}`), catalogtest.Proposal(write.Upsert, catalogtest.Table, "status", `{"removed":true}`)}, wo)
	}},
	"IngestWhole": {strict: true, do: func(h *services.Services, s spell) (any, error) {
		return h.IngestWhole(bg, []write.Proposal{catalogtest.Proposal(write.Upsert, s(catalogtest.Table), "status", `{"removed":true}`), catalogtest.Proposal(write.Upsert, catalogtest.Table, "status", `{"removed":true}`)}, wo)
	}},
	"IngestSnapshots": {strict: true, do: act(func(h *services.Services, s spell) error {
		_, err := h.IngestSnapshots(bg, []write.Snapshot{{Value: json.RawMessage(`{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"` + s(tag2) + `","aspects":[{"com.linkedin.tag.TagProperties":{"name":"x"}}]}}`)}}, wo)
		return err
	})},
	"IngestUsage": {strict: true, do: act(func(h *services.Services, s spell) error {
		return h.IngestUsage(bg, []model.UsageBucket{{Bucket: 5, Duration: "DAY", Resource: s(catalogtest.Table)}}, wo)
	})},
}

// spell is a way to spell URNs.
type spell func(string) string

// urn is a URN that is read from another spelling, as the doors do.
func (s spell) urn(text string) model.URN { return catalogtest.URN(s(text)) }

var (
	bg = context.Background()
	wo = catalog.WriteOptions{Actor: catalogtest.Ada, AwaitIndex: true}
)

func act(do func(*services.Services, spell) error) func(*services.Services, spell) (any, error) {
	return func(c *services.Services, s spell) (any, error) { return nil, do(c, s) }
}

// TestSpellings: a mutation has the same effect and the same count, however the types of the URNs
// are spelled, in a first and in a second call.
func TestSpellings(t *testing.T) {
	plain := func(urn string) string { return urn }
	for name, m := range mutations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(s spell) (string, string) {
				h := nameHarness(t)
				first, err := m.do(h.Services, s)
				if err != nil {
					t.Fatalf("%v", err)
				}
				// Another spelling of the same name; now it may be refused.
				second, err := m.do(h.Services, plain)
				return h.State(), catalogtest.MustJSON(t, []any{first, second, catalog.MessageOf(err)})
			}
			state, said := run(plain)
			other := spell(inBlanks)
			if m.strict {
				other = catalogtest.OtherLetters
			}
			otherState, otherSaid := run(other)
			if otherSaid != said {
				t.Errorf("said %s, plainly %s", otherSaid, said)
			}
			if otherState != state {
				t.Errorf("the state is\n%s\nplainly\n%s", otherState, state)
			}
		})
	}
}

// TestBlanks: blanks around the URN of a write are refused; blanks around a URN in a read are ignored.
func TestBlanks(t *testing.T) {
	h := nameHarness(t)
	before := len(h.Logged())
	for name, m := range mutations {
		if !m.strict || name == "IngestBatch" {
			continue
		}
		if _, err := m.do(h.Services, func(urn string) string { return urn + " " }); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), "whitespace") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.do(h.Services, func(urn string) string { return " " + urn }); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), "whitespace") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(h.Logged()); n != before {
		t.Errorf("%d changes", n-before)
	}
	found, err := h.Entity(bg, catalogtest.URN("\t"+catalogtest.Table+"\n"), nil)
	if err != nil || found.URN != catalogtest.Table || len(found.Aspects) < 5 {
		t.Errorf("%+v %v", found, err)
	}
	if page, err := h.Relationships(bg, read.RelationshipQuery{URN: catalogtest.URN(" " + catalogtest.Table + " "), Direction: "OUTGOING", Count: 10}); err != nil || page.Total == 0 {
		t.Errorf("%+v %v", page, err)
	}
	u, _, err := h.ParseURN(" " + catalogtest.Table + " ")
	if err != nil {
		t.Error(err)
	}
	if walk, err := h.Lineage.Walk(bg, lineage.WalkQuery{URN: u, Direction: "UPSTREAM"}); err != nil || len(walk.Reached) != 1 {
		t.Errorf("%+v %v", walk, err)
	}
}

// TestStoredSpellings: a stored URN in another spelling names the same entity.
func TestStoredSpellings(t *testing.T) {
	h, odd := nameHarness(t), catalogtest.OtherLetters
	h.Say(catalogtest.Table, "globalTags", `{"tags":[{"tag":"`+odd(tag1)+`"}]}`)
	h.Say(catalogtest.Table, "ownership", `{"owners":[{"owner":"`+odd(catalogtest.Ada)+`","type":"CUSTOM","typeUrn":"`+odd(owning)+`"}],"lastModified":`+catalogtest.Stamp+`}`)
	h.Say(term1, "glossaryRelatedTerms", `{"isRelatedTerms":["`+odd(term2)+`"]}`)
	h.Say(user2, "nativeGroupMembership", `{"nativeGroups":["`+odd(group1)+`"]}`)
	h.Say(catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+odd(catalogtest.Upstream)+`","type":"TRANSFORMED","auditStamp":`+catalogtest.Stamp+`}]}`)
	count := func(urn, aspect, text string) int {
		return strings.Count(strings.ToLower(h.Value(urn, aspect, 0)), strings.ToLower(text))
	}
	edges := []edits.LineageEdge{{Upstream: catalogtest.URN(catalogtest.Upstream), Downstream: catalogtest.URN(catalogtest.Table)}}
	for _, step := range []struct {
		err  error
		want int
	}{
		{h.Edits.AddLabels(bg, edits.TagLabel, catalogtest.URNs(tag1), []edits.Resource{{URN: catalogtest.URN(catalogtest.Table)}}, wo), 1},
		{h.Edits.AddOwners(bg, []edits.NewOwner{{URN: catalogtest.URN(catalogtest.Ada), TypeURN: catalogtest.URN(owning)}}, catalogtest.URNs(catalogtest.Table), wo), 1},
		{h.Edits.EditRelatedTerms(bg, catalogtest.URN(term1), catalogtest.URNs(term2), "isA", true, wo), 1},
		{h.Edits.EditGroupMembers(bg, catalogtest.URN(group1), catalogtest.URNs(user2), true, wo), 1},
		{h.Edits.EditLineage(bg, edges, nil, wo), 1},
	} {
		if step.err != nil {
			t.Fatal(step.err)
		}
	}
	check := func(want int) {
		t.Helper()
		for _, c := range [][3]string{
			{catalogtest.Table, "globalTags", tag1},
			{catalogtest.Table, "ownership", `"owner":"` + catalogtest.Ada},
			{term1, "glossaryRelatedTerms", term2},
			{user2, "nativeGroupMembership", group1},
			{catalogtest.Table, "upstreamLineage", `"dataset":"` + catalogtest.Upstream},
		} {
			if n := count(c[0], c[1], c[2]); n != want {
				t.Errorf("%s names %s %d times, want %d: %s", c[1], c[2], n, want, h.Value(c[0], c[1], 0))
			}
		}
	}
	check(1)
	for _, err := range []error{
		h.Edits.RemoveLabels(bg, edits.TagLabel, catalogtest.URNs(tag1), []edits.Resource{{URN: catalogtest.URN(catalogtest.Table)}}, wo),
		h.Edits.RemoveOwners(bg, catalogtest.URNs(catalogtest.Ada), catalogtest.URN(owning), catalogtest.URNs(catalogtest.Table), wo),
		h.Edits.EditRelatedTerms(bg, catalogtest.URN(term1), catalogtest.URNs(term2), "isA", false, wo),
		h.Edits.EditGroupMembers(bg, catalogtest.URN(group1), catalogtest.URNs(user2), false, wo),
		h.Edits.EditLineage(bg, nil, edges, wo),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(0)
}

// TestGlossaryNames: a name with a comma is one name.
func TestGlossaryNames(t *testing.T) {
	h := nameHarness(t)
	for i, name := range []string{"Sales", "Sales, EMEA", "EMEA", "Sales,EMEA", "EMEA , Sales"} {
		for _, kind := range []string{"glossaryTerm", "glossaryNode"} {
			n := edits.NewEntity{EntityType: kind, ID: fmt.Sprint("comma", i), Name: name, Parent: catalogtest.URN(node1)}
			if _, err := h.Edits.CreateEntity(bg, n, wo); err != nil {
				t.Errorf("%s %q: %v", kind, name, err)
			}
			n.ID += "again"
			if _, err := h.Edits.CreateEntity(bg, n, wo); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), "exists in this place") {
				t.Errorf("%s %q a second time: %v", kind, name, err)
			}
		}
	}
	if err := h.Edits.SetName(bg, catalogtest.URN(term1), "Sales, EMEA", wo); err != nil { // the term is at the top, where no other has the name
		t.Error(err)
	}
}

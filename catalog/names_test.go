package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
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
	var batch []catalog.Proposal
	say := func(urn, aspect, value string) {
		p := catalogtest.Proposal(catalog.Upsert, urn, aspect, value)
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
	do     func(h *services.Services, s func(string) string) (any, error)
	strict bool
}{
	"AddLink": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.AddLink(bg, s(catalogtest.Table), "v", "l", wo)
	})},
	"RemoveLink": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.RemoveLink(bg, s(catalogtest.Table), "u", wo)
	})},
	"SetDomain": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetDomain(bg, s(domain1), []string{s(catalogtest.Table), s(job1)}, wo)
	})},
	"SetDeprecation": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetDeprecation(bg, edits.Deprecation{Deprecated: true}, []string{s(catalogtest.Table)}, wo)
	})},
	"SetRemoved": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetRemoved(bg, true, []string{s(catalogtest.Table), s(tag1)}, wo)
	})},
	"SetDescription": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetDescription(bg, edits.Resource{URN: s(catalogtest.Table), Field: "id"}, "d", wo)
	})},
	"SetName":       {do: act(func(h *services.Services, s spell) error { return h.Edits.SetName(bg, s(term1), "another", wo) })},
	"SetTagColor":   {do: act(func(h *services.Services, s spell) error { return h.Edits.SetTagColor(bg, s(tag2), "#fff", wo) })},
	"SetParentNode": {do: act(func(h *services.Services, s spell) error { return h.Edits.SetParentNode(bg, s(term1), s(node1), wo) })},
	"SetParentNode below itself": {do: act(func(h *services.Services, s spell) error {
		if err := h.Edits.SetParentNode(bg, s(node1), s(node2), wo); err != nil {
			return err
		}
		if err := h.Edits.SetParentNode(bg, s(node2), s(node1), wo); catalog.CodeOf(err) != catalog.Invalid {
			return fmt.Errorf("a node is below itself: %w", err)
		}
		return nil
	})},
	"relate": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditRelatedTerms(bg, s(term2), []string{s(term1), term1}, "hasA", true, wo)
	})},
	"unrelate": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditRelatedTerms(bg, s(term1), []string{s(term2)}, "isA", false, wo)
	})},
	"AddLabels": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.AddLabels(bg, edits.TagLabel, []string{s(tag1), s(tag2), tag2}, []edits.Resource{{URN: s(catalogtest.Table)}, {URN: s(catalogtest.Table), Field: "id"}}, wo)
	})},
	"AddLabels of terms": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.AddLabels(bg, edits.TermLabel, []string{s(term1), term1}, []edits.Resource{{URN: s(catalogtest.Table)}}, wo)
	})},
	"RemoveLabels": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.RemoveLabels(bg, edits.TagLabel, []string{s(tag1)}, []edits.Resource{{URN: s(catalogtest.Table)}}, wo)
	})},
	"EditLineage": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditLineage(bg, []edits.LineageEdge{{Upstream: s(catalogtest.Upstream), Downstream: s(catalogtest.Table)}, {Upstream: s(catalogtest.Table), Downstream: s(job1)}, {Upstream: s(job1), Downstream: s(catalogtest.Upstream)}}, nil, wo)
	})},
	"EditLineage, remove": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditLineage(bg, nil, []edits.LineageEdge{{Upstream: s(catalogtest.Upstream), Downstream: s(catalogtest.Table)}}, wo)
	})},
	"AddOwners": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.AddOwners(bg, []edits.NewOwner{{URN: s(catalogtest.Ada), TypeURN: s(owning)}, {URN: s(group1), EntityType: "corpGroup"}}, []string{s(catalogtest.Table)}, wo)
	})},
	"RemoveOwners": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.RemoveOwners(bg, []string{s(catalogtest.Ada)}, s(owning), []string{s(catalogtest.Table)}, wo)
	})},
	"join": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditGroupMembers(bg, s(group1), []string{s(catalogtest.Ada), s(user2), user2}, true, wo)
	})},
	"leave": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditGroupMembers(bg, s(group1), []string{s(user2)}, false, wo)
	})},
	"SetUserStatus": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.SetUserStatus(bg, s(catalogtest.Ada), "ACTIVE", wo)
	})},
	"EditProfile": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.EditProfile(bg, s(catalogtest.Ada), catalog.Tree{"title": "t"}, wo)
	})},
	"replacements": {do: act(func(h *services.Services, s spell) error {
		return h.Edit(bg, []catalog.Edit{
			edits.ReplaceOwners(s(catalogtest.Table), []edits.NewOwner{{URN: s(user2), TypeURN: s(owning)}}), edits.ReplaceTags(s(catalogtest.Table), []string{s(tag2), tag2}),
			edits.ReplaceLinks(s(catalogtest.Table), []edits.Link{{URL: "w", Author: s(user2)}}), edits.ReplaceDescription(s(catalogtest.Table), "editableDatasetProperties", "d"),
			edits.ReplaceLegacyDeprecation(s(catalogtest.Table), edits.Deprecation{Deprecated: true}), edits.ReplaceColumnNotes(s(catalogtest.Table), []edits.ColumnNote{{FieldPath: "id", Tags: []string{s(tag1)}}}),
		}, wo)
	})},
	"CreateEntity": {do: func(h *services.Services, s func(string) string) (any, error) {
		return h.Edits.CreateEntity(bg, edits.NewEntity{EntityType: "glossaryTerm", ID: "made", Name: "made", Parent: s(node1)}, wo)
	}},
	"ReportOperation": {do: act(func(h *services.Services, s spell) error {
		return h.Edits.ReportOperation(bg, edits.Operation{Dataset: s(catalogtest.Table), Type: "INSERT", SourceType: "DATA_PROCESS", Time: new(int64)}, wo)
	})},
	"Delete": {do: func(h *services.Services, s func(string) string) (any, error) {
		return h.Removal.Delete(bg, s(tag1), false, wo)
	}},
	"DeleteEntity": {do: act(func(h *services.Services, s spell) error {
		return h.Removal.DeleteEntity(bg, s(tag1), []string{"tag"}, wo)
	})},
	"DeleteReferences": {do: func(h *services.Services, s func(string) string) (any, error) {
		return h.Removal.DeleteReferences(bg, s(tag1), false, wo)
	}},
	"DeleteTimeSeries": {do: func(h *services.Services, s func(string) string) (any, error) {
		return h.Removal.DeleteTimeSeries(bg, removal.TimeSeriesDeletion{URN: s(catalogtest.Table), Aspect: "datasetProfile"}, wo)
	}},
	"BatchDelete": {do: func(h *services.Services, s func(string) string) (any, error) {
		return h.Removal.BatchDelete(bg, removal.BatchDeletion{URNs: []string{s(tag1), tag1, s(tag2)}, References: true}, wo)
	}},
	"BatchDelete, soft": {do: func(h *services.Services, s func(string) string) (any, error) {
		return h.Removal.BatchDelete(bg, removal.BatchDeletion{URNs: []string{s(tag1), tag1}, Soft: true, System: &catalog.SystemMetadata{LastObserved: 1}}, wo)
	}},
	"BatchDelete, dry": {do: func(h *services.Services, s func(string) string) (any, error) {
		return h.Removal.BatchDelete(bg, removal.BatchDeletion{URNs: []string{s(catalogtest.Table), catalogtest.Table}, DryRun: true}, wo)
	}},
	"Ingest": {strict: true, do: func(h *services.Services, s func(string) string) (any, error) {
		return h.Ingest(bg, catalogtest.Proposal(catalog.Upsert, s(catalogtest.Table), "status", `{"removed":true}`), wo)
	}},
	"IngestBatch": {strict: true, do: func(h *services.Services, s func(string) string) (any, error) {
		return h.IngestBatch(bg, []catalog.Proposal{catalogtest.Proposal(catalog.Upsert, s(catalogtest.Table), "status", `{"removed":true}`), catalogtest.Proposal(catalog.Upsert, catalogtest.Table, "status", `{"removed":true}`)}, wo)
	}},
	"IngestWhole": {strict: true, do: func(h *services.Services, s func(string) string) (any, error) {
		return h.IngestWhole(bg, []catalog.Proposal{catalogtest.Proposal(catalog.Upsert, s(catalogtest.Table), "status", `{"removed":true}`), catalogtest.Proposal(catalog.Upsert, catalogtest.Table, "status", `{"removed":true}`)}, wo)
	}},
	"IngestSnapshots": {strict: true, do: act(func(h *services.Services, s spell) error {
		return h.IngestSnapshots(bg, []catalog.Snapshot{{Value: json.RawMessage(`{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"` + s(tag2) + `","aspects":[{"com.linkedin.tag.TagProperties":{"name":"x"}}]}}`)}}, wo)
	})},
	"IngestUsage": {strict: true, do: act(func(h *services.Services, s spell) error {
		return h.IngestUsage(bg, []catalog.UsageBucket{{Bucket: 5, Duration: "DAY", Resource: s(catalogtest.Table)}}, wo)
	})},
}

type spell = func(string) string

var (
	bg = context.Background()
	wo = catalog.WriteOptions{Actor: catalogtest.Ada, AwaitIndex: true}
)

func act(do func(*services.Services, spell) error) func(*services.Services, func(string) string) (any, error) {
	return func(c *services.Services, s func(string) string) (any, error) { return nil, do(c, s) }
}

var times = regexp.MustCompile(`"(time|lastUpdatedTimestamp|timestampMillis)":\d+`)

// state is everything that a catalog holds, without times.
func stateOf(s *catalogtest.SearchHarness) string {
	s.T.Helper()
	urns, err := s.Store.ScanEntities(bg, "", 1000)
	if err != nil {
		s.T.Fatal(err)
	}
	latest, err := s.Store.LatestAspects(bg, urns, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	var lines []string
	for urn, aspects := range latest {
		for _, a := range aspects {
			lines = append(lines, fmt.Sprintf("%s %s %d %s", urn, a.Name, a.Seq, times.ReplaceAllString(string(a.Value), "$1")))
		}
	}
	held, err := s.Store.Holdings(bg, urns)
	if err != nil {
		s.T.Fatal(err)
	}
	for urn, holdings := range held {
		lines = append(lines, fmt.Sprintf("%s: %d versions, %d values", urn, holdings.Versions, holdings.Values()))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestSpellings: a mutation does the same, and counts the same, however the
// types of the URNs are spelled, done once and then once more.
func TestSpellings(t *testing.T) {
	plain := func(urn string) string { return urn }
	for name, m := range mutations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(s func(string) string) (string, string) {
				h := nameHarness(t)
				first, err := m.do(h.Services, s)
				if err != nil {
					t.Fatalf("%v", err)
				}
				// Once more, as it was not spelled before; now it may be refused.
				second, err := m.do(h.Services, plain)
				return stateOf(h), catalogtest.MustJSON(t, []any{first, second, catalog.MessageOf(err)})
			}
			state, said := run(plain)
			other := inBlanks
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

// TestBlanks: blanks around the URN of what is written are refused, around
// those that are read they are not part of them.
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
	read, err := h.Entity(bg, "\t"+catalogtest.Table+"\n", nil)
	if err != nil || read.URN != catalogtest.Table || len(read.Aspects) < 5 {
		t.Errorf("%+v %v", read, err)
	}
	if page, err := h.Relationships(bg, catalog.RelationshipQuery{URN: " " + catalogtest.Table + " ", Direction: "OUTGOING", Count: 10}); err != nil || page.Total == 0 {
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

// TestStoredSpellings: what was stored in another spelling is the same thing.
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
	edges := []edits.LineageEdge{{Upstream: catalogtest.Upstream, Downstream: catalogtest.Table}}
	for _, step := range []struct {
		err  error
		want int
	}{
		{h.Edits.AddLabels(bg, edits.TagLabel, []string{tag1}, []edits.Resource{{URN: catalogtest.Table}}, wo), 1},
		{h.Edits.AddOwners(bg, []edits.NewOwner{{URN: catalogtest.Ada, TypeURN: owning}}, []string{catalogtest.Table}, wo), 1},
		{h.Edits.EditRelatedTerms(bg, term1, []string{term2}, "isA", true, wo), 1},
		{h.Edits.EditGroupMembers(bg, group1, []string{user2}, true, wo), 1},
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
		h.Edits.RemoveLabels(bg, edits.TagLabel, []string{tag1}, []edits.Resource{{URN: catalogtest.Table}}, wo),
		h.Edits.RemoveOwners(bg, []string{catalogtest.Ada}, owning, []string{catalogtest.Table}, wo),
		h.Edits.EditRelatedTerms(bg, term1, []string{term2}, "isA", false, wo),
		h.Edits.EditGroupMembers(bg, group1, []string{user2}, false, wo),
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
			n := edits.NewEntity{EntityType: kind, ID: fmt.Sprint("comma", i), Name: name, Parent: node1}
			if _, err := h.Edits.CreateEntity(bg, n, wo); err != nil {
				t.Errorf("%s %q: %v", kind, name, err)
			}
			n.ID += "again"
			if _, err := h.Edits.CreateEntity(bg, n, wo); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(catalog.MessageOf(err), "exists in this place") {
				t.Errorf("%s %q a second time: %v", kind, name, err)
			}
		}
	}
	if err := h.Edits.SetName(bg, term1, "Sales, EMEA", wo); err != nil { // it is at the top, where no other has the name
		t.Error(err)
	}
}

// TestBatchDeleteChecksFirst: a URN that is none is refused before anything is
// deleted.
func TestBatchDeleteChecksFirst(t *testing.T) {
	h := nameHarness(t)
	var urns []string
	for i := range removal.DeletionsAtOnce + 1 {
		urns = append(urns, fmt.Sprintf("urn:li:tag:del%03d", i))
		h.Say(urns[i], "status", `{"removed":false}`)
	}
	before := len(h.Logged())
	if _, err := h.Removal.BatchDelete(bg, removal.BatchDeletion{URNs: append(urns, "urn:li:tag:zzz ␟")}, wo); catalog.CodeOf(err) != catalog.Invalid || len(h.Logged()) != before {
		t.Errorf("%v, %d changes", err, len(h.Logged())-before)
	}
}

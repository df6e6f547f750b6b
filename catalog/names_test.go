package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// urnTypes are the types of a URN and of those in its key.
var urnTypes = regexp.MustCompile(`urn:li:\w+`)

// otherLetters writes the types of a URN in other letters.
func otherLetters(urn string) string {
	return urnTypes.ReplaceAllStringFunc(urn, func(typed string) string {
		const begin = len("urn:li:") + 1
		return typed[:begin] + strings.ToUpper(typed[begin:])
	})
}

func inBlanks(urn string) string { return "  " + otherLetters(urn) + " " }

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
func nameHarness(t *testing.T) *searchHarness {
	h := newSearchHarness(t)
	var batch []Proposal
	say := func(urn, aspect, value string) {
		p := proposal(Upsert, urn, aspect, value)
		u, _, _ := h.parseURN(urn)
		p.EntityType = u.EntityType()
		batch = append(batch, p)
	}
	for _, urn := range []string{upstream, job1, flow1, user2, tag2, "urn:li:chart:(looker,c)"} {
		say(urn, "status", `{"removed":false}`)
	}
	say(ada, "corpUserInfo", `{"active":true}`)
	say(group1, "corpGroupInfo", `{"admins":[],"members":[],"groups":[]}`)
	say(tag1, "tagProperties", `{"name":"T1"}`)
	say(domain1, "domainProperties", `{"name":"d"}`)
	say(owning, "ownershipTypeInfo", `{"name":"mine","created":`+stamp+`,"lastModified":`+stamp+`}`)
	for _, urn := range []string{node1, node2} {
		say(urn, "glossaryNodeInfo", `{"definition":"","name":"`+urn+`"}`)
	}
	for _, urn := range []string{term1, term2} {
		say(urn, "glossaryTermInfo", `{"definition":"","name":"`+urn+`","termSource":"INTERNAL"}`)
	}
	say(term1, "glossaryRelatedTerms", `{"isRelatedTerms":["`+term2+`"]}`)
	say(table, "schemaMetadata", `{"schemaName":"x","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"id","type":{"type":{"com.linkedin.schema.StringType":{}}},"nativeDataType":"s"}]}`)
	say(table, "globalTags", `{"tags":[{"tag":"`+tag1+`"}]}`)
	say(table, "ownership", `{"owners":[{"owner":"`+ada+`","type":"CUSTOM","typeUrn":"`+owning+`"}],"lastModified":`+stamp+`}`)
	say(table, "institutionalMemory", `{"elements":[{"url":"u","description":"","createStamp":`+stamp+`}]}`)
	say(table, "upstreamLineage", `{"upstreams":[{"dataset":"`+upstream+`","type":"TRANSFORMED","auditStamp":`+stamp+`}]}`)
	say(table, "datasetProfile", `{"timestampMillis":1}`)
	say(user2, "nativeGroupMembership", `{"nativeGroups":["`+group1+`"]}`)
	if _, err := h.IngestWhole(bg, batch, wo); err != nil {
		t.Fatal(err)
	}
	return h
}

// mutations are all operations that take URNs, each with s for the spelling of
// every URN. Proposals and snapshots take no blanks.
var mutations = map[string]struct {
	do     func(h *Catalog, s func(string) string) (any, error)
	strict bool
}{
	"AddLink":    {do: act(func(h *Catalog, s spell) error { return h.AddLink(bg, s(table), "v", "l", wo) })},
	"RemoveLink": {do: act(func(h *Catalog, s spell) error { return h.RemoveLink(bg, s(table), "u", wo) })},
	"SetDomain":  {do: act(func(h *Catalog, s spell) error { return h.SetDomain(bg, s(domain1), []string{s(table), s(job1)}, wo) })},
	"SetDeprecation": {do: act(func(h *Catalog, s spell) error {
		return h.SetDeprecation(bg, Deprecation{Deprecated: true}, []string{s(table)}, wo)
	})},
	"SetRemoved": {do: act(func(h *Catalog, s spell) error { return h.SetRemoved(bg, true, []string{s(table), s(tag1)}, wo) })},
	"SetDescription": {do: act(func(h *Catalog, s spell) error {
		return h.SetDescription(bg, Resource{URN: s(table), Field: "id"}, "d", wo)
	})},
	"SetName":       {do: act(func(h *Catalog, s spell) error { return h.SetName(bg, s(term1), "another", wo) })},
	"SetTagColor":   {do: act(func(h *Catalog, s spell) error { return h.SetTagColor(bg, s(tag2), "#fff", wo) })},
	"SetParentNode": {do: act(func(h *Catalog, s spell) error { return h.SetParentNode(bg, s(term1), s(node1), wo) })},
	"SetParentNode below itself": {do: act(func(h *Catalog, s spell) error {
		if err := h.SetParentNode(bg, s(node1), s(node2), wo); err != nil {
			return err
		}
		if err := h.SetParentNode(bg, s(node2), s(node1), wo); CodeOf(err) != Invalid {
			return fmt.Errorf("a node is below itself: %w", err)
		}
		return nil
	})},
	"relate": {do: act(func(h *Catalog, s spell) error {
		return h.EditRelatedTerms(bg, s(term2), []string{s(term1), term1}, "hasA", true, wo)
	})},
	"unrelate": {do: act(func(h *Catalog, s spell) error {
		return h.EditRelatedTerms(bg, s(term1), []string{s(term2)}, "isA", false, wo)
	})},
	"AddLabels": {do: act(func(h *Catalog, s spell) error {
		return h.AddLabels(bg, TagLabel, []string{s(tag1), s(tag2), tag2}, []Resource{{URN: s(table)}, {URN: s(table), Field: "id"}}, wo)
	})},
	"AddLabels of terms": {do: act(func(h *Catalog, s spell) error {
		return h.AddLabels(bg, TermLabel, []string{s(term1), term1}, []Resource{{URN: s(table)}}, wo)
	})},
	"RemoveLabels": {do: act(func(h *Catalog, s spell) error {
		return h.RemoveLabels(bg, TagLabel, []string{s(tag1)}, []Resource{{URN: s(table)}}, wo)
	})},
	"EditLineage": {do: act(func(h *Catalog, s spell) error {
		return h.EditLineage(bg, []LineageEdge{{s(upstream), s(table)}, {s(table), s(job1)}, {s(job1), s(upstream)}}, nil, wo)
	})},
	"EditLineage, remove": {do: act(func(h *Catalog, s spell) error {
		return h.EditLineage(bg, nil, []LineageEdge{{s(upstream), s(table)}}, wo)
	})},
	"AddOwners": {do: act(func(h *Catalog, s spell) error {
		return h.AddOwners(bg, []NewOwner{{URN: s(ada), TypeURN: s(owning)}, {URN: s(group1), EntityType: "corpGroup"}}, []string{s(table)}, wo)
	})},
	"RemoveOwners": {do: act(func(h *Catalog, s spell) error {
		return h.RemoveOwners(bg, []string{s(ada)}, s(owning), []string{s(table)}, wo)
	})},
	"join": {do: act(func(h *Catalog, s spell) error {
		return h.EditGroupMembers(bg, s(group1), []string{s(ada), s(user2), user2}, true, wo)
	})},
	"leave": {do: act(func(h *Catalog, s spell) error {
		return h.EditGroupMembers(bg, s(group1), []string{s(user2)}, false, wo)
	})},
	"SetUserStatus": {do: act(func(h *Catalog, s spell) error { return h.SetUserStatus(bg, s(ada), "ACTIVE", wo) })},
	"EditProfile":   {do: act(func(h *Catalog, s spell) error { return h.EditProfile(bg, s(ada), Tree{"title": "t"}, wo) })},
	"replacements": {do: act(func(h *Catalog, s spell) error {
		return h.Edit(bg, []Edit{
			ReplaceOwners(s(table), []NewOwner{{URN: s(user2), TypeURN: s(owning)}}), ReplaceTags(s(table), []string{s(tag2), tag2}),
			ReplaceLinks(s(table), []Link{{URL: "w", Author: s(user2)}}), ReplaceDescription(s(table), "editableDatasetProperties", "d"),
			ReplaceLegacyDeprecation(s(table), Deprecation{Deprecated: true}), ReplaceColumnNotes(s(table), []ColumnNote{{FieldPath: "id", Tags: []string{s(tag1)}}}),
		}, wo)
	})},
	"CreateEntity": {do: func(h *Catalog, s func(string) string) (any, error) {
		return h.CreateEntity(bg, NewEntity{EntityType: "glossaryTerm", ID: "made", Name: "made", Parent: s(node1)}, wo)
	}},
	"ReportOperation": {do: act(func(h *Catalog, s spell) error {
		return h.ReportOperation(bg, Operation{Dataset: s(table), Type: "INSERT", SourceType: "DATA_PROCESS", Time: new(int64)}, wo)
	})},
	"Delete":       {do: func(h *Catalog, s func(string) string) (any, error) { return h.Delete(bg, s(tag1), false, wo) }},
	"DeleteEntity": {do: act(func(h *Catalog, s spell) error { return h.DeleteEntity(bg, s(tag1), []string{"tag"}, wo) })},
	"DeleteReferences": {do: func(h *Catalog, s func(string) string) (any, error) {
		return h.DeleteReferences(bg, s(tag1), false, wo)
	}},
	"DeleteTimeSeries": {do: func(h *Catalog, s func(string) string) (any, error) {
		return h.DeleteTimeSeries(bg, TimeSeriesDeletion{URN: s(table), Aspect: "datasetProfile"}, wo)
	}},
	"BatchDelete": {do: func(h *Catalog, s func(string) string) (any, error) {
		return h.BatchDelete(bg, BatchDeletion{URNs: []string{s(tag1), tag1, s(tag2)}, References: true}, wo)
	}},
	"BatchDelete, soft": {do: func(h *Catalog, s func(string) string) (any, error) {
		return h.BatchDelete(bg, BatchDeletion{URNs: []string{s(tag1), tag1}, Soft: true, System: &SystemMetadata{LastObserved: 1}}, wo)
	}},
	"BatchDelete, dry": {do: func(h *Catalog, s func(string) string) (any, error) {
		return h.BatchDelete(bg, BatchDeletion{URNs: []string{s(table), table}, DryRun: true}, wo)
	}},
	"Ingest": {strict: true, do: func(h *Catalog, s func(string) string) (any, error) {
		return h.Ingest(bg, proposal(Upsert, s(table), "status", `{"removed":true}`), wo)
	}},
	"IngestBatch": {strict: true, do: func(h *Catalog, s func(string) string) (any, error) {
		return h.IngestBatch(bg, []Proposal{proposal(Upsert, s(table), "status", `{"removed":true}`), proposal(Upsert, table, "status", `{"removed":true}`)}, wo)
	}},
	"IngestWhole": {strict: true, do: func(h *Catalog, s func(string) string) (any, error) {
		return h.IngestWhole(bg, []Proposal{proposal(Upsert, s(table), "status", `{"removed":true}`), proposal(Upsert, table, "status", `{"removed":true}`)}, wo)
	}},
	"IngestSnapshots": {strict: true, do: act(func(h *Catalog, s spell) error {
		return h.IngestSnapshots(bg, []Snapshot{{Value: json.RawMessage(`{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"` + s(tag2) + `","aspects":[{"com.linkedin.tag.TagProperties":{"name":"x"}}]}}`)}}, wo)
	})},
	"IngestUsage": {strict: true, do: act(func(h *Catalog, s spell) error {
		return h.IngestUsage(bg, []UsageBucket{{Bucket: 5, Duration: "DAY", Resource: s(table)}}, wo)
	})},
}

type spell = func(string) string

var (
	bg = context.Background()
	wo = WriteOptions{Actor: ada, AwaitIndex: true}
)

func act(do func(*Catalog, spell) error) func(*Catalog, func(string) string) (any, error) {
	return func(c *Catalog, s func(string) string) (any, error) { return nil, do(c, s) }
}

var times = regexp.MustCompile(`"(time|lastUpdatedTimestamp|timestampMillis)":\d+`)

// state is everything that a catalog holds, without times.
func (s *searchHarness) state() string {
	s.t.Helper()
	urns, err := s.store.ScanEntities(bg, "", 1000)
	if err != nil {
		s.t.Fatal(err)
	}
	latest, err := s.store.LatestAspects(bg, urns, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var lines []string
	for urn, aspects := range latest {
		for _, a := range aspects {
			lines = append(lines, fmt.Sprintf("%s %s %d %s", urn, a.Name, a.Seq, times.ReplaceAllString(string(a.Value), "$1")))
		}
	}
	held, err := s.store.Holdings(bg, urns)
	if err != nil {
		s.t.Fatal(err)
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
				first, err := m.do(h.Catalog, s)
				if err != nil {
					t.Fatalf("%v", err)
				}
				// Once more, as it was not spelled before; now it may be refused.
				second, err := m.do(h.Catalog, plain)
				return h.state(), mustJSON(t, []any{first, second, MessageOf(err)})
			}
			state, said := run(plain)
			other := inBlanks
			if m.strict {
				other = otherLetters
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
	before := len(h.changes())
	for name, m := range mutations {
		if !m.strict || name == "IngestBatch" {
			continue
		}
		if _, err := m.do(h.Catalog, func(urn string) string { return urn + " " }); CodeOf(err) != Invalid || !strings.Contains(MessageOf(err), "whitespace") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.do(h.Catalog, func(urn string) string { return " " + urn }); CodeOf(err) != Invalid || !strings.Contains(MessageOf(err), "whitespace") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(h.changes()); n != before {
		t.Errorf("%d changes", n-before)
	}
	read, err := h.Entity(bg, "\t"+table+"\n", nil)
	if err != nil || read.URN != table || len(read.Aspects) < 5 {
		t.Errorf("%+v %v", read, err)
	}
	if page, err := h.Relationships(bg, RelationshipQuery{URN: " " + table + " ", Direction: "OUTGOING", Count: 10}); err != nil || page.Total == 0 {
		t.Errorf("%+v %v", page, err)
	}
	if walk, err := h.WalkLineage(bg, WalkQuery{URN: " " + table + " ", Direction: "UPSTREAM"}); err != nil || len(walk.Reached) != 1 {
		t.Errorf("%+v %v", walk, err)
	}
}

// TestStoredSpellings: what was stored in another spelling is the same thing.
func TestStoredSpellings(t *testing.T) {
	h, odd := nameHarness(t), otherLetters
	h.say(table, "globalTags", `{"tags":[{"tag":"`+odd(tag1)+`"}]}`)
	h.say(table, "ownership", `{"owners":[{"owner":"`+odd(ada)+`","type":"CUSTOM","typeUrn":"`+odd(owning)+`"}],"lastModified":`+stamp+`}`)
	h.say(term1, "glossaryRelatedTerms", `{"isRelatedTerms":["`+odd(term2)+`"]}`)
	h.say(user2, "nativeGroupMembership", `{"nativeGroups":["`+odd(group1)+`"]}`)
	h.say(table, "upstreamLineage", `{"upstreams":[{"dataset":"`+odd(upstream)+`","type":"TRANSFORMED","auditStamp":`+stamp+`}]}`)
	count := func(urn, aspect, text string) int {
		return strings.Count(strings.ToLower(h.value(urn, aspect, 0)), strings.ToLower(text))
	}
	edges := []LineageEdge{{upstream, table}}
	for _, step := range []struct {
		err  error
		want int
	}{
		{h.AddLabels(bg, TagLabel, []string{tag1}, []Resource{{URN: table}}, wo), 1},
		{h.AddOwners(bg, []NewOwner{{URN: ada, TypeURN: owning}}, []string{table}, wo), 1},
		{h.EditRelatedTerms(bg, term1, []string{term2}, "isA", true, wo), 1},
		{h.EditGroupMembers(bg, group1, []string{user2}, true, wo), 1},
		{h.EditLineage(bg, edges, nil, wo), 1},
	} {
		if step.err != nil {
			t.Fatal(step.err)
		}
	}
	check := func(want int) {
		t.Helper()
		for _, c := range [][3]string{
			{table, "globalTags", tag1},
			{table, "ownership", `"owner":"` + ada},
			{term1, "glossaryRelatedTerms", term2},
			{user2, "nativeGroupMembership", group1},
			{table, "upstreamLineage", `"dataset":"` + upstream},
		} {
			if n := count(c[0], c[1], c[2]); n != want {
				t.Errorf("%s names %s %d times, want %d: %s", c[1], c[2], n, want, h.value(c[0], c[1], 0))
			}
		}
	}
	check(1)
	for _, err := range []error{
		h.RemoveLabels(bg, TagLabel, []string{tag1}, []Resource{{URN: table}}, wo),
		h.RemoveOwners(bg, []string{ada}, owning, []string{table}, wo),
		h.EditRelatedTerms(bg, term1, []string{term2}, "isA", false, wo),
		h.EditGroupMembers(bg, group1, []string{user2}, false, wo),
		h.EditLineage(bg, nil, edges, wo),
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
			n := NewEntity{EntityType: kind, ID: fmt.Sprint("comma", i), Name: name, Parent: node1}
			if _, err := h.CreateEntity(bg, n, wo); err != nil {
				t.Errorf("%s %q: %v", kind, name, err)
			}
			n.ID += "again"
			if _, err := h.CreateEntity(bg, n, wo); CodeOf(err) != Invalid || !strings.Contains(MessageOf(err), "exists in this place") {
				t.Errorf("%s %q a second time: %v", kind, name, err)
			}
		}
	}
	if err := h.SetName(bg, term1, "Sales, EMEA", wo); err != nil { // it is at the top, where no other has the name
		t.Error(err)
	}
}

// TestBatchDeleteChecksFirst: a URN that is none is refused before anything is
// deleted.
func TestBatchDeleteChecksFirst(t *testing.T) {
	h := nameHarness(t)
	var urns []string
	for i := range deletionsAtOnce + 1 {
		urns = append(urns, fmt.Sprintf("urn:li:tag:del%03d", i))
		h.say(urns[i], "status", `{"removed":false}`)
	}
	before := len(h.changes())
	if _, err := h.BatchDelete(bg, BatchDeletion{URNs: append(urns, "urn:li:tag:zzz ␟")}, wo); CodeOf(err) != Invalid || len(h.changes()) != before {
		t.Errorf("%v, %d changes", err, len(h.changes())-before)
	}
}

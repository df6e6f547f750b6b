package edits_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// listOf returns a member of the items of a list in an aspect.
func listOf(s *catalogtest.SearchHarness, urn, aspect, list, member string) []string {
	s.T.Helper()
	found, err := s.Aspect(context.Background(), catalogtest.URN(urn), aspect, 0)
	if catalog.CodeOf(err) == catalog.NotFound {
		return nil
	}
	if err != nil {
		s.T.Fatal(err)
	}
	var value map[string]json.RawMessage
	var items []map[string]any
	if err := json.Unmarshal(found.Value, &value); err != nil {
		s.T.Fatal(err)
	}
	if err := json.Unmarshal(value[list], &items); err != nil {
		s.T.Fatal(err)
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprint(item[member])
	}
	return texts
}

// newTagged makes a catalog with a dataset and some tags.
func newTagged(t *testing.T) *catalogtest.SearchHarness {
	h := catalogtest.NewSearchHarness(t)
	h.Say(catalogtest.Table, "datasetProperties", `{"name":"Orders"}`)
	for i := range 8 {
		h.Say(fmt.Sprintf("urn:li:tag:t%d", i), "tagProperties", fmt.Sprintf(`{"name":"T%d"}`, i))
	}
	return h
}

// TestEditsAtOnce: concurrent edits of one aspect lose nothing.
func TestEditsAtOnce(t *testing.T) {
	h := newTagged(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if err := h.Edits.AddLabels(context.Background(), edits.TagLabel, catalogtest.URNs(fmt.Sprintf("urn:li:tag:t%d", i)), []edits.Resource{{URN: catalogtest.URN(catalogtest.Table)}}, catalog.WriteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := listOf(h, catalogtest.Table, "globalTags", "tags", "tag"); len(got) != 8 {
		t.Errorf("%d of 8 tags: %v", len(got), got)
	}
}

// TestEditsTogether: of several edits, all are applied or none. An edit that changes nothing
// makes no version.
func TestEditsTogether(t *testing.T) {
	h, ctx := newTagged(t), context.Background()
	missing := "urn:li:dataset:(urn:li:dataPlatform:hive,db.none,PROD)"
	err := h.Edits.SetRemoved(ctx, true, catalogtest.URNs(catalogtest.Table, missing), catalog.WriteOptions{})
	if catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("an edit of an unknown entity: %v", err)
	}
	if exists, _ := h.Exists(ctx, catalogtest.URN(missing)); exists {
		t.Error("an edit created what it failed on")
	}
	if _, err := h.Aspect(ctx, catalogtest.URN(catalogtest.Table), "status", 0); catalog.CodeOf(err) != catalog.NotFound {
		t.Errorf("the other edit was applied: %v", err)
	}
	for range 2 {
		if err := h.Edits.AddLabels(ctx, edits.TagLabel, catalogtest.URNs("urn:li:tag:t1"), []edits.Resource{{URN: catalogtest.URN(catalogtest.Table)}}, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Aspect(ctx, catalogtest.URN(catalogtest.Table), "globalTags", 1); catalog.CodeOf(err) != catalog.NotFound {
		t.Errorf("an edit without effect made a version: %v", err)
	}
	if err := h.Edits.RemoveLabels(ctx, edits.TagLabel, catalogtest.URNs("urn:li:tag:t1"), []edits.Resource{{URN: catalogtest.URN("urn:li:tag:t0")}}, catalog.WriteOptions{}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("tags of a tag: %v", err)
	}
	many := make([]model.URN, write.MaxEdits+1)
	for i := range many {
		many[i] = catalogtest.URN(catalogtest.Table)
	}
	if err := h.Edits.SetRemoved(ctx, true, many, catalog.WriteOptions{}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("too many edits: %v", err)
	}
}

// TestOneTimePerRequest: all edits of a request have one time, however long the request takes.
// So an entity that the request names twice gets one version.
func TestOneTimePerRequest(t *testing.T) {
	h, ctx := newTagged(t), context.Background()
	h.Say(catalogtest.Ada, model.AspectCorpUserInfo, `{"active":true}`)
	slow := func() time.Time {
		testclock.Forward(time.Millisecond)
		return testclock.Now()
	}
	s := services.New(services.Options{Store: h.Store, Now: slow})
	if err := s.Edits.AddOwners(ctx, []edits.NewOwner{{URN: catalogtest.URN(catalogtest.Ada)}}, catalogtest.URNs(catalogtest.Table, catalogtest.Table), catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
		t.Fatal(err)
	}
	if value := h.Value(catalogtest.Table, model.AspectOwnership, 1); value != "" {
		t.Errorf("the second edit made a version; the first was %s", value)
	}
}

// TestEditKeepsTheRest: an edit does not change the stored members that it does not name.
func TestEditKeepsTheRest(t *testing.T) {
	h, ctx := newTagged(t), context.Background()
	h.Say(catalogtest.Table, "ownership", `{"owners":[{"owner":"urn:li:corpuser:old","type":"DATAOWNER","source":{"type":"SERVICE","url":"https://example.com"}}],"lastModified":{"time":5,"actor":"urn:li:corpuser:x"}}`)
	h.Say(catalogtest.Ada, "corpUserInfo", `{"active":true}`)
	if err := h.Edits.AddOwners(ctx, []edits.NewOwner{{URN: catalogtest.URN(catalogtest.Ada), Type: "TECHNICAL_OWNER"}}, catalogtest.URNs(catalogtest.Table), catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
		t.Fatal(err)
	}
	found, err := h.Aspect(ctx, catalogtest.URN(catalogtest.Table), "ownership", 0)
	if err != nil {
		t.Fatal(err)
	}
	var ownership struct {
		Owners []struct {
			Owner  string
			Source struct{ URL string }
		}
		LastModified catalog.AuditStamp
	}
	if err := json.Unmarshal(found.Value, &ownership); err != nil {
		t.Fatal(err)
	}
	if len(ownership.Owners) != 2 || ownership.Owners[0].Source.URL != "https://example.com" || ownership.LastModified.Actor != catalogtest.Ada {
		t.Errorf("%s", found.Value)
	}
	if err := h.Edits.RemoveOwners(ctx, catalogtest.URNs("urn:li:corpuser:old"), catalogtest.URN("urn:li:ownershipType:__system__dataowner"), catalogtest.URNs(catalogtest.Table), catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := listOf(h, catalogtest.Table, "ownership", "owners", "owner"); !slices.Equal(got, []string{catalogtest.Ada}) {
		t.Errorf("owners after the removal by type: %v", got)
	}
}

// TestDeleteEntity: with an entity, the mentions of the entity in all other entities are
// deleted, and nothing else.
func TestDeleteEntity(t *testing.T) {
	h, ctx := newTagged(t), context.Background()
	h.Say(catalogtest.Table, "globalTags", `{"tags":[{"tag":"urn:li:tag:t0"},{"tag":"urn:li:tag:t1"}]}`)
	h.Say(catalogtest.Table, "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"a","description":"kept","globalTags":{"tags":[{"tag":"urn:li:tag:t0"}]}}]}`)
	h.Say(catalogtest.Table, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[{"fieldPath":"a","type":{"type":{"com.linkedin.schema.StringType":{}}},"nativeDataType":"s","globalTags":{"tags":[{"tag":"urn:li:tag:t0"},{"tag":"urn:li:tag:t2"}]}}]}`)
	h.Say("urn:li:container:c", "containerProperties", `{"name":"c"}`)
	h.Say(catalogtest.Table, "container", `{"container":"urn:li:container:c"}`)
	h.Say("urn:li:glossaryNode:n", "glossaryNodeInfo", `{"definition":"d"}`)
	h.Say("urn:li:glossaryTerm:t", "glossaryTermInfo", `{"definition":"d","termSource":"INTERNAL","parentNode":"urn:li:glossaryNode:n"}`)
	for _, urn := range []string{"urn:li:tag:t0", "urn:li:container:c", "urn:li:glossaryNode:n"} {
		if err := h.Removal.DeleteEntity(ctx, catalogtest.URN(urn), []string{"tag", "container", "glossaryNode"}, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		page, err := h.Relationships(ctx, read.RelationshipQuery{URN: catalogtest.URN(urn), Direction: "INCOMING", Count: 10})
		if err != nil || page.Total != 0 {
			t.Errorf("%s is still mentioned: %+v %v", urn, page, err)
		}
	}
	if got := listOf(h, catalogtest.Table, "globalTags", "tags", "tag"); !slices.Equal(got, []string{"urn:li:tag:t1"}) {
		t.Errorf("tags: %v", got)
	}
	if got := listOf(h, catalogtest.Table, "editableSchemaMetadata", "editableSchemaFieldInfo", "description"); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("what people wrote about columns: %v", got)
	}
	if got := listOf(h, catalogtest.Table, "schemaMetadata", "fields", "fieldPath"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("columns: %v", got)
	}
	if _, err := h.Aspect(ctx, catalogtest.URN(catalogtest.Table), "container", 0); catalog.CodeOf(err) != catalog.NotFound {
		t.Errorf("an aspect that said nothing else: %v", err)
	}
	term, err := h.Aspect(ctx, catalogtest.URN("urn:li:glossaryTerm:t"), "glossaryTermInfo", 0)
	if err != nil || string(term.Value) == "" || slices.Contains(listOf(h, "urn:li:glossaryTerm:t", "ownership", "owners", "owner"), "") {
		t.Errorf("the term: %s %v", term.Value, err)
	}
	if err := h.Removal.DeleteEntity(ctx, catalogtest.URN("urn:li:tag:t0"), []string{"tag"}, catalog.WriteOptions{}); catalog.CodeOf(err) != catalog.NotFound {
		t.Errorf("deleting it again: %v", err)
	}
	if err := h.Removal.DeleteEntity(ctx, catalogtest.URN(catalogtest.Table), []string{"tag"}, catalog.WriteOptions{}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("deleting another type: %v", err)
	}
}

// TestManyMentions: the mentions of a deleted entity are removed page by page.
func TestManyMentions(t *testing.T) {
	h, ctx := newTagged(t), context.Background()
	var proposals []write.Proposal
	const mentions = removal.ReferencePage*2 + 7
	for i := range mentions {
		proposals = append(proposals, write.Proposal{
			EntityType: "dataset", EntityURN: fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.m%d,PROD)", i), AspectName: "globalTags",
			Aspect: &write.GenericAspect{Value: []byte(`{"tags":[{"tag":"urn:li:tag:t0"}]}`), ContentType: "application/json"},
		})
	}
	if _, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := h.Removal.DeleteEntity(ctx, catalogtest.URN("urn:li:tag:t0"), []string{"tag"}, catalog.WriteOptions{AwaitIndex: true}); err != nil {
		t.Fatal(err)
	}
	found, err := h.Search.Search(ctx, search.Request{Types: []string{"dataset"}, Input: "tags:t0", Count: 1})
	if err != nil || found.Total != 0 {
		t.Errorf("%d datasets are still tagged: %v", found.Total, err)
	}
}

// TestWalk: a walk returns each entity once, with its smallest degree, also if paths form
// cycles and diamonds.
func TestWalk(t *testing.T) {
	h, ctx := catalogtest.NewSearchHarness(t), context.Background()
	at := func(i int) string { return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,w%d,PROD)", i) }
	for down, ups := range map[int][]int{1: {0}, 2: {0}, 3: {1, 2}, 4: {3, 1}, 0: {4}} {
		text := ""
		for i, up := range ups {
			if i > 0 {
				text += ","
			}
			text += `{"dataset":"` + at(up) + `","type":"TRANSFORMED"}`
		}
		h.Say(at(down), "upstreamLineage", `{"upstreams":[`+text+`]}`)
	}
	walk, err := h.Lineage.Walk(ctx, lineage.WalkQuery{URN: catalogtest.URN(at(0)), Direction: "DOWNSTREAM"})
	if err != nil || walk.Partial() || len(walk.Reached) != 4 {
		t.Fatalf("%+v %v", walk, err)
	}
	degrees := map[string]int{}
	for _, r := range walk.Reached {
		degrees[r.URN] = r.Degree
	}
	if degrees[at(1)] != 1 || degrees[at(2)] != 1 || degrees[at(3)] != 2 || degrees[at(4)] != 2 {
		t.Errorf("%v", degrees)
	}
	paths, err := h.Lineage.Paths(ctx, walk, []string{at(4), at(3)}, 9)
	if err != nil || len(paths[at(4)]) != 1 || len(paths[at(3)]) != 2 || !slices.Equal(paths[at(4)][0].URNs(), []string{at(0), at(1), at(4)}) {
		t.Errorf("paths: %+v %v", paths, err)
	}
	one, err := h.Lineage.Walk(ctx, lineage.WalkQuery{URN: catalogtest.URN(at(0)), Direction: "DOWNSTREAM", MaxHops: 1})
	if err != nil || len(one.Reached) != 2 {
		t.Errorf("one hop: %+v %v", one, err)
	}
	up, err := h.Lineage.Walk(ctx, lineage.WalkQuery{URN: catalogtest.URN(at(4)), Direction: "UPSTREAM"})
	if err != nil || len(up.Reached) != 4 {
		t.Errorf("upstream: %+v %v", up, err)
	}
	if _, err := h.Lineage.Walk(ctx, lineage.WalkQuery{URN: catalogtest.URN(at(0)), Direction: "SIDEWAYS"}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("a wrong direction: %v", err)
	}
}

// TestLineageSiblings: siblings count as one entity unless the request separates them.
func TestLineageSiblings(t *testing.T) {
	h, ctx := catalogtest.NewSearchHarness(t), context.Background()
	model, twin, raw, chart := "urn:li:dataset:(urn:li:dataPlatform:dbt,m,PROD)", "urn:li:dataset:(urn:li:dataPlatform:snowflake,m,PROD)", catalogtest.Upstream, "urn:li:chart:(looker,1)"
	h.Say(model, "siblings", `{"siblings":["`+twin+`"],"primary":true}`)
	h.Say(twin, "siblings", `{"siblings":["`+model+`"],"primary":false}`)
	h.Say(twin, "upstreamLineage", `{"upstreams":[{"dataset":"`+model+`","type":"TRANSFORMED"}]}`)
	h.Say(model, "upstreamLineage", `{"upstreams":[{"dataset":"`+raw+`","type":"TRANSFORMED"}]}`)
	h.Say(raw, "datasetProperties", `{}`)
	h.Say(chart, "chartInfo", `{"title":"c","description":"","lastModified":{},"inputEdges":[{"destinationUrn":"`+twin+`"},{"destinationUrn":"`+model+`"}]}`)
	ends := func(urn string, q lineage.RelationshipsQuery) []string {
		t.Helper()
		q.Count = 10
		pages, err := h.Lineage.RelationshipsOf(ctx, catalogtest.URNs(urn), q)
		if err != nil {
			t.Fatal(err)
		}
		var urns []string
		for _, r := range pages[catalogtest.URN(urn)].Relationships {
			urns = append(urns, r.Entity)
		}
		return urns
	}
	for _, c := range []struct {
		urn  string
		q    lineage.RelationshipsQuery
		want []string
	}{
		{twin, lineage.RelationshipsQuery{Direction: "UPSTREAM"}, []string{raw}},
		{twin, lineage.RelationshipsQuery{Direction: "UPSTREAM", SeparateSiblings: true}, []string{model}},
		{twin, lineage.RelationshipsQuery{Direction: "DOWNSTREAM"}, []string{chart}},
		{model, lineage.RelationshipsQuery{Direction: "DOWNSTREAM"}, []string{chart}},
		{model, lineage.RelationshipsQuery{Direction: "DOWNSTREAM", SeparateSiblings: true}, []string{chart, twin}},
		{chart, lineage.RelationshipsQuery{Direction: "UPSTREAM"}, []string{model}},
		{chart, lineage.RelationshipsQuery{Direction: "UPSTREAM", SeparateSiblings: true}, []string{model, twin}},
	} {
		if got := ends(c.urn, c.q); !slices.Equal(got, c.want) {
			t.Errorf("%s %+v: %v, want %v", c.urn, c.q, got, c.want)
		}
	}
	if _, err := h.Lineage.RelationshipsOf(ctx, catalogtest.URNs(chart), lineage.RelationshipsQuery{Direction: "UPSTREAM", From: -1}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("a time before time: %v", err)
	}
}

package gql_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestLifecycleStages: stages are listed, set and read, and hide entities unless a flag shows them.
func TestLifecycleStages(t *testing.T) {
	c := testcatalog.New(t)
	const draft, old = "urn:li:lifecycleStageType:DRAFT", "urn:li:lifecycleStageType:OLD"
	writeAspect(t, c, draft, "lifecycleStageTypeInfo", `{"name":"Draft","description":"Not ready","entityTypes":["dataset"],"settings":{"hideInSearch":true},"transitionPolicy":{"allowedPreviousStages":["urn:li:lifecycleStageType:__NONE__"]},"created":`+actorStamp+`,"lastModified":`+actorStamp+`}`)
	writeAspect(t, c, old, "lifecycleStageTypeInfo", `{"name":"Old","settings":{"hideInSearch":false},"created":`+actorStamp+`,"lastModified":`+actorStamp+`}`)
	writeAspect(t, c, orders, "datasetProperties", `{"name":"orders"}`)
	awaitIndex(t, c)
	h := gql.New(gql.Options{Catalog: c})
	search := func(flags string) string {
		return `{ answer: searchAcrossEntities(input: {types: [DATASET], query: "*"` + flags + `}) { total } }`
	}
	set := func(to string) string {
		return `mutation { answer: setLifecycleStage(urn: "` + orders + `", lifecycleStageUrn: ` + to + `) }`
	}
	status := `{ answer: dataset(urn: "` + orders + `") { status { removed lifecycleStage { urn name hideInSearch } } } }`
	for _, one := range []struct{ query, want string }{
		{
			`{ answer: listLifecycleStages { urn name description entityTypes hideInSearch allowedPreviousStages } }`,
			`[{"urn":"` + draft + `","name":"Draft","description":"Not ready","entityTypes":["dataset"],"hideInSearch":true,"allowedPreviousStages":["urn:li:lifecycleStageType:__NONE__"]},{"urn":"` + old + `","name":"Old","description":null,"entityTypes":null,"hideInSearch":false,"allowedPreviousStages":null}]`,
		},
		{set(`"` + draft + `"`), `true`},
		{status, `{"status":{"removed":false,"lifecycleStage":{"urn":"` + draft + `","name":"Draft","hideInSearch":true}}}`},
		{search(""), `{"total":0}`},
		{search(", searchFlags: {includeHiddenLifecycleStages: true}"), `{"total":1}`},
		{set(`"` + old + `"`), `true`},
		{search(""), `{"total":1}`},
		{set(`null`), `true`},
		{status, `{"status":{"removed":false,"lifecycleStage":null}}`},
	} {
		checkAnswer(t, ask(t, h, one.query, nil), one.query, one.want)
	}
	if answer := ask(t, h, set(`"urn:li:lifecycleStageType:none"`), nil); !strings.Contains(answer, "does not exist") {
		t.Errorf("a stage that is not defined: %s", answer)
	}
}

// TestDraftsOfGroups: the owners of a draft find the draft, and nobody else does. An owner may
// be a group or the actor of anonymous writes.
func TestDraftsOfGroups(t *testing.T) {
	c := testcatalog.New(t)
	owned := func(id, owner string) {
		writeAspect(t, c, "urn:li:document:"+id, "documentInfo", documentInfo(id, "UNPUBLISHED", "1", ""))
		writeAspect(t, c, "urn:li:document:"+id, "ownership", `{"owners":[{"owner":"`+owner+`","type":"TECHNICAL_OWNER"}]}`)
	}
	owned("ada", "urn:li:corpuser:ada")
	owned("team", "urn:li:corpGroup:team")
	owned("club", "urn:li:corpGroup:club")
	owned("anonymous", "urn:li:corpuser:__datahub_system")
	writeAspect(t, c, "urn:li:corpuser:ada", "groupMembership", `{"groups":["urn:li:corpGroup:team"]}`)
	writeAspect(t, c, "urn:li:corpuser:bob", "nativeGroupMembership", `{"nativeGroups":["urn:li:corpGroup:club"]}`)
	awaitIndex(t, c)
	h := gql.New(gql.Options{Catalog: c})
	for actor, want := range map[string]string{
		"urn:li:corpuser:ada": `[{"info":{"title":"ada"}},{"info":{"title":"team"}}]`, "urn:li:corpuser:bob": `[{"info":{"title":"club"}}]`,
		"urn:li:corpuser:eve": `[]`, "urn:li:corpGroup:club": `[{"info":{"title":"club"}}]`, "": `[{"info":{"title":"anonymous"}}]`,
	} {
		r := httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(`{"query":"{ answer: searchDocuments(input: {}) { documents { info { title } } } }"}`))
		if actor != "" {
			r = r.WithContext(requestinfo.WithActor(r.Context(), actor))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		checkAnswer(t, w.Body.String(), actor, `{"documents":`+want+`}`)
	}
}

package gql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestStoreCallsOfLists: the number of calls to the store for a page of a list does not depend
// on the number of entities of the page.
func TestStoreCallsOfLists(t *testing.T) {
	counter := &counting{}
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		counter.Store = s
		return counter
	})
	for i := range 30 {
		user := fmt.Sprintf("urn:li:corpuser:u%d", i)
		stamp := fmt.Sprintf(`{"time":%d,"actor":"urn:li:corpuser:a"}`, i)
		of := func(kind string) string { return fmt.Sprintf("urn:li:%s:n%d", kind, i) }
		writeAspect(t, c, of("query"), "queryProperties", `{"name":"q","statement":{"value":"x"},"source":"MANUAL","created":`+stamp+`,"lastModified":`+stamp+`}`)
		writeAspect(t, c, of("query"), "querySubjects", fmt.Sprintf(`{"subjects":[{"entity":"urn:li:dataset:(urn:li:dataPlatform:hive,d%d,PROD)"}]}`, i))
		writeAspect(t, c, of("dataHubView"), "dataHubViewInfo", `{"name":"v","type":"GLOBAL","definition":{"entityTypes":["dataset"],"filter":{}},"created":`+stamp+`,"lastModified":`+stamp+`}`)
		writeAspect(t, c, of("post"), "postInfo", fmt.Sprintf(`{"type":"HOME_PAGE_ANNOUNCEMENT","content":{"title":"t","type":"TEXT"},"created":1,"lastModified":%d}`, i))
		writeAspect(t, c, of("ownershipType"), "ownershipTypeInfo", `{"name":"o","created":`+stamp+`,"lastModified":`+stamp+`}`)
		writeAspect(t, c, of("test"), "testInfo", `{"name":"t","category":"c","definition":{"type":"JSON"}}`)
		writeAspect(t, c, of("dataHubRole"), "dataHubRoleInfo", `{"name":"r","description":"d"}`)
		writeAspect(t, c, of("dataHubPolicy"), "dataHubPolicyInfo", `{"displayName":"p","description":"d","type":"METADATA","state":"ACTIVE","privileges":[],"actors":{"users":["`+user+`"]}}`)
		writeAspect(t, c, of("dataHubAccessToken"), "dataHubAccessTokenInfo", `{"name":"t","actorUrn":"`+user+`","ownerUrn":"`+user+`","createdAt":1}`)
		writeAspect(t, c, of("dataHubIngestionSource"), "dataHubIngestionSourceInfo", `{"name":"s","type":"hive","config":{"recipe":"{}"}}`)
		writeAspect(t, c, of("dataHubExecutionRequest"), "dataHubExecutionRequestInput", `{"task":"t","args":{},"executorId":"e","source":{"type":"CLI","ingestionSource":"`+of("dataHubIngestionSource")+`"},"requestedAt":1}`)
		writeAspect(t, c, user, "corpUserInfo", `{"active":true,"displayName":"U"}`)
	}
	awaitIndex(t, c)
	h := gql.New(gql.Options{Catalog: c})
	for list, most := range map[string]int64{
		`listQueries(input: {count: %d}) { queries { urn properties { name } subjects { dataset { urn properties { name } exists } } } }`:                  4,
		`listGlobalViews(input: {count: %d}) { views { urn name definition { filter { operator } } } }`:                                                    2,
		`listPosts(input: {count: %d}) { posts { urn content { title } lastModified { time } } }`:                                                          2,
		`listOwnershipTypes(input: {count: %d}) { ownershipTypes { urn info { name } status { removed } } }`:                                               2,
		`listTests(input: {count: %d}) { tests { urn name definition { json } } }`:                                                                         2,
		`listRoles(input: {count: %d}) { roles { urn name relationships(input: {types: ["IsMemberOfRole"], direction: INCOMING, count: 10}) { total } } }`: 3,
		`listPolicies(input: {count: %d}) { policies { urn name actors { resolvedUsers { urn properties { displayName } } } } }`:                           3,
		`listIngestionSources(input: {count: %d}) { ingestionSources { urn name executions(count: 1) { executionRequests { id input { task } } } } }`:      5,
		`listAccessTokens(input: {count: %d}) { tokens { urn name ownerUrn } }`:                                                                            2,
	} {
		calls := func(count int) int64 {
			before := counter.calls.Load()
			answer := ask(t, h, "{ "+fmt.Sprintf(list, count)+" }", nil)
			if strings.Contains(answer, `"errors"`) || strings.Count(answer, `"urn":"urn:li:`) < count {
				t.Errorf("%s: %.300s", list, answer)
			}
			return counter.calls.Load() - before
		}
		if few, many := calls(5), calls(25); few != many || many > most {
			t.Errorf("%s: %d calls for 5 entities, %d for 25, at most %d expected", list, few, many, most)
		}
	}
}

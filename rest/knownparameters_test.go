package rest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// asked returns the path of an endpoint with a query.
func asked(e *call.Endpoint, query string) string {
	target := e.Target()
	if query == "" {
		return target
	}
	if strings.Contains(target, "?") {
		return target + "&" + query
	}
	return target + "?" + query
}

// TestUnknownParameters: every endpoint refuses an unknown parameter, and suggests the most
// similar known one.
func TestUnknownParameters(t *testing.T) {
	server := newServer(t)
	endpoints := new(Server).allEndpoints()
	for i := range endpoints {
		e := &endpoints[i]
		if e.AnyQuery {
			if status, body, _ := request(t, server, e.Method, asked(e, "utm=1"), ""); strings.Contains(body, "unknown parameter") {
				t.Errorf("%s %s is a page or a probe, and answers %d %s", e.Method, e.Path, status, body)
			}
			continue
		}
		if status, body, _ := request(t, server, e.Method, asked(e, "zzzzzzzzz=1"), e.Example.Body); status != http.StatusBadRequest || e.Method != http.MethodHead && !strings.Contains(body, `unknown parameter \"zzzzzzzzz\"`) {
			t.Errorf("%s %s: %d %s", e.Method, asked(e, "zzzzzzzzz=1"), status, body)
		}
		for _, name := range e.QueryNames() {
			misspelt := name[:len(name)-1] + "x"
			if len(name) < 5 || slices.Contains(e.QueryNames(), misspelt) {
				continue
			}
			if _, body, _ := request(t, server, e.Method, asked(e, misspelt+"=1"), e.Example.Body); e.Method != http.MethodHead && !strings.Contains(body, "did you mean "+name) && !strings.Contains(body, ", "+name) {
				t.Errorf("%s %s with %s does not name %s: %s", e.Method, e.Path, misspelt, name, body)
			}
		}
	}
	for target, want := range map[string]string{
		"/entities?action=search&input=x": "parameter input belongs in the body",
		"/events?%zz=1":                   "invalid percent-encoding",
		"/export?limit=5":                 "this request has no parameters",
	} {
		method := http.MethodGet
		if strings.Contains(target, "action=") {
			method = http.MethodPost
		}
		if status, body, _ := request(t, server, method, target, `{}`); status != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", target, status, body)
		}
	}
}

// samples has a value for each kind of parameter.
var samples = map[string]string{"integer": "1", "boolean": "true", "list": "a", "string": "x"}

// TestKnownParameters: the route table has every parameter that a handler reads, and no
// endpoint refuses a parameter of its own.
func TestKnownParameters(t *testing.T) {
	server := newServer(t)
	endpoints := new(Server).allEndpoints()
	for i := range endpoints {
		e := &endpoints[i]
		request(t, server, e.Method, e.Target(), e.Example.Body)
		for _, p := range slices.Concat(e.Parameters, e.Query) {
			if e.Action != "" && !slices.Contains(e.QueryNames(), p.Name) || p.Name == "wait" {
				continue
			}
			status, body, _ := request(t, server, e.Method, asked(e, p.Name+"="+samples[p.Kind]), e.Example.Body)
			if strings.Contains(body, "unknown parameter") || status == http.StatusInternalServerError {
				t.Errorf("%s %s: %d %s", e.Method, asked(e, p.Name+"="+samples[p.Kind]), status, body)
			}
		}
	}
}

// clientCalls are requests with a query that clients send: acryl-datahub 0.10.5 and
// 1.7.0.17, the actions framework, the Java client, and the MCP server. {urn} stands for
// the encoded URN of the examples' dataset. {raw} stands for the same URN encoded once for
// a query, with slashes.
var clientCalls = []struct{ who, method, target, body string }{
	{"both", "GET", "/aspects/{urn}?aspect=status&version=0", ""},
	{"actions", "GET", "/aspects/{urn}?aspect=datasetKey&version=0", ""},
	{"0.10.5", "POST", "/aspects/?action=ingestProposal", `{"proposal":{"entityType":"dataset","entityUrn":"{text}","changeType":"UPSERT","aspectName":"status","aspect":{"value":"{\"removed\":false}","contentType":"application/json"}}}`},
	{"1.7", "POST", "/aspects?action=ingestProposalBatch", `{"proposals":[],"async":"false"}`},
	{"both", "POST", "/aspects?action=getTimeseriesAspectValues", `{"urn":"{text}","entity":"dataset","aspect":"datasetProfile","limit":1}`},
	{"both", "POST", "/aspects?action=getCount", `{"aspect":"status"}`},
	{"both", "GET", "/entitiesV2/{urn}", ""},
	{"both", "GET", "/entitiesV2/{urn}?aspects=List(status,ownership)", ""},
	{"both", "GET", "/entitiesV2?ids=List({urn},{urn})", ""},
	{"both", "POST", "/entities?action=listUrns", `{"entity":"dataset","start":0,"count":10}`},
	{"both", "POST", "/entities?action=delete", `{"urn":"urn:li:tag:none"}`},
	{"both", "POST", "/entities?action=deleteReferences", `{"urn":"urn:li:tag:none","dryRun":true}`},
	{"both", "POST", "/entities?action=deleteAll", `{"registryId":"a:1","dryRun":true,"soft":true}`},
	{"both", "POST", "/runs?action=list", `{"pageOffset":0,"pageSize":5,"includeSoft":false}`},
	{"both", "POST", "/runs?action=describe", `{"runId":"x","start":0,"count":5,"includeSoft":false,"includeAspect":false}`},
	{"both", "POST", "/runs?action=rollback", `{"runId":"x","dryRun":true,"safe":true}`},
	{"both", "POST", "/usageStats?action=batchIngest", `{"buckets":[]}`},
	{"0.10.5", "GET", "/relationships?urn={urn}&direction=INCOMING&types=List(DownstreamOf,Consumes)", ""},
	{"actions", "GET", "/relationships?direction=INCOMING&types=List(DownstreamOf)&urn={urn}&count=10&start=0", ""},
	{"actions", "GET", "/relationships?direction=OUTGOING&types=List(DownstreamOf)&urn={urn}&count=10&start=0", ""},
	{"actions", "GET", "/relationships?direction=INCOMING&types=List(IsPartOf)&urn={urn}", ""},
	{"both", "GET", "/openapi/relationships/v1/?urn={urn}&direction=INCOMING&relationshipTypes=DownstreamOf&relationshipTypes=Consumes&start=0", ""},
	{"0.10.5", "GET", "/openapi/timeline/v1/{urn}?categories=TAG,OWNER&startTime=1700000000000&endTime=1700000000001&raw=True", ""},
	{"1.7", "GET", "/openapi/v2/timeline/v1/{urn}?categories=TAG,OWNER&startTime=1700000000000&endTime=1700000000001&raw=True&includeVersionSet=true", ""},
	{"1.7", "POST", "/openapi/v3/entity/dataset?async=false", `[{"urn":"{text}","status":{"value":{"removed":false},"systemMetadata":null,"headers":{}}}]`},
	{"1.7", "PATCH", "/openapi/v3/entity/dataset?async=false", `[{"urn":"{text}","globalTags":{"value":{"patch":[]}}}]`},
	{"1.7", "DELETE", "/openapi/v3/entity/tag/urn:li:tag:none", ""},
	{"1.7", "GET", "/openapi/v3/entity/dataset?systemMetadata=false&includeSoftDelete=false&skipCache=false&aspects=datasetKey&count=1000&query=%2A", ""},
	{"1.7", "POST", "/openapi/v3/entity/scroll?count=10&query=%2A&sort=urn&systemMetadata=true&skipCache=true&skipAggregation=true&includeSoftDelete=false&scrollIdPerEntity=false&sliceId=0&sliceMax=2&pitKeepAlive=5m", `{"entities":["dataset"],"aspects":[]}`},
	{"1.7, MCP server", "POST", "/openapi/v3/entity/dataset/batchGet?systemMetadata=true", `[{"urn":"{text}","status":{"headers":{"If-Version-Match":"0"}}}]`},
	{"1.7", "POST", "/openapi/v2/entity/batch/dataset", `{"urns":["{text}"],"aspectNames":[],"withSystemMetadata":false}`},
	{"1.7, clean-up of executions", "GET", "/openapi/v2/entity/dataHubExecutionRequest?aspectNames=dataHubExecutionRequestKey&aspectNames=dataHubExecutionRequestInput&aspectNames=dataHubExecutionRequestResult&count=100&sort=requestTimeMs&sortOrder=DESCENDING&systemMetadata=false&skipCache=true", ""},
	{"1.7", "POST", "/openapi/v3/relationship/scroll?relationshipTypes=OwnedBy&sourceTypes=dataset&destinationTypes=corpuser&direction=OUTGOING&count=10&includeSoftDelete=true&sliceId=0&sliceMax=2&pitKeepAlive=5m", `{}`},
	{"1.7", "POST", "/openapi/v3/lineage/scroll?direction=UPSTREAM&relationshipTypes=DownstreamOf&count=10&includeSoftDelete=true&sliceId=0&sliceMax=2&pitKeepAlive=5m", `{"urns":["{text}"]}`},
	{"1.7", "GET", "/openapi/v1/registry/models/entity/specifications?start=0&count=100", ""},
	{"1.7", "GET", "/openapi/v3/entity/platformresource?systemMetadata=false&includeSoftDelete=false&skipCache=false&aspects=platformResourceKey&count=1000&query=%28primaryKey%3A%22k%22+OR+secondaryKeys%3A%22k%22%29", ""},
	{"actions", "GET", "/openapi/v1/events/poll?topic=PlatformEvent_v1&limit=10&pollTimeoutSeconds=0&lookbackWindowDays=1", ""},
	{"1.7", "GET", "/openapi/v1/events/poll?topic=MetadataChangeLog_Versioned_v1&limit=100&pollTimeoutSeconds=0", ""},
	{"1.7", "POST", "/openapi/v1/trace/write/000649a2b3c4d5e60000000000000000?onlyIncludeErrors=false&detailed=true", `{"{text}":["status"]}`},
	{"1.7", "GET", "/openapi/operations/messaging/mcp/consumer/lag?skipCache=true&detailed=true", ""},
	{"both", "GET", "/config", ""},
}

// TestParametersOfClients: no client's request is refused for its parameters, in either
// dialect.
func TestParametersOfClients(t *testing.T) {
	_, server := serveHarness(t)
	request(t, server, http.MethodPost, "/aspects?action=ingestProposal", proposalBody("dataset", call.ExampleTable, "status", `{"removed":false}`))
	for _, dialect := range []struct{ urns, header string }{{"urn:li:", "X-RestLi-Protocol-Version"}, {"urn:example:", "X-Svc-Protocol-Version"}} {
		text := strings.ReplaceAll(call.ExampleTable, "urn:li:", dialect.urns)
		fill := strings.NewReplacer("{urn}", model.EncodeURN(text), "{text}", text, "urn:li:", dialect.urns)
		if dialect.urns != "urn:li:" {
			request(t, server, http.MethodPost, "/aspects?action=ingestProposal", proposalBody("dataset", text, "status", `{"removed":false}`))
		}
		for _, call := range clientCalls {
			target := fill.Replace(call.target)
			if status, body, _ := request(t, server, call.method, target, fill.Replace(call.body), dialect.header, "2.0.0", "Content-Type", "application/json"); status >= 400 {
				t.Errorf("%s: %s %s: %d %s", call.who, call.method, target, status, body)
			}
		}
	}
}

// TestFrontEndPaths: paths below the prefix of the reference's web page server work too,
// and their URNs are decoded once.
func TestFrontEndPaths(t *testing.T) {
	server := newServer(t)
	const odd = "urn:li:dataset:(urn:li:dataPlatform:kafka,a%28b%29/c,PROD)"
	request(t, server, http.MethodPost, "/api/gms/aspects?action=ingestProposal", proposalBody("dataset", odd, "status", `{"removed":false}`))
	for _, target := range []string{"/config", "/entitiesV2/" + url.PathEscape(odd), "/entitiesV2/" + model.EncodeURN(odd) + "?aspects=List(status)", "/aspects/" + model.EncodeURN(odd) + "?aspect=status&version=0", "/nothing", "/entities?action=search"} {
		status, want, _ := request(t, server, http.MethodGet, target, "")
		behind, got, _ := request(t, server, http.MethodGet, "/api/gms"+target, "")
		if status != behind || got != want && !strings.HasPrefix(target, "/entitiesV2") {
			t.Errorf("%s: %d %s, behind the prefix %d %s", target, status, want, behind, got)
		}
	}
	if status, body, _ := request(t, server, http.MethodGet, "/api/gms/aspects/"+model.EncodeURN(odd)+"?aspect=status&version=0", ""); status != http.StatusOK || !strings.Contains(body, "removed") {
		t.Errorf("a URN with %%28 behind the prefix: %d %s", status, body)
	}
	for target, want := range map[string]int{"/admin": 200, "/admin/x": 404, "/api/gms": 200, "/api/gms/": 200, "/api/gmsx/config": 404, "/api/gms/api/gms/config": 404, "/api/gms//config": 404, "/api%2Fgms/config": 404} {
		if status, body, _ := request(t, server, http.MethodGet, target, ""); status != want {
			t.Errorf("%s: %d %s, want %d", target, status, body, want)
		}
	}
}

// TestFrontEndGraphQL: GraphQL requests to the path of the reference's web page server are
// answered like those to the server's own path.
func TestFrontEndGraphQL(t *testing.T) {
	graphQL := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) })
	_, plain := serveHarness(t)
	server := httptest.NewServer(New(Options{Catalog: testcatalog.New(t), GraphQL: graphQL}))
	t.Cleanup(server.Close)
	for _, path := range []string{"/api/graphql", "/api/v2/graphql", "/api/gms/api/graphql"} {
		if status, body, _ := request(t, server, http.MethodPost, path, `{}`); status != http.StatusOK || body != "/api/graphql" {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if status, _, _ := request(t, plain, http.MethodPost, path, `{}`); status != http.StatusNotFound {
			t.Errorf("%s without GraphQL: %d", path, status)
		}
	}
}

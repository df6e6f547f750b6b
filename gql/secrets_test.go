package gql_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestSecrets creates, lists, changes, reads and deletes a secret.
func TestSecrets(t *testing.T) {
	h := gql.New(gql.Options{Catalog: testcatalog.New(t)})
	askAll(t, h, []step{
		{`query listSecrets(input: {}) { start count total secrets { urn } }`, `{"start":0,"count":20,"total":0,"secrets":[]}`, ""},
		{`createSecret(input: {name: "a", value: "b", description: "d"})`, `"urn:li:dataHubSecret:a"`, ""},
		{`createSecret(input: {name: "a", value: "c"})`, "", "exists already"},
		{`query listSecrets(input: {start: 0, count: 5, query: "a"}) { total secrets { urn name description } }`, `{"total":1,"secrets":[{"urn":"urn:li:dataHubSecret:a","name":"a","description":"d"}]}`, ""},
		{`updateSecret(input: {urn: "urn:li:dataHubSecret:a", name: "a", value: "c", description: "e"})`, `"urn:li:dataHubSecret:a"`, ""},
		{`updateSecret(input: {urn: "urn:li:dataHubSecret:a", name: "b", value: "c"})`, "", "cannot be changed"},
		{`updateSecret(input: {urn: "urn:li:dataHubSecret:b", name: "b", value: "c"})`, "", "does not exist"},
		{`query getSecretValues(input: {secrets: ["a", "none"]}) { name value }`, `[{"name":"a","value":"c"}]`, ""},
		{`query entity(urn: "urn:li:dataHubSecret:a") { urn type }`, `{"urn":"urn:li:dataHubSecret:a","type":"DATAHUB_SECRET"}`, ""},
		{`deleteSecret(urn: "urn:li:dataHubSecret:a")`, `"urn:li:dataHubSecret:a"`, ""},
		{`deleteSecret(urn: "urn:li:tag:a")`, "", "is not a dataHubSecret"},
		{`query listSecrets(input: {}) { total }`, `{"total":0}`, ""},
		{`query getSecretValues(input: {secrets: ["a"]}) { name }`, `[]`, ""},
	})
}

// TestConnections: a connection is stored encrypted and read in clear text by those who may manage connections.
func TestConnections(t *testing.T) {
	h := gql.New(gql.Options{Catalog: testcatalog.New(t)})
	const c = "urn:li:dataHubConnection:c"
	askAll(t, h, []step{
		{`upsertConnection(input: {id: "c", type: JSON, name: "C", platformUrn: "urn:li:dataPlatform:slack", json: {blob: "{1}"}}) { urn type platform { name } details { type name json { blob } } }`, `{"urn":"` + c + `","type":"DATAHUB_CONNECTION","platform":{"name":"slack"},"details":{"type":"JSON","name":"C","json":{"blob":"{1}"}}}`, ""},
		{`upsertConnection(input: {id: "c", type: JSON, platformUrn: "urn:li:dataPlatform:hive", json: {blob: "{2}"}}) { urn }`, `{"urn":"` + c + `"}`, ""},
		{`query connection(urn: "` + c + `") { platform { name } details { name json { blob } } }`, `{"platform":{"name":"hive"},"details":{"name":null,"json":{"blob":"{2}"}}}`, ""},
		{`upsertConnection(input: {id: "d", type: JSON, platformUrn: "urn:li:dataPlatform:slack"}) { urn }`, "", "needs its value"},
		{`upsertConnection(input: {id: "d", type: JSON, platformUrn: "urn:li:tag:slack", json: {blob: "{}"}}) { urn }`, "", "is not a dataPlatform"},
		{`query entityExists(urn: "urn:li:dataHubConnection:d")`, "false", ""},
	})
}

// TestSecretsAreAudited: the trail has who changed and who read which secret, and no value. Who may not manage
// secrets is refused; who may is still refused their values, unless as the system client.
func TestSecretsAreAudited(t *testing.T) {
	var store graphstore.Store
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store { store = s; return s })
	trail := audit.New(audit.Options{Records: records.New(store), Now: c.Now, Logger: slog.New(slog.DiscardHandler)})
	h := gql.New(gql.Options{Catalog: c, Audit: trail})
	ask := func(means requestinfo.Means, p permission.Set, query string) string {
		return askAs(access.Known{Caller: requestinfo.Caller{Actor: "urn:li:corpuser:ada", Means: means}, Permissions: p}.In(t.Context()), t, h, query)
	}
	for _, one := range []struct {
		means requestinfo.Means
		may   permission.Set
		query string
		says  string
	}{
		{requestinfo.ByToken, nil, `mutation { createSecret(input: {name: "a", value: "TOPSECRET"}) }`, `"code":403`},
		{requestinfo.ByToken, nil, `{ listSecrets(input: {}) { total } }`, `"code":403`},
		{requestinfo.ByToken, nil, `{ getSecretValues(input: {secrets: ["a"]}) { value } }`, `"code":403`},
		{requestinfo.ByToken, permission.Everything{}, `mutation { createSecret(input: {name: "a", value: "TOPSECRET"}) }`, `"createSecret":"urn:li:dataHubSecret:a"`},
		{requestinfo.ByToken, permission.Everything{}, `{ getSecretValues(input: {secrets: ["a"]}) { value } }`, `"code":403`},
		{requestinfo.BySession, permission.Everything{}, `{ getSecretValues(input: {secrets: ["a"]}) { value } }`, `"code":403`},
		{requestinfo.BySystemSecret, permission.Everything{}, `{ getSecretValues(input: {secrets: ["a"]}) { value } }`, `"value":"TOPSECRET"`},
		{requestinfo.ByToken, nil, `mutation { upsertConnection(input: {id: "c", type: JSON, platformUrn: "urn:li:dataPlatform:slack", json: {blob: "TOPSECRET"}}) { urn } }`, `"code":403`},
		{requestinfo.ByToken, permission.Everything{}, `mutation { upsertConnection(input: {id: "c", type: JSON, platformUrn: "urn:li:dataPlatform:slack", json: {blob: "TOPSECRET"}}) { urn } }`, `"urn":"urn:li:dataHubConnection:c"`},
		{requestinfo.ByToken, nil, `{ connection(urn: "urn:li:dataHubConnection:c") { details { json { blob } } } }`, `"code":403`},
		{requestinfo.ByToken, permission.Everything{}, `{ connection(urn: "urn:li:dataHubConnection:c") { details { json { blob } } } }`, `"blob":"TOPSECRET"`},
	} {
		if text := ask(one.means, one.may, one.query); !strings.Contains(text, one.says) {
			t.Errorf("%s by %s: %s", one.query, one.means, text)
		}
	}
	page, err := trail.Search(t.Context(), audit.Search{Kinds: []audit.Kind{audit.SecretChanged, audit.SecretRead}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		kind      audit.Kind
		door, urn string
	}{
		{audit.SecretChanged, "graphql createSecret", "urn:li:dataHubSecret:a"},
		{audit.SecretRead, "graphql getSecretValues", "urn:li:dataHubSecret:a"},
		{audit.SecretChanged, "graphql upsertConnection", "urn:li:dataHubConnection:c"},
		{audit.SecretRead, "graphql DataHubJsonConnection.blob", "urn:li:dataHubConnection:c"},
	} {
		found := 0
		for i := range page.Entries {
			e := &page.Entries[i]
			if e.Kind == want.kind && e.Door == want.door && e.Allowed && len(e.Entities) == 1 && e.Entities[0] == want.urn {
				found++
			}
			if strings.Contains(e.Reason+e.Door, "TOPSECRET") {
				t.Errorf("the entry has the value: %+v", e)
			}
		}
		if found != 1 {
			t.Errorf("%d entries of the kind %s by %s: %+v", found, want.kind, want.door, page.Entries)
		}
	}
}

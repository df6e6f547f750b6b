package gql_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestServiceAccounts makes a service account, reads it in each way, and deletes it.
func TestServiceAccounts(t *testing.T) {
	c := testcatalog.New(t)
	writeAspect(t, c, "urn:li:corpuser:ada", "corpUserInfo", `{"active":true}`)
	h := gql.New(gql.Options{Catalog: c})
	const fields = `{ urn type name displayName description createdBy createdAt updatedAt defaultView { urn } }`
	type account struct {
		URN, Type, Name, DisplayName, Description, CreatedBy string
		CreatedAt, UpdatedAt                                 int64
		DefaultView                                          *struct{ URN string }
	}
	var made struct {
		Data struct{ CreateServiceAccount account }
	}
	decode := func(text string, into any) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), into); err != nil || strings.Contains(text, `"errors"`) {
			t.Fatal(text, err)
		}
	}
	decode(ask(t, h, `mutation { createServiceAccount(input: {displayName: "Nightly", description: "loads"}) `+fields+` }`, nil), &made)
	got := made.Data.CreateServiceAccount
	if !strings.HasPrefix(got.URN, "urn:li:corpuser:service_") || got.Type != "CORP_USER" || got.DisplayName != "Nightly" || got.Description != "loads" || got.CreatedBy != "urn:li:corpuser:__datahub_system" || got.CreatedAt == 0 {
		t.Fatalf("%+v", got)
	}
	var listed struct {
		Data struct {
			ListServiceAccounts struct {
				Total           int
				ServiceAccounts []account
			}
			ListUsers struct{ Total int }
		}
	}
	decode(ask(t, h, `{ listServiceAccounts(input: {}) { total serviceAccounts `+fields+` } listUsers(input: {}) { total } }`, nil), &listed)
	if l := listed.Data.ListServiceAccounts; l.Total != 1 || len(l.ServiceAccounts) != 1 || l.ServiceAccounts[0] != got || listed.Data.ListUsers.Total != 1 {
		t.Errorf("%+v", listed.Data)
	}
	writeAspect(t, c, "urn:li:dataHubView:all", "dataHubViewInfo", `{"name":"All","type":"GLOBAL","definition":{"entityTypes":[],"filter":{"or":[]}},"created":{"time":1,"actor":"urn:li:corpuser:a"},"lastModified":{"time":1,"actor":"urn:li:corpuser:a"}}`)
	writeAspect(t, c, "urn:li:dataHubView:mine", "dataHubViewInfo", `{"name":"Mine","type":"PERSONAL","definition":{"entityTypes":[],"filter":{"or":[]}},"created":{"time":1,"actor":"urn:li:corpuser:a"},"lastModified":{"time":1,"actor":"urn:li:corpuser:a"}}`)
	for view, says := range map[string]string{
		`"urn:li:dataHubView:mine"`: "is not a global view", `"urn:li:dataHubView:all"`: `"updateServiceAccountDefaultView":true`,
	} {
		if text := ask(t, h, `mutation { updateServiceAccountDefaultView(input: {urn: "`+got.URN+`", defaultView: `+view+`}) }`, nil); !strings.Contains(text, says) {
			t.Errorf("the view %s: %s", view, text)
		}
	}
	for urn, says := range map[string]string{got.URN: `"defaultView":{"urn":"urn:li:dataHubView:all"}`, "urn:li:corpuser:ada": `"getServiceAccount":null`, "urn:li:corpuser:nobody": `"getServiceAccount":null`} {
		if text := ask(t, h, `{ getServiceAccount(urn: "`+urn+`") { defaultView { urn } } }`, nil); !strings.Contains(text, says) {
			t.Errorf("%s: %s", urn, text)
		}
	}
	if text := ask(t, h, `mutation { updateServiceAccountDefaultView(input: {urn: "`+got.URN+`"}) }`, nil); !strings.Contains(text, "true") {
		t.Error(text)
	}
	for _, urn := range []string{"urn:li:corpuser:ada", "urn:li:corpuser:nobody"} {
		if text := ask(t, h, `mutation { deleteServiceAccount(urn: "`+urn+`") }`, nil); !strings.Contains(text, "The specified URN is not a service account") {
			t.Errorf("%s: %s", urn, text)
		}
	}
	if text := ask(t, h, `mutation { deleteServiceAccount(urn: "`+got.URN+`") }`, nil); !strings.Contains(text, "true") {
		t.Error(text)
	}
	if text := ask(t, h, `{ getServiceAccount(urn: "`+got.URN+`") { urn } }`, nil); !strings.Contains(text, `"getServiceAccount":null`) {
		t.Error(text)
	}
}

// TestServiceAccountsAreForAdministrators asks as a caller who is known and no administrator.
func TestServiceAccountsAreForAdministrators(t *testing.T) {
	h := gql.New(gql.Options{Catalog: testcatalog.New(t)})
	ctx := requestinfo.WithCaller(context.Background(), requestinfo.Caller{Actor: "urn:li:corpuser:ada", Means: requestinfo.ByToken})
	for _, query := range []string{
		`{ listServiceAccounts(input: {}) { total } }`, `{ getServiceAccount(urn: "urn:li:corpuser:x") { urn } }`,
		`mutation { createServiceAccount(input: {}) { urn } }`, `mutation { deleteServiceAccount(urn: "urn:li:corpuser:x") }`,
		`mutation { updateServiceAccountDefaultView(input: {urn: "urn:li:corpuser:x"}) }`,
	} {
		if text := askAs(ctx, t, h, query); !strings.Contains(text, "Please contact your DataHub administrator") || !strings.Contains(text, `"code":403`) {
			t.Errorf("%s: %s", query, text)
		}
	}
}

// askAs asks in a context.
func askAs(ctx context.Context, t *testing.T, h http.Handler, query string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(string(body))).WithContext(ctx))
	return w.Body.String()
}

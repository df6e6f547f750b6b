package rest

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/features"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest/operations"
)

// TestSystemInfo: the settings in each of their four forms, without secrets.
func TestSystemInfo(t *testing.T) {
	c := testcatalog.New(t)
	server := httptest.NewServer(New(Options{Catalog: c, Version: "v9", Settings: func() []operations.Setting {
		return []operations.Setting{{Name: "listen", Value: ":1"}, {Name: "kafka-password", Value: "hidden", Secret: true}, {Name: "source-token", Secret: true}}
	}}))
	t.Cleanup(server.Close)
	get := func(path string, into any) {
		t.Helper()
		status, answer, _ := request(t, server, "GET", "/openapi/v1/system-info"+path, "")
		if err := json.Unmarshal([]byte(answer), into); err != nil || status != 200 || strings.Contains(answer, "hidden") {
			t.Fatalf("%s: %d %s", path, status, answer)
		}
	}
	var whole map[string]gotComponents
	var parts gotComponents
	var simple map[string]string
	var all struct {
		Properties map[string]gotSettingInfo
		Total      int `json:"totalProperties"`
		Redacted   int `json:"redactedProperties"`
	}
	get("", &whole)
	get("/spring-components", &parts)
	get("/properties", &all)
	get("/properties/simple", &simple)
	gms := parts.Server
	if len(whole) != 1 || whole["springComponents"].Server.Version != "v9" || gms.Name != "GMS" || gms.Status != "AVAILABLE" || gms.Properties["listen"] != ":1" || parts.Changes.Status != "AVAILABLE" || parts.Proposals.Status != "AVAILABLE" {
		t.Errorf("%+v, %+v", whole, parts)
	}
	if simple["kafka-password"] != hiddenValue || simple["source-token"] != "" || simple[mayView] != "false" || all.Total != 4 || all.Redacted != 1 || all.Properties["listen"].Value != ":1" {
		t.Errorf("%v, %+v", simple, all)
	}
}

// TestFeatureFlags: the answers about all features and about one agree with the catalog.
func TestFeatureFlags(t *testing.T) {
	c := testcatalog.New(t)
	server := newServerOf(t, c)
	const path = "/openapi/operations/dev/featureFlags"
	read := func() (flags map[string]bool) {
		_, answer, _ := request(t, server, "GET", path, "")
		if err := json.Unmarshal([]byte(answer), &flags); err != nil {
			t.Fatal(answer)
		}
		return flags
	}
	before := read()
	c.SetReadOnly(true)
	after := read()
	if len(before) != len(features.Of(false)) || !before["showBrowseV2"] || before[features.ReadOnly] || !after[features.ReadOnly] {
		t.Errorf("%v, then %v", before, after)
	}
	if status, answer, _ := request(t, server, "GET", path+"/showBrowseV2", ""); status != 200 || answer != `{"showBrowseV2":true}` {
		t.Errorf("%d %s", status, answer)
	}
	if status, answer, _ := request(t, server, "GET", path+"/showBrowseV", ""); status != 404 || !strings.Contains(answer, "showBrowseV2") {
		t.Errorf("%d %s", status, answer)
	}
}

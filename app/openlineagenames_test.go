package app

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenLineageNames: the file of --openlineage-names decides what the names in events mean.
func TestOpenLineageNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "names.yaml")
	settings := "namespaces: {'postgres://crm-db:5432': {instance: crm, env: QA, lowercase: true}}"
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serving(t, "--openlineage-names", file)
	event := `{"eventTime": "2026-11-28T10:00:00Z", "eventType": "COMPLETE", "producer": "https://example.com/p",
		"schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
		"run": {"runId": "0192b9d1-2a6c-7c3a-9f5e-1b2c3d4e5f60"}, "job": {"namespace": "nightly", "name": "load"},
		"outputs": [{"namespace": "postgres://crm-db:5432", "name": "Shop.Public.Orders"}]}`
	response, err := http.Post(s.url+"/api/v1/lineage", "application/json", strings.NewReader(event))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatal(response.Status)
	}
	found, err := http.Get(s.url + "/openapi/v3/entity/dataset/urn%3Ali%3Adataset%3A%28urn%3Ali%3AdataPlatform%3Apostgres%2Ccrm.shop.public.orders%2CQA%29")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Body.Close()
	if text, _ := io.ReadAll(found.Body); found.StatusCode != http.StatusOK || !strings.Contains(string(text), "crm.shop.public.orders") {
		t.Errorf("%s %s", found.Status, text)
	}
}

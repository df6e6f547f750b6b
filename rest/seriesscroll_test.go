package rest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSeriesScroll: every value of the time series, of all entities of the type, is on
// exactly one page, the newest first.
func TestSeriesScroll(t *testing.T) {
	server := newServer(t)
	for n := range 7 {
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,s%d,PROD)", n%2)
		body := fmt.Sprintf(`[{"urn":"%s","datasetProfile":{"value":{"timestampMillis":%d,"messageId":"m%d","rowCount":%d},"systemMetadata":{"runId":"r"}}}]`, urn, 1000+n/2, n, n)
		if status, answer, _ := callV3(t, server, "POST", "/dataset?async=false", body); status != 200 {
			t.Fatal(answer)
		}
	}
	const path = "/openapi/v2/timeseries/DATASET/datasetprofile?"
	type page struct {
		ScrollID string         `json:"scrollId"`
		Results  []gotSeriesRow `json:"results"`
	}
	read := func(query string) (found []string, first page) {
		t.Helper()
		for id, pages := "", 0; ; pages++ {
			status, answer, _ := request(t, server, "GET", path+query+"&scrollId="+id, "")
			var p page
			if err := json.Unmarshal([]byte(answer), &p); err != nil || status != 200 || pages > 10 {
				t.Fatalf("%s: %d %s", query, status, answer)
			}
			if pages == 0 {
				first = p
			}
			for _, r := range p.Results {
				found = append(found, r.MessageID)
			}
			if id = p.ScrollID; id == "" {
				return found, first
			}
		}
	}
	for query, want := range map[string]int{"count=2": 7, "count=7": 7, "count=3&startTimeMillis=1001": 5, "count=3&endTimeMillis=1001": 4, "startTimeMillis=1001&endTimeMillis=1001": 2, "startTimeMillis=2000": 0} {
		found, _ := read(query)
		if distinct := slices.Compact(slices.Sorted(slices.Values(found))); len(found) != want || len(distinct) != want {
			t.Errorf("%s: %v", query, found)
		}
	}
	_, first := read("count=1&systemMetadata=true")
	if r := first.Results[0]; r.Time != 1003 || r.MessageID != "m6" || !strings.Contains(r.URN, "s0") || !strings.Contains(string(r.Event), `"rowCount":6`) || r.System == nil || r.System.RunID != "r" {
		t.Errorf("%+v", r)
	}
	if _, plain := read("count=1"); plain.Results[0].System != nil {
		t.Errorf("system metadata that nobody asked for: %+v", plain.Results[0])
	}
	for target, says := range map[string]string{
		"/openapi/v2/timeseries/dataset/status":        "not a time-series aspect",
		"/openapi/v2/timeseries/dataset/datasetProfil": "datasetProfile",
		"/openapi/v2/timeseries/datase/datasetProfile": "dataset",
		path + "count=0":           "count",
		path + "scrollId=abc":      "scrollId",
		path + "startTimeMillis=x": "startTimeMillis",
		path + "count=1&endTimeMillis=9999&scrollId=" + first.ScrollID: "scrollId",
		path + "cout=1": "did you mean count",
	} {
		if status, answer, _ := request(t, server, "GET", target, ""); status != 400 || !strings.Contains(answer, says) {
			t.Errorf("%s: %d %s", target, status, answer)
		}
	}
}

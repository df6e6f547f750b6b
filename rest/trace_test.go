package rest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestTraceOfRefused: with async=true, a failed condition is reported in the trace of every
// member of the request, and no member is written.
func TestTraceOfRefused(t *testing.T) {
	server := newServer(t)
	write := func(query, body string, headers ...string) (int, string, string) {
		t.Helper()
		status, answer, header := request(t, server, "POST", v3Address+query, body, append([]string{"Content-Type", "application/json"}, headers...)...)
		parts := strings.Split(header.Get("traceparent")+"--", "-")
		return status, answer, parts[1]
	}
	ask := func(trace, body string) (states map[string]map[string]gotTracedAspect) {
		t.Helper()
		_, answer, _ := request(t, server, "POST", "/openapi/v1/trace/write/"+trace+"?onlyIncludeErrors=false&detailed=true&skipCache=true", body, "Content-Type", "application/json")
		if err := json.Unmarshal([]byte(answer), &states); err != nil {
			t.Fatal(answer)
		}
		return states
	}
	const conditional = `[{"urn":"urn:li:tag:x","tagProperties":{"value":{"name":"x"},"headers":{"If-Version-Match":"-10000"}}},{"urn":"urn:li:tag:y","status":{"value":{"removed":false}}}]`
	status, answer, trace := write("/tag?async=true&systemMetadata=true", conditional)
	if status != 202 || !strings.Contains(answer, `"telemetryTraceId":"`+trace+`"`) || !strings.Contains(answer, `"value":{"name":"x"}`) {
		t.Fatalf("%d %s", status, answer)
	}
	states := ask(trace, `{"urn:li:tag:x":["tagProperties"],"urn:li:tag:y":["status"]}`)
	x, y := states["urn:li:tag:x"]["tagProperties"], states["urn:li:tag:y"]["status"]
	if x.Success || x.Primary.Status != "ERROR" || x.Primary.Exceptions[0].Message != "Expected version -10000, actual version -1" || x.Search.Status != "ERROR" || x.Search.Message != notSearchedMessage {
		t.Errorf("%+v", x)
	}
	if y.Success || y.Primary.Status != "ERROR" || !strings.Contains(y.Primary.Exceptions[0].Message, "nothing of the request was written") {
		t.Errorf("%+v", y)
	}
	if status, answer, _ := callV3(t, server, "GET", "/tag/urn%3Ali%3Atag%3Ay", ""); status != 404 {
		t.Errorf("a part of a refused request was written: %s", answer)
	}
	if _, listed, _ := request(t, server, "GET", "/proposals/failed", ""); !strings.Contains(listed, trace) || !strings.Contains(listed, "urn:li:tag:x") {
		t.Error(listed)
	}
	// Without async=true, a failed condition is reported at once. Other mistakes are always
	// reported at once.
	for query, want := range map[string]int{"/tag": 412, "/tag?async=false": 412} {
		if status, answer, _ := write(query, conditional); status != want {
			t.Errorf("%s: %d %s", query, status, answer)
		}
	}
	if status, answer, _ := write("/tag?async=true", `[{"urn":"urn:li:tag:x","tagProperties":{"value":{"nme":1}}}]`); status != 400 {
		t.Errorf("%d %s", status, answer)
	}
	status, _, trace = write("/tag/urn%3Ali%3Atag%3Ax/tagProperties?async=true", `{"value":{"name":"x"},"headers":{"If-Version-Match":"7"}}`)
	if x := ask(trace, `{"urn:li:tag:x":["tagProperties"]}`)["urn:li:tag:x"]["tagProperties"]; status != 202 || x.Primary.Status != "ERROR" {
		t.Errorf("one aspect: %d %+v", status, x)
	}
}

const notSearchedMessage = "Primary storage write failed."

// TestTraceOfCaller: if the caller sends a trace, the answer has the same trace.
func TestTraceOfCaller(t *testing.T) {
	server := newServer(t)
	write := func(trace, value string) {
		t.Helper()
		status, answer, header := request(t, server, "POST", v3Address+"/tag?async=true&systemMetadata=true", value, "Content-Type", "application/json", "traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
		if status != 202 || !strings.HasPrefix(header.Get("traceparent"), "00-"+trace+"-") || !strings.Contains(answer, trace) {
			t.Fatalf("%d %s %v", status, answer, header)
		}
	}
	trace := func(n int) string { return fmt.Sprintf("%031d%d", 7, n) }
	state := func(of, body string) string {
		t.Helper()
		_, answer, _ := request(t, server, "POST", "/openapi/v1/trace/write/"+of, body, "Content-Type", "application/json")
		return answer
	}
	write(trace(1), `[{"urn":"urn:li:tag:x","tagProperties":{"value":{"name":"a"}}}]`)
	write(trace(2), `[{"urn":"urn:li:tag:x","tagProperties":{"value":{"name":"b"}}}]`)
	write(trace(3), `[{"urn":"urn:li:tag:x","tagProperties":{"value":{"name":"b"}}}]`)
	for of, want := range map[string]string{
		trace(1): "HISTORIC_STATE", trace(2): "ACTIVE_STATE", trace(3): "NO_OP", trace(4): "UNKNOWN",
		"00-" + trace(2) + "-00f067aa0ba902b7-01": "ACTIVE_STATE",
	} {
		if got := state(of, `{"urn:li:tag:x":["tagProperties"]}`); strings.Count(got, `"`+want+`"`) != 2 {
			t.Errorf("%s: %s, want %s twice", of, got, want)
		}
	}
	for _, header := range []string{"", "x", "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", "00-xyz-1-01"} {
		_, _, got := request(t, server, "POST", v3Address+"/tag?async=true", `[{"urn":"urn:li:tag:z","status":{"value":{"removed":false}}}]`, "Content-Type", "application/json", "traceparent", header)
		if parts := strings.Split(got.Get("traceparent"), "-"); len(parts) != 4 || len(parts[1]) != 32 || parts[1] == strings.Repeat("0", 32) {
			t.Errorf("%q: %v", header, got.Get("traceparent"))
		}
	}
}

// TestTraceOfSeries: a time-series value is written, but has no trace of its own.
func TestTraceOfSeries(t *testing.T) {
	server := newServer(t)
	status, answer, header := callV3(t, server, "POST", "/dataset?async=true&systemMetadata=true", `[{"urn":"`+v3Table+`","datasetProfile":{"value":{"timestampMillis":5,"rowCount":1}}}]`)
	trace := strings.Split(header.Get("traceparent")+"--", "-")[1]
	if status != 202 || !strings.Contains(answer, `"telemetryTraceId":"`+trace+`"`) {
		t.Fatalf("%d %s", status, answer)
	}
	_, states, _ := request(t, server, "POST", "/openapi/v1/trace/write/"+trace, `{"`+v3Table+`":["datasetProfile"]}`, "Content-Type", "application/json")
	if want := `{"` + v3Table + `":{"datasetProfile":{"success":true,"primaryStorage":{"writeStatus":"NO_OP"},"searchStorage":{"writeStatus":"TRACE_NOT_IMPLEMENTED"}}}}`; states != want {
		t.Errorf("%s, want %s", states, want)
	}
}

package rest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

type polled struct {
	Offset string           `json:"offsetId"`
	Count  int              `json:"count"`
	Events []gotPolledEvent `json:"events"`
}

// TestPoll polls the events of each topic: from the end, from an offset, and from a time
// days ago.
func TestPoll(t *testing.T) {
	server := newServer(t)
	poll := func(topic, offset, more string) polled {
		t.Helper()
		target := "/openapi/v1/events/poll?topic=" + topic + more
		if !strings.Contains(more, "pollTimeoutSeconds") {
			target += "&pollTimeoutSeconds=0"
		}
		if offset != "" {
			target += "&offsetId=" + url.QueryEscape(offset)
		}
		status, answer, _ := request(t, server, "GET", target, "")
		var p polled
		if err := json.Unmarshal([]byte(answer), &p); err != nil || status != 200 || p.Offset == "" || p.Count != len(p.Events) || p.Events == nil {
			t.Fatalf("%s: %d %s", target, status, answer)
		}
		return p
	}
	write := func(name string) {
		t.Helper()
		body := fmt.Sprintf(`[{"urn":"%s","globalTags":{"value":{"tags":[{"tag":"urn:li:tag:%s"}]}},"datasetProfile":{"value":{"timestampMillis":%d,"rowCount":1}}}]`, v3Table, name, len(name))
		if status, answer, _ := callV3(t, server, "POST", "/dataset?async=false", body); status != 200 {
			t.Fatal(answer)
		}
	}
	const versioned, series, meaning = "MetadataChangeLog_Versioned_v1", "MetadataChangeLog_Timeseries_v1", "PlatformEvent_v1"
	write("a")
	ends := map[string]string{}
	for _, topic := range []string{versioned, series, meaning} {
		end := poll(topic, "", "")
		if end.Count != 0 {
			t.Errorf("%s: %d events at the end", topic, end.Count)
		}
		ends[topic] = end.Offset
	}
	write("bb")
	for topic, says := range map[string]string{versioned: `"aspectName":{"string":"globalTags"}`, series: `"aspectName":{"string":"datasetProfile"}`, meaning: `"name":"entityChangeEvent"`} {
		found := poll(topic, ends[topic], "&pollTimeoutSeconds=30")
		if found.Count == 0 || found.Events[0].ContentType != "application/json" || !strings.Contains(found.Events[0].Value, says) {
			t.Errorf("%s: %+v", topic, found)
		}
		if second := poll(topic, ends[topic], ""); second.Events[0] != found.Events[0] {
			t.Errorf("%s: another event from the same offset: %+v", topic, second)
		}
		for _, e := range found.Events {
			if strings.Contains(e.Value, "urn:li:tag:a") && topic != meaning && !strings.Contains(e.Value, "previousAspectValue") {
				t.Errorf("%s: an event before the offset: %s", topic, e.Value)
			}
		}
		// Events of other topics are skipped, so the offset reaches the end.
		offset := found.Offset
		for range 5 {
			offset = poll(topic, offset, "").Offset
		}
		if rest := poll(topic, offset, ""); rest.Count != 0 {
			t.Errorf("%s: %d events after all of them", topic, rest.Count)
		}
	}
	all, offset := 0, ""
	for range 50 {
		p := poll(versioned, offset, "&lookbackWindowDays=1&limit=2")
		if offset = p.Offset; p.Count == 0 {
			break
		}
		all += p.Count
	}
	if all < 5 {
		t.Errorf("%d events of one day", all)
	}
	for target, says := range map[string]string{
		"topic=PlatformEvent": "PlatformEvent_v1", "": "topic", "topic=" + meaning + "&limit=0": "limit", "topic=" + meaning + "&lookbackWindowDays=-1": "lookbackWindowDays",
		"topic=" + meaning + "&offsetId=xyz": "cursor", "topic=" + meaning + "&offsetId=since1": "offsetId", "topic=" + meaning + "&ofset=1": "unknown parameter",
	} {
		if status, answer, _ := request(t, server, "GET", "/openapi/v1/events/poll?"+target, ""); status != 400 || !strings.Contains(answer, says) {
			t.Errorf("%s: %d %s", target, status, answer)
		}
	}
}

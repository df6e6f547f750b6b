package rest

import (
	"fmt"
	"strings"
	"testing"
)

// TestConditionsOverRestli: a proposal states its conditions in the member headers, and a
// read returns the version that such a condition compares.
func TestConditionsOverRestli(t *testing.T) {
	server := newServer(t)
	proposal := func(change, value, headers string) string {
		body := strings.Replace(proposalBody("tag", "urn:li:tag:a", "status", value), `"changeType":"UPSERT"`, `"changeType":"`+change+`"`, 1)
		return strings.Replace(body, `{"proposal":{`, `{"proposal":{"systemMetadata":{"pipelineName":"nightly","schemaVersion":3},"headers":`+headers+`,`, 1)
	}
	for i, c := range []struct {
		body   string
		status int
		says   string
	}{
		{proposal("CREATE_ENTITY", `{"removed":false}`, `{"If-Version-Match":"-1"}`), 200, "urn:li:tag:a"},
		{proposal("CREATE_ENTITY", `{"removed":false}`, `{}`), 422, "already exists"},
		{proposal("CREATE_ENTITY", `{"removed":false}`, `{"If-None-Match":"*"}`), 200, "urn:li:tag:a"},
		{proposal("UPSERT", `{"removed":true}`, `{"If-Version-Match":"2"}`), 422, "expected version 2, actual version 1"},
		{proposal("UPSERT", `{"removed":true}`, `{"If-Version-Match":"1"}`), 200, "urn:li:tag:a"},
		{proposal("UPSERT", `{"removed":true}`, `{"If-Version-Match":"one"}`), 400, "not a version"},
	} {
		status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposal", c.body)
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%d: %d %s, want %d and %q", i, status, body, c.status, c.says)
		}
	}
	batch := fmt.Sprintf(`{"proposals":[%s]}`, strings.TrimSuffix(strings.TrimPrefix(proposal("UPSERT", `{"removed":false}`, `{"If-Version-Match":"1"}`), `{"proposal":`), "}"))
	status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposalBatch", batch)
	if status != 422 || !strings.Contains(body, "actual version 2") || !strings.Contains(body, "nothing was written") {
		t.Errorf("a batch: %d %s", status, body)
	}
	_, body, _ = request(t, server, "GET", "/entitiesV2/urn%3Ali%3Atag%3Aa?aspects=List(status)", "")
	for _, want := range []string{`"version":"2"`, `"pipelineName":"nightly"`, `"schemaVersion":3`, `"lastRunId":"no-run-id-provided"`, `"aspectCreated":{"time":`, `"aspectModified":{"time":`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %s", body, want)
		}
	}
}

package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/rest/call"
)

// TestQuotedNumbers: numbers and truth values in quotes are accepted. Another text in their
// place is refused, and the error names the member.
func TestQuotedNumbers(t *testing.T) {
	_, server := serveHarness(t)
	for i := range 5 {
		request(t, server, http.MethodPost, "/aspects?action=ingestProposal", proposalBody("dataset", call.ExampleTable, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d}`, 1700000000000+i, i)))
	}
	for _, c := range []struct{ target, plain, quoted string }{
		{"/aspects?action=getTimeseriesAspectValues", `"startTimeMillis":1700000000001,"endTimeMillis":1700000000003,"limit":2`, `"startTimeMillis":"1700000000001","endTimeMillis":"1700000000003","limit":"2"`},
		{"/aspects?action=getTimeseriesAspectValues", `"latestValue":true`, `"latestValue":"true"`},
		{"/entities?action=delete", `"aspectName":"datasetProfile","startTimeMillis":1700000000001,"endTimeMillis":1700000000003,"dryRun":true`, `"aspectName":"datasetProfile","startTimeMillis":"1700000000001","endTimeMillis":"1700000000003","dryRun":"true"`},
		{"/entities?action=listUrns", `"start":0,"count":1`, `"start":"0","count":"1"`},
		{"/runs?action=list", `"pageOffset":0,"pageSize":1,"includeSoft":true`, `"pageOffset":"0","pageSize":"1","includeSoft":"true"`},
		{"/runs?action=rollback", `"runId":"r","dryRun":true,"safe":true`, `"runId":"r","dryRun":"true","safe":"true"`},
		{"/relationships?action=getLineage", `"direction":"UPSTREAM","start":0,"count":5,"maxHops":2`, `"direction":"UPSTREAM","start":"0","count":"5","maxHops":"2"`},
		{"/entities?action=searchAcrossLineage", `"direction":"UPSTREAM","input":"*","count":5,"startTimeMillis":1700000000001,"endTimeMillis":1700000000003`, `"direction":"UPSTREAM","input":"*","count":"5","startTimeMillis":"1700000000001","endTimeMillis":"1700000000003"`},
		{"/entities?action=browse", `"path":"","start":0,"limit":1`, `"path":"","start":"0","limit":"1"`},
	} {
		body := func(members string) string {
			return `{"urn":"` + call.ExampleTable + `","entity":"dataset","aspect":"datasetProfile",` + members + `}`
		}
		status, want, _ := request(t, server, http.MethodPost, c.target, body(c.plain))
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", c.target, status, want)
		}
		if status, got, _ := request(t, server, http.MethodPost, c.target, body(c.quoted)); status != http.StatusOK || got != want {
			t.Errorf("%s with quotes: %d %s, without %s", c.target, status, got, want)
		}
	}
	for _, bad := range []string{`""`, `"1.5"`, `"null"`, `"\"1\""`, `"9223372036854775808"`, `"true"`, `"<your-start-time-ms>"`, `[1]`} {
		status, body, _ := request(t, server, http.MethodPost, "/aspects?action=getTimeseriesAspectValues", `{"urn":"`+call.ExampleTable+`","entity":"dataset","aspect":"datasetProfile","startTimeMillis":`+bad+`}`)
		if status != http.StatusBadRequest || !strings.Contains(body, "startTimeMillis") {
			t.Errorf("startTimeMillis %s: %d %s", bad, status, body)
		}
	}
}

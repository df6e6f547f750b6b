package rest

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/rest/call"
)

// writeEvents writes three aspects of two entities.
func writeEvents(t *testing.T, server *httptest.Server) {
	t.Helper()
	for _, body := range []string{
		proposalBody("dataset", call.ExampleTable, "datasetProperties", `{"description":"orders"}`),
		proposalBody("dataset", call.ExampleTable, "status", `{"removed":false}`),
		proposalBody("tag", "urn:li:tag:PII", "tagProperties", `{"name":"PII"}`),
	} {
		if status, answer, _ := request(t, server, "POST", "/aspects?action=ingestProposal", body); status != http.StatusOK {
			t.Fatal(status, answer)
		}
	}
}

func TestSelectedPages(t *testing.T) {
	server, _ := serveWith(t, Options{}, plain)
	writeEvents(t, server)
	for query, want := range map[string]struct {
		status int
		has    []string
		lacks  []string
	}{
		"aspects=status":               {200, []string{`"aspectName":"status"`}, []string{"datasetProperties", "tagProperties"}},
		"aspects=status,tagProperties": {200, []string{`"aspectName":"status"`, "tagProperties"}, []string{"datasetProperties"}},
		"entityTypes=TAG":              {200, []string{"urn:li:tag:PII"}, []string{"urn:li:dataset"}},
		"kinds=DELETE":                 {200, []string{`"events":[]`}, nil},
		"kinds=upsert&aspects=status":  {200, []string{"status"}, []string{"tagProperties"}},
		"urn=urn:li:tag:*":             {200, []string{"urn:li:tag:PII"}, []string{"urn:li:dataset"}},
		"urn=" + url.QueryEscape(call.ExampleTable) + "&urn=urn:li:x": {400, nil, nil},
		"urn=" + url.QueryEscape(call.ExampleTable):                   {200, []string{call.ExampleTable}, []string{`"entityUrn":"urn:li:tag:PII"`}},
		"urn=*":                            {400, []string{"beginning of a URN"}, nil},
		"aspects=statsu":                   {400, []string{"did you mean status"}, nil},
		"entityTypes=datset":               {400, []string{"did you mean dataset"}, nil},
		"kinds=UPDATE":                     {400, []string{"UPSERT, RESTATE, DELETE"}, nil},
		"format=feed":                      {400, []string{"parameter actor"}, nil},
		"format=feed&actor=urn:li:tag:PII": {400, []string{"not a user or a group"}, nil},
		"actor=urn:li:corpuser:ada":        {400, []string{"actors are for the format feed"}, nil},
		"format=changes":                   {400, []string{"did you mean change"}, nil},
	} {
		status, body, _ := request(t, server, "GET", "/events?"+query, "")
		if status != want.status {
			t.Errorf("%s: %d %s", query, status, body)
		}
		for _, has := range want.has {
			if !strings.Contains(body, has) {
				t.Errorf("%s lacks %s: %s", query, has, body)
			}
		}
		for _, lacks := range want.lacks {
			if strings.Contains(body, lacks) {
				t.Errorf("%s has %s: %s", query, lacks, body)
			}
		}
	}
}

// nextOf returns the cursor after a page.
func nextOf(t *testing.T, page string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `"next":"`)
	if !ok {
		t.Fatal(page)
	}
	return strings.TrimSuffix(strings.TrimSpace(rest), `"}`)
}

// TestNothingSelected: a page and a stream without matching events still advance in the
// log. A page without the new parameters is as before.
func TestNothingSelected(t *testing.T) {
	server, _ := serveWith(t, Options{}, plain)
	writeEvents(t, server)
	_, all, _ := request(t, server, "GET", "/events", "")
	_, page, _ := request(t, server, "GET", "/events?limit=1&kinds=DELETE", "")
	if end := nextOf(t, all); nextOf(t, page) != end {
		t.Errorf("next is %s, the end is %s", nextOf(t, page), end)
	}
	if _, named, _ := request(t, server, "GET", "/events?format=change", ""); named != all {
		t.Errorf("%s\n%s", named, all)
	}
	if got := streamed(t, server, "kinds=DELETE", "id: "); got != "id: "+nextOf(t, all) {
		t.Errorf("%q, the end is %s", got, nextOf(t, all))
	}
	if got := streamed(t, server, "limit=1&entityTypes=tag", "data: "); !strings.Contains(got, `"entityUrn":"urn:li:tag:PII"`) {
		t.Error(got)
	}
}

// streamed returns the first line of a stream that begins with a text.
func streamed(t *testing.T, server *httptest.Server, query, beginning string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/events?"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), beginning) {
			return lines.Text()
		}
	}
	t.Fatal("the stream ended")
	return ""
}

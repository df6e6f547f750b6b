package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// linesOfARequest is the largest number of lines of an export in one request.
const linesOfARequest = 500

// importServer checks the requests of an import. It refuses one entity.
type importServer struct {
	t       *testing.T
	refuses string

	lock     sync.Mutex
	written  map[string]bool
	series   map[string]int
	requests int
}

func (s *importServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	if !strings.HasPrefix(lines[0], `{"header"`) || len(lines) > linesOfARequest+1 {
		s.t.Errorf("a request of %d lines begins with %s", len(lines), lines[0])
	}
	result := transfer.ImportResult{}
	own := map[string]bool{}
	s.lock.Lock()
	s.requests++
	for _, text := range lines[1:] {
		var line transfer.ExportLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			s.t.Error(err)
		}
		switch {
		case line.TimeSeries != nil && !s.written[line.TimeSeries.URN] && !own[line.TimeSeries.URN]:
			s.t.Errorf("a time series of %s is sent before the entity was written", line.TimeSeries.URN)
		case line.TimeSeries != nil:
			s.series[line.TimeSeries.URN]++
		case line.Entity.URN == s.refuses:
			own[s.refuses] = true
			result.Failures = append(result.Failures, transfer.ImportFailure{URN: s.refuses, Message: "refused"})
		default:
			own[line.Entity.URN] = true
			result.Entities++
		}
	}
	s.lock.Unlock()
	text, err := json.Marshal(map[string]any{"value": result})
	if err != nil {
		s.t.Error(err)
	}
	s.lock.Lock()
	for urn := range own {
		if urn != s.refuses {
			s.written[urn] = true
		}
	}
	s.lock.Unlock()
	_, _ = w.Write(text)
}

// TestImportInFlight: with several requests in flight, an entity is still written before
// its time series, and the time series of a refused entity is not sent.
func TestImportInFlight(t *testing.T) {
	s := &importServer{t: t, refuses: "urn:li:dataset:t1000", written: map[string]bool{}, series: map[string]int{}}
	server := httptest.NewServer(s)
	defer server.Close()
	file := strings.Builder{}
	file.WriteString(`{"header":{"format":1}}` + "\n")
	for n := range 1500 {
		fmt.Fprintf(&file, `{"entity":{"urn":"urn:li:dataset:t%d"}}`+"\n", n)
		of := map[int]int{7: 1200, 1000: 1200}[n] // more values than fit into one request
		for range max(1, of) {
			fmt.Fprintf(&file, `{"timeSeries":{"urn":"urn:li:dataset:t%d"}}`+"\n", n)
		}
	}
	file.WriteString(`{"end":{}}` + "\n")
	code, out, errs := headwater(t, file.String(), "import", "-", "--server", server.URL)
	if code != cli.ExitPartial || !strings.Contains(out, "1499 entities written") || !strings.Contains(errs, "t1000: refused") {
		t.Errorf("exit %d %s%s", code, out, errs)
	}
	if len(s.written) != 1499 || s.series["urn:li:dataset:t7"] != 1200 || s.series[s.refuses] >= linesOfARequest || s.series["urn:li:dataset:t1499"] != 1 {
		t.Errorf("%d entities are written; series: %d of t7, %d of the refused one", len(s.written), s.series["urn:li:dataset:t7"], s.series[s.refuses])
	}
	if s.requests > 14 {
		t.Errorf("%d requests for 5400 lines", s.requests)
	}
	before := s.requests
	if code, _, errs := headwater(t, `{"header":{"format":1}}`+"\n"+`{"end":{}}`, "import", "-", "--server", server.URL); code != cli.ExitOK || s.requests != before+1 {
		t.Errorf("an empty export: exit %d %s, %d requests", code, errs, s.requests-before)
	}
	if code, _, errs := headwater(t, "", "import", "-", "--server", server.URL, "--in-flight", "65"); code != cli.ExitUsage || !strings.Contains(errs, "--in-flight") {
		t.Errorf("exit %d %s", code, errs)
	}
}

package ingestion

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// goesOn are the statuses of runs that have not ended.
var goesOn = []string{"", StatusRunning, StatusUpForRetry}

// isEnd reports whether a run with a status has ended.
func isEnd(status string) bool { return !slices.Contains(goesOn, status) }

// statusOf returns the status of a result, "" without a result.
func statusOf(a *graphstore.Aspect) string {
	if a == nil {
		return ""
	}
	var result struct {
		Status string `json:"status"`
	}
	if json.Unmarshal(a.Value, &result) != nil {
		return ""
	}
	return result.Status
}

// byExecutor marks the results that this room writes, so that the room later recognises its results whose
// records are gone.
var byExecutor = map[string]string{"appSource": "headwater-executor"}

func isOurs(a *graphstore.Aspect) bool {
	return a != nil && a.System.Properties["appSource"] == byExecutor["appSource"]
}

// setResult changes the result of a run, unless the run has ended. It changes nothing if the request was
// deleted meanwhile.
func (s *Service) setResult(ctx context.Context, r *run, o catalog.WriteOptions, change func(value catalog.Tree)) error {
	u := model.StoredURN(r.URN)
	err := s.Writer.EditWith(permission.Decided(ctx), []write.Edit{{URN: u, Aspect: model.AspectDataHubExecutionRequestResult, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		if isEnd(jsontree.Text(value, "status")) {
			return nil
		}
		change(value)
		if r.Started > 0 {
			value["startTimeMs"] = r.Started
		}
		return nil
	}}}, byExecutor, o)
	if err == nil {
		return nil
	}
	if exists, known := s.Writer.Exists(ctx, u); known == nil && !exists {
		return nil
	}
	return err
}

// setEnd returns the change of a result that ends a run, or an attempt, with a status. The function report
// gets the report so far.
func (s *Service) setEnd(r *run, status string, report func(sofar string) string, structured catalog.Tree) func(catalog.Tree) {
	return func(value catalog.Tree) {
		value["status"] = status
		value["report"] = bounded(report(jsontree.Text(value, "report")))
		delete(value, "structuredReport")
		if structured != nil {
			value["structuredReport"] = structured
		}
		if r.Started > 0 {
			value["durationMs"] = max(0, s.Now().UnixMilli()-r.Started)
		}
	}
}

// adding returns a function that adds a sentence to a report.
func adding(sentence string) func(string) string {
	return func(sofar string) string {
		if sofar == "" {
			return sentence
		}
		return strings.TrimRight(sofar, "\n") + "\n" + sentence
	}
}

// bounded returns a log of at most limits.IngestionLog bytes: its beginning and its end.
func bounded(log string) string {
	log = strings.ToValidUTF8(log, "\uFFFD")
	if len(log) <= limits.IngestionLog {
		return log
	}
	const half = limits.IngestionLog/2 - 64 // with room for the sentence in the middle
	begin, end := beginning(log, half), ending(log, half)
	return begin + fmt.Sprintf("\n[%d bytes are left out here]\n", len(log)-len(begin)-len(end)) + end
}

// beginning returns the first bytes of a text, at most n, without a part of a character.
func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// ending returns the last bytes of a text, at most n, without a part of a character.
func ending(text string, n int) string {
	if len(text) <= n {
		return text
	}
	from := len(text) - n
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// structured returns the structured report of an outcome, nil if there is none. Its second result is a
// sentence for the log if the report is left out.
func (o *Outcome) structured(task string) (catalog.Tree, string) {
	switch {
	case strings.TrimSpace(o.Report) == "":
		return nil, ""
	case len(o.Report) > limits.IngestionReport:
		return nil, fmt.Sprintf("The structured report is left out: it has %d bytes, and %d are kept.", len(o.Report), limits.IngestionReport)
	case !json.Valid([]byte(o.Report)):
		return nil, "The structured report is left out: it is not JSON."
	}
	if o.ReportType != "" {
		task = o.ReportType
	}
	return catalog.Tree{"type": task, "serializedValue": o.Report, "contentType": "application/json"}, ""
}

// shown returns a moment as reports have it.
func shown(t int64) string { return time.UnixMilli(t).UTC().Format(time.RFC3339) }

package quality

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Assertion is a check of data with its last result.
type Assertion struct {
	URN string `json:"urn"`
	// Name names the check, such as not_null orders.customer_id.
	Name string `json:"name"`
	// About is the entity that is checked, and Columns are the paths of its columns.
	About   string   `json:"about,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// Platform is the URN of the platform that evaluates the assertion, "" if it is not known.
	Platform string `json:"platform,omitempty"`
	// Note is a note for people about the assertion.
	Note string `json:"note,omitempty"`
	// Result is the last result: SUCCESS, FAILURE or ERROR, "" if there is no result. Time is
	// the time of the last result.
	Result
}

// Result is the result of one evaluation of an assertion.
type Result struct {
	Result   string `json:"result,omitempty"`
	Severity string `json:"severity,omitempty"`
	Time     int64  `json:"time,omitempty"`
	// Figures are the numbers of the result, such as unexpectedCount=3, in order.
	Figures []string `json:"figures,omitempty"`
	// Error says why an evaluation could not be completed.
	Error string `json:"error,omitempty"`
	// Run is the run of the tool. URL is the address at which the tool shows the result.
	Run string `json:"run,omitempty"`
	URL string `json:"url,omitempty"`
}

// The results of evaluations that were completed.
const (
	Success = "SUCCESS"
	Failure = "FAILURE"
	Error   = "ERROR"
)

// Counts has the number of assertions for each last result.
type Counts struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	// Errors is the number of assertions whose last evaluation could not be completed. Never is
	// the number of assertions without an evaluation.
	Errors int `json:"errors"`
	Never  int `json:"never"`
}

func (c *Counts) add(r Result) {
	switch r.Result {
	case Success:
		c.Passed++
	case Failure:
		c.Failed++
	case Error:
		c.Errors++
	default:
		c.Never++
	}
}

// rankOf orders results: failures and errors come first.
func rankOf(r Result) int { return slices.Index([]string{Failure, Error, "", Success}, r.Result) }

func compareText(a, b string) int { return strings.Compare(a, b) }

func compareAssertions(a, b Assertion) int {
	return cmp.Or(rankOf(a.Result)-rankOf(b.Result), compareText(a.Name, b.Name), compareText(a.URN, b.URN))
}

func compareIncidents(a, b Incident) int {
	return cmp.Or(cmp.Compare(b.Since, a.Since), compareText(a.URN, b.URN))
}

// checks reads assertions and incidents by their URNs. Soft-deleted ones, ones that only edges
// name, and resolved incidents are absent.
func (r *reader) checks(ctx context.Context, about map[string][]place) (map[string]Assertion, map[string]Incident, error) {
	assertions, incidents := map[string]Assertion{}, map[string]Incident{}
	aspects := []string{model.AspectAssertionInfo, model.AspectAssertionNote, model.AspectIncidentInfo, model.AspectStatus, model.AspectDataPlatformInstance}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(about)), limits.MaxIDs) {
		stored, err := r.aspects(ctx, some, aspects)
		if err != nil {
			return nil, nil, err
		}
		for urn, list := range stored {
			trees := make(map[string]catalog.Tree, len(list))
			for i := range list {
				if trees[list[i].Name], err = catalog.TreeOf(list[i].Value); err != nil {
					return nil, nil, err
				}
			}
			info, incident := trees[model.AspectAssertionInfo], trees[model.AspectIncidentInfo]
			switch {
			case trees[model.AspectStatus]["removed"] == true:
			case info != nil:
				assertions[urn] = assertionOf(urn, info, trees)
			case incident != nil && jsontree.Text(jsontree.Member(incident, "status"), "state") != "RESOLVED":
				incidents[urn] = incidentOf(urn, incident)
			}
		}
	}
	return assertions, incidents, r.addResults(ctx, assertions)
}

func assertionOf(urn string, info catalog.Tree, trees map[string]catalog.Tree) Assertion {
	a := Assertion{URN: urn, Name: model.AssertionName(info), Platform: jsontree.Text(trees[model.AspectDataPlatformInstance], "platform")}
	if a.Name == "" {
		a.Name = model.StoredURN(urn).Key()
	}
	a.About, a.Columns = model.AssertionSubject(info)
	note := trees[model.AspectAssertionNote]
	if note == nil {
		note = jsontree.Member(info, "note")
	}
	a.Note = jsontree.Text(note, "content")
	return a
}

func incidentOf(urn string, info catalog.Tree) Incident {
	i := Incident{URN: urn, Title: jsontree.Text(info, "title"), Since: jsontree.Integer(info["startedAt"])}
	if i.Title == "" {
		i.Title = cmp.Or(jsontree.Text(info, "customType"), strings.ToLower(jsontree.Text(info, "type")))
	}
	if i.Since == 0 {
		i.Since = jsontree.Integer(jsontree.Member(info, "created")["time"])
	}
	return i
}

// eventsLooked bounds the evaluations that are read to find the last result. Newer evaluations
// that have begun and have no result are skipped.
const eventsLooked = 20

// addResults adds the last result of each assertion.
func (r *reader) addResults(ctx context.Context, assertions map[string]Assertion) error {
	var unfinished []string
	for some := range slices.Chunk(slices.Sorted(maps.Keys(assertions)), limits.MaxIDs) {
		found, err := r.latest(ctx, some, []string{model.AspectAssertionRunEvent})
		if err != nil {
			return err
		}
		for urn, values := range found {
			if len(values) == 0 {
				continue
			}
			result, done, err := resultOf(&values[0])
			if err != nil {
				return err
			}
			if !done {
				unfinished = append(unfinished, urn)
				continue
			}
			a := assertions[urn]
			a.Result = result
			assertions[urn] = a
		}
	}
	slices.Sort(unfinished)
	for some := range slices.Chunk(unfinished, eventsAtOnce) {
		lists, err := r.results(ctx, some, eventsLooked)
		if err != nil {
			return err
		}
		for i, urn := range some {
			if len(lists[i]) > 0 {
				a := assertions[urn]
				a.Result = lists[i][0]
				assertions[urn] = a
			}
		}
	}
	return nil
}

// eventsAtOnce is the number of assertions for which several evaluations are read at once.
const eventsAtOnce = 200

// resultsShown bounds the shown results of one assertion.
const resultsShown = 10

// resultsOf returns the last results of an assertion, the newest first.
func (r *reader) resultsOf(ctx context.Context, u model.URN) ([]Result, error) {
	lists, err := r.results(ctx, []string{u.String()}, eventsLooked)
	if err != nil {
		return nil, err
	}
	return lists[0][:min(len(lists[0]), resultsShown)], nil
}

// results returns the results among the newest evaluations of assertions, in the order
// of the assertions, the newest first.
func (r *reader) results(ctx context.Context, urns []string, events int) ([][]Result, error) {
	pages, err := r.values(ctx, model.AspectAssertionRunEvent, urns, events)
	if err != nil {
		return nil, err
	}
	lists := make([][]Result, len(urns))
	for i, page := range pages {
		for j := range page {
			result, done, err := resultOf(&page[j])
			if err != nil {
				return nil, err
			}
			if done {
				lists[i] = append(lists[i], result)
			}
		}
	}
	return lists, nil
}

// resultOf reads an evaluation; done is false if it has no result yet.
func resultOf(v *graphstore.TimeSeriesValue) (r Result, done bool, err error) {
	event, err := catalog.TreeOf(v.Value)
	if err != nil {
		return Result{}, false, err
	}
	result := jsontree.Member(event, "result")
	r = Result{Result: jsontree.Text(result, "type"), Severity: jsontree.Text(result, "severity"), Time: v.Timestamp, Run: jsontree.Text(event, "runId"), URL: jsontree.Text(result, "externalUrl")}
	for _, name := range []string{"rowCount", "missingCount", "unexpectedCount", "actualAggValue"} {
		if result[name] != nil {
			r.Figures = append(r.Figures, name+"="+jsontree.ScalarText(result[name]))
		}
	}
	if failure := jsontree.Member(result, "error"); failure != nil {
		r.Error = strings.TrimPrefix(jsontree.Text(failure, "type")+": "+jsontree.Text(jsontree.Member(failure, "properties"), "message"), ": ")
		r.Error = strings.TrimSuffix(r.Error, ": ")
	}
	return r, slices.Contains([]string{Success, Failure, Error}, r.Result), nil
}

package marquez

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Run is a run of a job.
type Run struct {
	ID               string  `json:"id"`
	CreatedAt        *string `json:"createdAt"`
	UpdatedAt        *string `json:"updatedAt"`
	NominalStartTime *string `json:"nominalStartTime"`
	NominalEndTime   *string `json:"nominalEndTime"`
	// State is NEW, RUNNING, COMPLETED, FAILED or ABORTED.
	State      string            `json:"state"`
	StartedAt  *string           `json:"startedAt"`
	EndedAt    *string           `json:"endedAt"`
	DurationMs *int64            `json:"durationMs"`
	Args       map[string]string `json:"args"`
	// JobVersion is always null, and there are no versions of datasets: versions are not kept.
	JobVersion            *string                    `json:"jobVersion"`
	InputDatasetVersions  []string                   `json:"inputDatasetVersions"`
	OutputDatasetVersions []string                   `json:"outputDatasetVersions"`
	Facets                map[string]json.RawMessage `json:"facets"`
}

// Runs is a page of runs.
type Runs struct {
	Runs       []Run `json:"runs"`
	TotalCount int   `json:"totalCount"`
}

// Runs lists the runs of a job; the runs that the catalog learned of last come first. It fails with NotFound for an
// unknown job.
func (s *Service) Runs(ctx context.Context, id ID, p Page) (*Runs, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	e, err := s.jobNamed(ctx, id)
	if err != nil {
		return nil, err
	}
	runs, total, err := s.runsOf(ctx, e.urn, p)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		if runs[i].Facets, err = s.facets(ctx, beginningOf(model.EntityDataProcessInstance)+runs[i].ID); err != nil {
			return nil, err
		}
	}
	return &Runs{runs, total}, nil
}

// runNamed finds a run by its id.
func (s *Service) runNamed(ctx context.Context, id string) (model.URN, error) {
	missing := catalog.Errorf(catalog.NotFound, "there is no run %q", id)
	u, err := naming.RunURN(id)
	if err != nil {
		return u, missing
	}
	return u, s.require(ctx, u, missing)
}

// Run returns a run with its facets. It fails with NotFound if there is none.
func (s *Service) Run(ctx context.Context, id string) (*Run, error) {
	u, err := s.runNamed(ctx, id)
	if err != nil {
		return nil, err
	}
	found, err := s.readRuns(ctx, []string{u.String()})
	if err != nil {
		return nil, err
	}
	found[0].Facets, err = s.facets(ctx, u.String())
	return &found[0], err
}

// RunFacets are the facets of a run or of its job.
type RunFacets struct {
	RunID  string                     `json:"runId"`
	Facets map[string]json.RawMessage `json:"facets"`
}

// RunFacets returns the facets of a run, or of its job if ofJob is true. It fails with NotFound if there is no such
// run.
func (s *Service) RunFacets(ctx context.Context, id string, ofJob bool) (*RunFacets, error) {
	u, err := s.runNamed(ctx, id)
	if err != nil {
		return nil, err
	}
	answer, of := &RunFacets{RunID: u.Key(), Facets: map[string]json.RawMessage{}}, u.String()
	if ofJob {
		pages, err := s.edgesOf(ctx, []string{of}, graphstore.Outgoing, graphstore.Page{Count: 1}, model.RelationshipInstanceOf)
		if err != nil {
			return nil, err
		}
		edges := pages[of].Edges
		if len(edges) == 0 || !strings.HasPrefix(edges[0].Destination, beginningOf(model.EntityDataJob)) {
			return answer, nil
		}
		of = edges[0].Destination
	}
	answer.Facets, err = s.facets(ctx, of)
	return answer, err
}

// runEdges reads the edges to the runs of a job, the newest edges first. Of more runs than limits.MarquezRuns,
// it reads those with the greatest ids: the ids of most producers grow with time.
func (s *Service) runEdges(ctx context.Context, job string) (runs []string, total int, err error) {
	page := graphstore.Page{Count: limits.MarquezRuns}
	pages, err := s.edgesOf(ctx, []string{job}, graphstore.Incoming, page, model.RelationshipInstanceOf)
	if err != nil {
		return nil, 0, err
	}
	if of := pages[job]; of.Total > int64(page.Count) {
		page.Start = int(of.Total) - page.Count
		if pages, err = s.edgesOf(ctx, []string{job}, graphstore.Incoming, page, model.RelationshipInstanceOf); err != nil {
			return nil, 0, err
		}
	}
	runs, err = s.newestRuns(ctx, pages[job])
	return runs, int(max(pages[job].Total-int64(len(pages[job].Edges)-len(runs)), 0)), err
}

// sortNewest sorts edges by the moments since which they are known, the latest first.
func sortNewest(edges []graphstore.Edge) {
	slices.SortFunc(edges, func(a, b graphstore.Edge) int {
		return cmp.Or(cmp.Compare(b.Since, a.Since), cmp.Compare(b.Source, a.Source))
	})
}

// newestRuns orders the runs at edges.
func (s *Service) newestRuns(ctx context.Context, page graphstore.EdgePage) ([]string, error) {
	edges := slices.Clone(page.Edges)
	sortNewest(edges)
	var runs []string
	for i := range edges {
		if strings.HasPrefix(edges[i].Source, beginningOf(model.EntityDataProcessInstance)) {
			runs = append(runs, edges[i].Source)
		}
	}
	known, err := s.existing(ctx, runs)
	return slices.DeleteFunc(runs, func(urn string) bool { return !known[urn] }), err
}

// runsOf reads a page of the runs of a job, without facets.
func (s *Service) runsOf(ctx context.Context, job string, p Page) ([]Run, int, error) {
	runs, total, err := s.runEdges(ctx, job)
	if err != nil {
		return nil, 0, err
	}
	found, err := s.readRuns(ctx, pageOf(runs, p))
	return found, total, err
}

// fewRuns is how many runs of a job are read together with the runs of other jobs.
const fewRuns = 100

// latestOf reads the run of each of several jobs that the catalog learned of last.
func (s *Service) latestOf(ctx context.Context, jobs []string) (map[string]*Run, error) {
	pages, err := s.edgesOf(ctx, jobs, graphstore.Incoming, graphstore.Page{Count: fewRuns}, model.RelationshipInstanceOf)
	if err != nil {
		return nil, err
	}
	var few graphstore.EdgePage
	ordered := map[string][]string{}
	for _, job := range jobs {
		if pages[job].Total <= fewRuns {
			few.Edges = append(few.Edges, pages[job].Edges...)
		} else if ordered[job], _, err = s.runEdges(ctx, job); err != nil {
			return nil, err
		}
	}
	all, err := s.newestRuns(ctx, few)
	if err != nil {
		return nil, err
	}
	jobOf := map[string]string{}
	for i := range few.Edges {
		jobOf[few.Edges[i].Source] = few.Edges[i].Destination
	}
	for _, run := range all {
		ordered[jobOf[run]] = append(ordered[jobOf[run]], run)
	}
	var newest []string
	for _, job := range jobs {
		if len(ordered[job]) > 0 {
			newest = append(newest, ordered[job][0])
		}
	}
	values, err := s.readRuns(ctx, newest)
	if err != nil {
		return nil, err
	}
	found := map[string]*Run{}
	for _, job := range jobs {
		if len(ordered[job]) > 0 {
			found[job] = &values[slices.Index(newest, ordered[job][0])]
		}
	}
	return found, nil
}

// Aspects of runs as far as they are read.
type (
	runPropertiesOf struct {
		CustomProperties map[string]string `json:"customProperties"`
		Created          struct {
			Time int64 `json:"time"`
		} `json:"created"`
	}
	runEventOf struct {
		At       int64  `json:"timestampMillis"`
		Status   string `json:"status"`
		Duration *int64 `json:"durationMillis"`
		Result   struct {
			Type       string `json:"type"`
			NativeType string `json:"nativeResultType"`
		} `json:"result"`
	}
)

// runEvents is how many of the latest events of a run are read to find its begin and end.
const runEvents = 20

// readRuns reads runs without facets, in their order.
func (s *Service) readRuns(ctx context.Context, urns []string) ([]Run, error) {
	parsed := make([]model.URN, len(urns))
	for i, urn := range urns {
		parsed[i] = model.StoredURN(urn)
	}
	values, err := s.aspectsOf(ctx, urns, model.AspectDataProcessInstanceKey, model.AspectDataProcessInstanceProperties)
	if err != nil {
		return nil, err
	}
	most := runEvents
	events, err := s.reader.TimeSeriesOf(ctx, parsed, read.TimeSeriesRequest{
		Entity: model.EntityDataProcessInstance, Aspect: model.AspectDataProcessInstanceRunEvent, Limit: &most,
	})
	if err != nil {
		return nil, err
	}
	found := make([]Run, len(urns))
	for i, urn := range urns {
		v := values[urn]
		p := valueIn[runPropertiesOf](v, model.AspectDataProcessInstanceProperties)
		r := Run{
			ID: parsed[i].Key(), CreatedAt: moment(cmp.Or(p.Created.Time, v.created)), State: "NEW",
			NominalStartTime: textOrNil(p.CustomProperties["nominalStartTime"]), NominalEndTime: textOrNil(p.CustomProperties["nominalEndTime"]),
			Args: map[string]string{}, InputDatasetVersions: []string{}, OutputDatasetVersions: []string{}, Facets: map[string]json.RawMessage{},
		}
		r.UpdatedAt = r.CreatedAt
		r.tell(events[urn])
		found[i] = r
	}
	return found, nil
}

// tell adds the facts from the events of a run, the newest first.
func (r *Run) tell(events []json.RawMessage) {
	var begun, ended int64
	for i, text := range events {
		var e runEventOf
		_ = json.Unmarshal(text, &e) // stored values have been checked against the model
		if i == 0 {
			r.UpdatedAt, r.State = moment(e.At), stateAfter(e)
			if e.Status == "COMPLETE" {
				ended, r.DurationMs = e.At, e.Duration
			}
		}
		if e.Status == "STARTED" {
			begun = e.At
		}
	}
	if begun == 0 && ended != 0 && r.DurationMs != nil {
		begun = ended - *r.DurationMs
	}
	r.StartedAt, r.EndedAt = moment(begun), moment(ended)
	if r.DurationMs == nil && begun != 0 && ended != 0 {
		took := ended - begun
		r.DurationMs = &took
	}
}

// stateAfter is the state of a run after an event.
func stateAfter(e runEventOf) string {
	switch {
	case e.Status != "COMPLETE":
		return "RUNNING"
	case strings.EqualFold(e.Result.NativeType, "ABORT") || e.Result.Type == "SKIPPED":
		return "ABORTED"
	case e.Result.Type == "SUCCESS" || e.Result.Type == "":
		return "COMPLETED"
	default:
		return "FAILED"
	}
}

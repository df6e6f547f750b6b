package marquez

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Job is a job.
type Job struct {
	ID   ID     `json:"id"`
	Type string `json:"type"`
	Name string `json:"name"`
	// SimpleName is the name that the page of the catalog shows.
	SimpleName    string  `json:"simpleName"`
	ParentJobName *string `json:"parentJobName"`
	ParentJobUUID *string `json:"parentJobUuid"`
	// CreatedAt and UpdatedAt are when the first and the last of the present values was written.
	CreatedAt   *string `json:"createdAt"`
	UpdatedAt   *string `json:"updatedAt"`
	Namespace   string  `json:"namespace"`
	Inputs      []ID    `json:"inputs"`
	Outputs     []ID    `json:"outputs"`
	Location    *string `json:"location"`
	Description *string `json:"description"`
	LatestRun   *Run    `json:"latestRun"`
	// LatestRuns are up to ten runs, only in the answer about one job.
	LatestRuns []Run                      `json:"latestRuns"`
	Facets     map[string]json.RawMessage `json:"facets"`
	// CurrentVersion is always null: versions of jobs are not kept.
	CurrentVersion *string  `json:"currentVersion"`
	Tags           []string `json:"tags"`
	Labels         []string `json:"labels"`
}

// Jobs is a page of jobs.
type Jobs struct {
	Jobs       []Job `json:"jobs"`
	TotalCount int   `json:"totalCount"`
}

// AllJobs lists the jobs of all namespaces, by namespace and name.
func (s *Service) AllJobs(ctx context.Context, p Page) (*Jobs, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	all, err := s.entries(ctx, model.EntityDataJob, "")
	if err != nil {
		return nil, err
	}
	return s.jobsPage(ctx, all, p)
}

// Jobs lists the jobs of a namespace by name. It fails with NotFound for an unknown namespace.
func (s *Service) Jobs(ctx context.Context, namespace string, p Page) (*Jobs, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	all, err := s.jobsOf(ctx, namespace)
	if err != nil {
		return nil, err
	}
	if err := s.requireNamespace(ctx, namespace, len(all)); err != nil {
		return nil, err
	}
	return s.jobsPage(ctx, all, p)
}

func (s *Service) jobsPage(ctx context.Context, all []entry, p Page) (*Jobs, error) {
	page := pageOf(all, p)
	found, err := s.readJobs(ctx, page)
	if err != nil {
		return nil, err
	}
	for i, e := range page {
		if found[i].Facets, err = s.facets(ctx, e.urn); err != nil {
			return nil, err
		}
	}
	return &Jobs{found, len(all)}, nil
}

// jobNamed finds a job by its name: as events name it, or else as lists do. It fails with NotFound if there is none
// that the caller may see.
func (s *Service) jobNamed(ctx context.Context, id ID) (entry, error) {
	missing := catalog.Errorf(catalog.NotFound, "there is no job %q in the namespace %q", id.Name, id.Namespace)
	u, err := s.states.JobURN(ctx, naming.JobName(id))
	if err != nil {
		return entry{}, err
	}
	if !u.IsZero() {
		return entry{u.String(), id}, s.require(ctx, u, missing)
	}
	all, err := s.jobsOf(ctx, id.Namespace)
	if err != nil {
		return entry{}, err
	}
	for _, e := range all {
		if e.id == id {
			return e, nil
		}
	}
	return entry{}, missing
}

// latestRuns is how many runs the answer about one job has.
const latestRuns = 10

// Job returns a job with its facets and latest runs. It fails with NotFound if there is none.
func (s *Service) Job(ctx context.Context, id ID) (*Job, error) {
	e, err := s.jobNamed(ctx, id)
	if err != nil {
		return nil, err
	}
	found, err := s.readJobs(ctx, []entry{e})
	if err != nil {
		return nil, err
	}
	j := &found[0]
	if j.Facets, err = s.facets(ctx, e.urn); err != nil {
		return nil, err
	}
	runs, _, err := s.runsOf(ctx, e.urn, Page{Limit: latestRuns})
	j.LatestRuns = runs
	return j, err
}

// jobInfoOf is the aspect dataJobInfo as far as it is read.
type jobInfoOf struct {
	Name             string            `json:"name"`
	Description      string            `json:"description"`
	ExternalURL      string            `json:"externalUrl"`
	CustomProperties map[string]string `json:"customProperties"`
}

// readJobs reads jobs without facets, in their order.
func (s *Service) readJobs(ctx context.Context, of []entry) ([]Job, error) {
	urns := urnsOf(of)
	values, err := s.aspectsOf(ctx, urns, model.AspectDataJobKey, model.AspectDataJobInfo, model.AspectDataJobInputOutput, model.AspectEditableDataJobProperties, model.AspectGlobalTags)
	if err != nil {
		return nil, err
	}
	inputs, err := s.datasetsAt(ctx, urns, model.RelationshipConsumes)
	if err != nil {
		return nil, err
	}
	outputs, err := s.datasetsAt(ctx, urns, model.RelationshipProduces)
	if err != nil {
		return nil, err
	}
	latest, err := s.latestOf(ctx, urns)
	if err != nil {
		return nil, err
	}
	found := make([]Job, len(of))
	for i, e := range of {
		v := values[e.urn]
		info := valueIn[jobInfoOf](v, model.AspectDataJobInfo)
		kind := "BATCH"
		if strings.EqualFold(info.CustomProperties["processingType"], "STREAMING") {
			kind = "STREAM"
		}
		found[i] = Job{
			ID: e.id, Type: kind, Name: e.id.Name, SimpleName: cmp.Or(info.Name, e.id.Name), CreatedAt: moment(v.created), UpdatedAt: moment(v.ended),
			Namespace: e.id.Namespace, Inputs: inputs.ids(e.urn), Outputs: outputs.ids(e.urn), Location: textOrNil(info.ExternalURL),
			Description: textOrNil(cmp.Or(valueIn[describedOf](v, model.AspectEditableDataJobProperties).Description, info.Description)),
			LatestRun:   latest[e.urn], LatestRuns: []Run{}, Facets: map[string]json.RawMessage{}, Tags: valueIn[tagsOf](v, model.AspectGlobalTags).names(), Labels: []string{},
		}
	}
	return found, nil
}

// ends are the datasets at the other ends of edges, by the entity from which they were read.
type ends map[string][]entry

func (e ends) ids(urn string) []ID {
	found := []ID{}
	for _, of := range e[urn] {
		found = append(found, of.id)
	}
	return found
}

// datasetsAt reads the datasets that jobs read or write. Datasets without a name, and removed datasets, are
// left out.
func (s *Service) datasetsAt(ctx context.Context, jobs []string, relationship string) (ends, error) {
	pages, err := s.edgesOf(ctx, jobs, graphstore.Outgoing, graphstore.Page{Count: limits.OpenLineageJobDatasets}, relationship)
	if err != nil {
		return nil, err
	}
	return s.endsOf(ctx, pages, graphstore.Outgoing, isDataset)
}

// endsOf names the entities at the other ends of edges.
func (s *Service) endsOf(ctx context.Context, pages map[string]graphstore.EdgePage, direction graphstore.Direction, wanted func(urn string) bool) (ends, error) {
	var urns []string
	seen := map[string]bool{}
	for _, page := range pages {
		for i := range page.Edges {
			if urn := page.Edges[i].OtherEnd(direction); wanted(urn) && !seen[urn] {
				seen[urn] = true
				urns = append(urns, urn)
			}
		}
	}
	known, err := s.existing(ctx, urns)
	if err != nil {
		return nil, err
	}
	names, err := s.named(ctx, urns)
	if err != nil {
		return nil, err
	}
	found := ends{}
	for urn, page := range pages {
		for i := range page.Edges {
			other := page.Edges[i].OtherEnd(direction)
			if id, ok := names[other]; ok && known[other] {
				found[urn] = append(found[urn], entry{other, id})
			}
		}
	}
	return found, nil
}

package lineage

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/model"
)

// passedJobs are the jobs that state the lineage between the columns of a walk.
type passedJobs struct {
	// reached has each job once, ordered by degree and URN. The degree of a job is that of
	// the nearest column behind it.
	reached []Reached
	// before are, for each job, the nearest columns before the job, as many as there are paths.
	before map[string][]string
}

// jobsPassed lists the jobs that a walk between columns passes. A walk between assets
// reaches jobs itself.
func (s *Service) jobsPassed(ctx context.Context, walk *Walk) (*passedJobs, error) {
	jobs := &passedJobs{before: map[string][]string{}}
	if !walk.Query.Columns || len(walk.Reached) == 0 {
		return jobs, nil
	}
	links, err := s.edgesStatedBy(ctx, walk, model.EntityDataJob)
	if err != nil {
		return nil, err
	}
	degrees := map[string]int{}
	for i := range links {
		near := links[i].nearEnd(walk.Query.Direction)
		degree := walk.degrees[near] + 1
		for _, job := range links[i].jobs() {
			switch known := degrees[job]; {
			case known == 0 || degree < known:
				degrees[job], jobs.before[job] = degree, []string{near}
			case degree == known && !slices.Contains(jobs.before[job], near):
				jobs.before[job] = append(jobs.before[job], near)
			}
		}
	}
	for job, degree := range degrees {
		slices.Sort(jobs.before[job])
		jobs.before[job] = jobs.before[job][:min(len(jobs.before[job]), maxPathsFound)]
		jobs.reached = append(jobs.reached, Reached{URN: job, Type: model.EntityDataJob, Degree: degree, Exists: true})
	}
	slices.SortFunc(jobs.reached, compareReached)
	return jobs, nil
}

// with returns what a walk reached together with the jobs that it passes, in the order of a
// walk.
func (p *passedJobs) with(reached []Reached) []Reached {
	if len(p.reached) == 0 {
		return reached
	}
	all := slices.Concat(reached, p.reached)
	slices.SortStableFunc(all, compareReached)
	return all
}

// compareReached orders by degree and URN.
func compareReached(a, b Reached) int {
	return cmp.Or(cmp.Compare(a.Degree, b.Degree), cmp.Compare(a.URN, b.URN))
}

// nearEnd returns the end of an edge that is nearer to the start of a walk in a direction.
func (e *Link) nearEnd(direction string) string {
	if direction == Downstream {
		return e.Upstream
	}
	return e.Downstream
}

// jobs are the jobs that state an edge between columns, none for other edges.
func (e *Link) jobs() []string {
	var jobs []string
	if model.StoredURN(e.Upstream).EntityType() != model.EntitySchemaField || model.StoredURN(e.Downstream).EntityType() != model.EntitySchemaField {
		return nil
	}
	for _, owner := range e.StatedBy {
		if model.StoredURN(owner).EntityType() == model.EntityDataJob {
			jobs = append(jobs, owner)
		}
	}
	return jobs
}

// through is the query of an edge, else the first job that states an edge between columns, ""
// if there is neither.
func (e *Link) through() string {
	if e.Query != "" {
		return e.Query
	}
	if jobs := e.jobs(); len(jobs) > 0 {
		return slices.Min(jobs)
	}
	return ""
}

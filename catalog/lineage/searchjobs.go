package lineage

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/model"
)

// passedJobs are the jobs that state the lineage between the columns of a walk.
type passedJobs struct {
	// reached lists each job once, ordered by degree and URN. The degree of a job is the degree of
	// the nearest column behind it.
	reached []Reached
	// before has, for each job, the nearest columns before it: at most maxPathsFound.
	before map[string][]string
}

// jobsPassed lists the jobs that a walk between columns passes. jobsPassed returns no job for a
// walk between assets, because such a walk reaches jobs itself.
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

// with returns the entities that a walk reached and the jobs that it passed, in the order of a
// walk.
func (p *passedJobs) with(reached []Reached) []Reached {
	if len(p.reached) == 0 {
		return reached
	}
	all := slices.Concat(reached, p.reached)
	slices.SortStableFunc(all, compareReached)
	return all
}

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

// jobs returns the jobs that state an edge between columns. Other edges have none.
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

// through returns the query of an edge, or else the first job that states an edge between
// columns, or "".
func (e *Link) through() string {
	if e.Query != "" {
		return e.Query
	}
	if jobs := e.jobs(); len(jobs) > 0 {
		return slices.Min(jobs)
	}
	return ""
}

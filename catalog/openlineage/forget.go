package openlineage

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/turns"
	"github.com/headwater-io/headwater/model"
)

// Forget is called when an entity was deleted completely. The events' facts about the entity are deleted too, so that
// later events make a new entity. Jobs forget that they have read or written a dataset, and so does the run that
// stated the dataset last.
func (s *Service) Forget(ctx context.Context, urn model.URN, _ catalog.WriteOptions) error {
	origins := key("", urn.String())
	switch urn.EntityType() {
	case model.EntityDataProcessInstance:
		if err := s.uncount(ctx, urn.Key()); err != nil {
			return err
		}
		if err := s.forgetOne(ctx, s.toldRecords.Forget, s.memory.told.forget, "run/", urn.Key()); err != nil {
			return err
		}
		return s.forgetOne(ctx, s.runRecords.Forget, s.memory.runs.forget, "run/", urn.Key())
	case model.EntityDataFlow:
		return s.forgetOne(ctx, s.flowRecords.Forget, s.memory.flows.forget, "flow/", origins)
	case model.EntityDataJob:
		from, known, err := s.originRecords.Get(ctx, origins)
		if err != nil || !known || from.Value.Job == nil {
			return err
		}
		if err := s.forgetOne(ctx, s.jobRecords.Forget, s.memory.jobs.forget, "job/", keyOfJob(*from.Value.Job)); err != nil {
			return err
		}
	case model.EntityDataset:
		if err := s.forgetDataset(ctx, origins); err != nil {
			return err
		}
	default:
		return nil
	}
	return s.forgetOne(ctx, s.originRecords.Forget, s.memory.urns.forget, "origin/", origins)
}

// uncount removes a run from the counts of the assertions that it states.
func (s *Service) uncount(ctx context.Context, run string) error {
	return s.change(ctx, &names{runs: []string{run}}, func(w *work) error {
		if known, err := w.runs.load(ctx, run); err != nil || len(known.value.Asserts) == 0 {
			return err
		}
		r, err := w.runs.touch(ctx, run)
		if err != nil {
			return err
		}
		return w.countAssertions(r, nil)
	})
}

// forgetOne deletes a state while no event changes it.
func (s *Service) forgetOne(ctx context.Context, stored func(context.Context, string) error, kept func(string), turn, name string) error {
	end, err := s.turns.Take(ctx, turns.Alone, turn+name)
	if err != nil {
		return catalog.StoreFailure(graphstore.ErrBusy)
	}
	defer end()
	err = stored(ctx, name)
	kept(name)
	return err
}

// forgetDataset deletes the states of all names of a dataset.
func (s *Service) forgetDataset(ctx context.Context, origins string) error {
	from, known, err := s.originRecords.Get(ctx, origins)
	if err != nil || !known {
		return err
	}
	names := sortedNames(from.Value.Names)
	if from.Value.Dataset != nil {
		names = append(names, *from.Value.Dataset)
	}
	jobs, forgotten := map[string]naming.JobName{}, map[string]bool{}
	for len(names) > 0 {
		name := keyOf(names[0])
		names = names[1:]
		if forgotten[name] {
			continue
		}
		forgotten[name] = true
		state, exists, err := s.datasetRecords.Get(ctx, name)
		if err != nil {
			return err
		}
		if exists {
			names = append(names, sortedNames(state.Value.Names)...)
			for k, job := range state.Value.Jobs {
				jobs[k] = job
			}
		}
	}
	for _, job := range sorted(jobs) {
		if err := s.forgetUse(ctx, job, forgotten); err != nil {
			return err
		}
	}
	for name := range forgotten {
		if err := s.forgetOne(ctx, s.datasetRecords.Forget, s.memory.datasets.forget, "dataset/", name); err != nil {
			return err
		}
	}
	return nil
}

// forgetUse lets a job forget datasets, and the runs that have stated them last.
func (s *Service) forgetUse(ctx context.Context, job naming.JobName, datasets map[string]bool) error {
	runs := map[string]bool{}
	err := s.change(ctx, jobNamed(job), func(w *work) error {
		if known, err := w.jobs.load(ctx, keyOfJob(job)); err != nil || known.before == nil {
			return err
		}
		j, err := w.jobs.touch(ctx, keyOfJob(job))
		if err != nil {
			return err
		}
		for _, side := range []map[string]*jobDataset{j.Inputs, j.Outputs} {
			for name := range datasets {
				if d := side[name]; d != nil {
					runs[d.Run] = true
					delete(side, name)
				}
			}
		}
		return j.undeclare(datasets)
	})
	if err != nil {
		return err
	}
	delete(runs, "")
	for id := range runs {
		if err := s.change(ctx, &names{runs: []string{id}}, func(w *work) error {
			if known, err := w.runs.load(ctx, id); err != nil || known.before == nil {
				return err
			}
			r, err := w.runs.touch(ctx, id)
			for name := range datasets {
				delete(r.Inputs, name)
				delete(r.Outputs, name)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// undeclare removes datasets from the declaration of a job.
func (j *job) undeclare(datasets map[string]bool) error {
	if j.Declared == nil {
		return nil
	}
	d := read[declaration](j.Declared.Value)
	gone := func(one naming.Dataset) bool { return datasets[keyOf(one)] }
	d.Inputs, d.Outputs = slices.DeleteFunc(d.Inputs, gone), slices.DeleteFunc(d.Outputs, gone)
	for name := range datasets {
		delete(d.Columns, name)
	}
	text, err := json.Marshal(&d)
	if err != nil {
		return err
	}
	declared := *j.Declared
	declared.Value = text
	j.Declared = &declared
	return nil
}

// change changes states, and writes nothing that follows from them.
func (s *Service) change(ctx context.Context, n *names, change func(*work) error) error {
	end, err := s.turns.Take(ctx, turns.Alone, n.turns()...)
	if err != nil {
		return catalog.StoreFailure(graphstore.ErrBusy)
	}
	defer end()
	for range rounds {
		w := s.newWork(ctx)
		if err := w.load(n); err != nil {
			return err
		}
		if err := change(w); err != nil {
			return err
		}
		if err := w.storeStates(); !errors.Is(err, records.ErrChanged) {
			return err
		}
	}
	return catalog.Errorf(catalog.Busy, "others keep changing the same run or job; try again")
}

func jobNamed(name naming.JobName) *names { return &names{jobs: []string{keyOfJob(name)}} }

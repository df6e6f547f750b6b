package ingestion

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Ended is a run of a source that has ended. Started and At are when it began and ended, epoch milliseconds; a run
// that no executor had taken began when it was asked for.
type Ended struct {
	Run     string `json:"run"`
	Status  string `json:"status"`
	Started int64  `json:"started"`
	At      int64  `json:"at"`
}

// Failing are the runs of a source since its last good one, none of which was good. Runs counts them.
type Failing struct {
	First Ended `json:"first"`
	Last  Ended `json:"last"`
	Runs  int   `json:"runs"`
}

// History is how the runs of a source have ended. It is kept when a run ends, so that reading it does not depend on
// how many runs there are.
type History struct {
	// Good are the newest runs that have ended well, the newest first, at most limits.IngestionHistory.
	Good []Ended `json:"good,omitempty"`
	// Failing is nil if the newest run that has ended is a good one.
	Failing *Failing `json:"failing,omitempty"`
}

// add notes a run that has ended. It changes nothing if the run is noted already, or if it is older than all runs that the history still shows.
func (h *History) add(e Ended) {
	good, known := model.ExecutionEnded(e.Status)
	switch {
	case !known:
	case good:
		h.addGood(e)
	case len(h.Good) > 0 && e.Started < h.Good[0].Started:
	case h.Failing == nil:
		h.Failing = &Failing{First: e, Last: e, Runs: 1}
	case e.Run != h.Failing.Last.Run && e.Started >= h.Failing.Last.Started:
		h.Failing.Last = e
		h.Failing.Runs++
	}
}

func (h *History) addGood(e Ended) {
	if slices.ContainsFunc(h.Good, func(known Ended) bool { return known.Run == e.Run }) {
		return
	}
	h.Good = append(h.Good, e)
	slices.SortStableFunc(h.Good, func(a, b Ended) int { return cmp.Compare(b.Started, a.Started) })
	h.Good = h.Good[:min(len(h.Good), limits.IngestionHistory)]
	if h.Failing != nil && h.Failing.Last.Started <= e.Started {
		h.Failing = nil
	}
}

// remove forgets a run that was rolled back: nothing of its work is there any more.
func (h *History) remove(run string) {
	h.Good = slices.DeleteFunc(h.Good, func(e Ended) bool { return e.Run == run })
	if f := h.Failing; f != nil && f.Runs == 1 && f.Last.Run == run {
		h.Failing = nil
	}
}

// note keeps how a run of a source has ended. Tests of connections say nothing of a source.
func (s *Service) note(ctx context.Context, r *run, e Ended) error {
	if r.Source == "" || r.Task != TaskIngest {
		return nil
	}
	_, err := s.histories.Update(ctx, r.Source, func(h *History) error {
		h.add(e)
		return nil
	})
	return err
}

// ended returns how a run ends now.
func (s *Service) ended(r *run, status string) Ended {
	return Ended{Run: r.URN, Status: status, Started: cmp.Or(r.Started, r.Asked), At: s.Now().UnixMilli()}
}

// noteResult keeps how a run has ended by its result, which another server or another executor has written.
func (s *Service) noteResult(ctx context.Context, r *run, result *graphstore.Aspect) error {
	e, told := endedBy(r, result)
	if !told {
		return nil
	}
	return s.note(ctx, r, e)
}

// endedBy returns how a run has ended by its result. The result of another program may not tell the times.
func endedBy(r *run, result *graphstore.Aspect) (e Ended, told bool) {
	if result == nil {
		return e, false
	}
	var stated struct {
		Started  int64 `json:"startTimeMs"`
		Duration int64 `json:"durationMs"`
	}
	if err := json.Unmarshal(result.Value, &stated); err != nil {
		return e, false
	}
	e = Ended{Run: r.URN, Status: statusOf(result), Started: cmp.Or(stated.Started, r.Started, r.Asked)}
	e.At = max(e.Started+stated.Duration, e.Started)
	return e, true
}

// forgetEnded deletes the record of a run that has ended, and adds the end to the history of its source.
func (s *Service) forgetEnded(ctx context.Context, r *records.Record[run], result *graphstore.Aspect) error {
	if err := s.noteResult(ctx, &r.Value, result); err != nil {
		return err
	}
	return s.runs.Delete(ctx, r.Name, r.Revision)
}

// GoodEnd is the ingestion source of a run that has ended well. Runs are its newest good runs, that run among them.
type GoodEnd struct {
	Source, Pipeline string
	Runs             []Ended
}

// GoodEnd returns the source of a run that has ended well, nil if the run has not, if it has no source, or if the source
// is deleted.
func (s *Service) GoodEnd(ctx context.Context, request string) (*GoodEnd, error) {
	stored, err := latest(ctx, s.Store, request, model.AspectDataHubExecutionRequestInput, model.AspectDataHubExecutionRequestResult)
	if err != nil {
		return nil, err
	}
	input, result := stored[model.AspectDataHubExecutionRequestInput], stored[model.AspectDataHubExecutionRequestResult]
	if good, _ := model.ExecutionEnded(statusOf(result)); !good || input == nil {
		return nil, nil
	}
	asked, err := decodeRequest(input)
	if err != nil || asked.Task != TaskIngest || asked.Source.IngestionSource == "" {
		return nil, err
	}
	found := &GoodEnd{Source: asked.Source.IngestionSource}
	of, err := infoOf(ctx, s.Store, found.Source)
	if err != nil || of == nil {
		return nil, err
	}
	found.Pipeline = pipelineOf(of.Config.Recipe, found.Source)
	histories, err := s.Histories(ctx, []string{found.Source})
	if err != nil {
		return nil, err
	}
	h := histories[found.Source]
	if e, told := endedBy(&run{URN: request, Asked: asked.RequestedAt}, result); told { // its result is written before its history
		h.addGood(e)
	}
	found.Runs = h.Good
	return found, nil
}

// Written returns the entities that a pipeline has written and that are not removed, and whether there are more.
func (s *Service) Written(ctx context.Context, pipeline string) ([]Written, bool, error) {
	return s.WrittenBy(ctx, pipeline)
}

// Histories returns how the runs of sources have ended. Sources without a run that has ended are left out.
func (s *Service) Histories(ctx context.Context, sources []string) (map[string]History, error) {
	return byNames(ctx, s.histories, sources)
}

// RolledBack forgets a run that was rolled back, by its run ID.
func (s *Service) RolledBack(ctx context.Context, runID string) error {
	for _, urn := range model.RequestsOfRun(s.Registry, runID) {
		stored, err := latest(ctx, s.Store, urn, model.AspectDataHubExecutionRequestInput)
		if err != nil {
			return err
		}
		input := stored[model.AspectDataHubExecutionRequestInput]
		if input == nil {
			continue
		}
		asked, err := decodeRequest(input)
		if err != nil {
			return err
		}
		source := asked.Source.IngestionSource
		if _, exists, err := s.histories.Get(ctx, source); err != nil || !exists {
			return err
		}
		if _, err := s.histories.Update(ctx, source, func(h *History) error {
			h.remove(urn)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// ProblemOf returns why a source cannot run, as a sentence, "" if it can. Sources that are written as aspects, and
// not by this room, are stored whatever they say.
func ProblemOf(recipe string, schedule *Schedule) string {
	_, err := readRecipe(recipe)
	if err == nil && schedule != nil {
		_, err = schedule.parse()
	}
	if err == nil {
		return ""
	}
	text := catalog.MessageOf(err)
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

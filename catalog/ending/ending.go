// Package ending ends the lineage that sources do not state any more: after so many good runs of an ingestion source that
// have not stated an aspect again, the lineage in the aspect is removed from it, by an ordinary write. The ID
// of its run names the run that last saw the lineage; rolling it back restores the lineage.
//
// The package is a follower of the change log (package delivery): it looks at a source when a good run of it has ended,
// so that nothing of a source ends that does not run any more.
package ending

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Follower is the name of the ending among the followers of the change log.
const Follower = "lineage-ending"

// mostEnded is how many percent of a source's statements may end at once. Stale entities have the same guard
// (stateful_ingestion.fail_safe_threshold).
const mostEnded = 75

// Sources notes ended runs at their sources.
type Sources interface {
	GoodEnd(ctx context.Context, request string) (*ingestion.GoodEnd, error)
	Written(ctx context.Context, pipeline string) ([]ingestion.Written, bool, error)
}

// Lineage knows the lineage that sources state.
type Lineage interface {
	StatedBySource(ctx context.Context, source string, runs []lineage.GoodRun, urns []string) ([]lineage.SourceStatement, error)
	WithoutLineage(aspect string, value catalog.Tree) int
}

// Writer writes the aspects without their lineage.
type Writer interface {
	EditWith(ctx context.Context, edits []write.Edit, properties map[string]string, o catalog.WriteOptions) error
}

// Followers runs and removes followers of the change log.
type Followers interface {
	Run(ctx context.Context, w delivery.Worker) error
	Forget(ctx context.Context, name string) error
}

// Options configure a Service. All are required.
type Options struct {
	Registry  *model.Registry
	Sources   Sources
	Lineage   Lineage
	Writer    Writer
	Followers Followers
	Logger    *slog.Logger
}

// Service ends lineage. It is safe for concurrent use.
type Service struct{ Options }

// New makes a Service.
func New(o Options) *Service { return &Service{o} }

// Run ends lineage that so many good runs of its source have not stated again, until the context ends.
func (s *Service) Run(ctx context.Context, after int) error {
	return s.Followers.Run(ctx, delivery.Worker{
		Name: Follower, Start: delivery.Now,
		Wants: func(_ context.Context, heads []catalog.ChangeHead) (bool, error) {
			return slices.ContainsFunc(heads, func(h catalog.ChangeHead) bool { return h.Aspect == model.AspectDataHubExecutionRequestResult }), nil
		},
		Deliver: func(ctx context.Context, changes []catalog.Change) error {
			var requests []string
			for i := range changes {
				if c := &changes[i]; c.Aspect == model.AspectDataHubExecutionRequestResult && !slices.Contains(requests, c.URN) {
					requests = append(requests, c.URN)
				}
			}
			return s.look(ctx, requests, after)
		},
	})
}

// Forget ends the following of the change log, so that the log need not be kept for it.
func (s *Service) Forget(ctx context.Context) error { return s.Followers.Forget(ctx, Follower) }

// look looks at the sources of runs that have ended well. An error comes from the store; the caller then tries the
// same runs again.
func (s *Service) look(ctx context.Context, requests []string, after int) error {
	newest := map[string]*ingestion.GoodEnd{}
	for _, request := range requests {
		good, err := s.Sources.GoodEnd(ctx, request)
		if err != nil {
			if catalog.CodeOf(err).Transient() {
				return err
			}
			s.Logger.WarnContext(ctx, "it is not known what a run of an ingestion source means for lineage", "run", request, "reason", err)
		}
		if good != nil {
			newest[good.Source] = good
		}
	}
	for _, good := range newest {
		if err := s.source(write.OwnWork(ctx), good, after); err != nil {
			return err
		}
	}
	return nil
}

// source ends the lineage that a source does not state any more.
func (s *Service) source(ctx context.Context, good *ingestion.GoodEnd, after int) error {
	if len(good.Runs) < after {
		return nil
	}
	written, _, err := s.Sources.Written(ctx, good.Pipeline)
	if err != nil {
		return err
	}
	urns := make([]string, len(written))
	for i := range written {
		urns[i] = written[i].URN
	}
	runs := make([]lineage.GoodRun, len(good.Runs))
	for i, r := range good.Runs {
		runs[i] = lineage.GoodRun{Run: r.Run, Started: r.Started, Ended: r.At}
	}
	// Most runs state everything again, so that nothing is decoded.
	stated, err := s.Lineage.StatedBySource(ctx, good.Source, runs, urns)
	if err != nil || !slices.ContainsFunc(stated, func(one lineage.SourceStatement) bool { return one.Unseen.Runs >= after }) {
		return err
	}
	var gone []lineage.SourceStatement
	all := 0
	for i := range stated {
		value, err := jsontree.DecodeObject(stated[i].Value)
		if err != nil || s.Lineage.WithoutLineage(stated[i].Aspect, value) == 0 {
			continue // it states no lineage
		}
		if all++; stated[i].Unseen.Runs >= after {
			gone = append(gone, stated[i])
		}
	}
	if len(gone)*100 > all*mostEnded {
		s.Logger.WarnContext(ctx, "lineage that a source does not state any more goes on, because it is too much of what the source has stated",
			"source", good.Source, "unseen", len(gone), "stated", all, "percent", mostEnded)
		return nil
	}
	ended := 0
	for i := range gone {
		switch err := s.end(ctx, &gone[i], after); {
		case err == nil:
			ended++
		case ctx.Err() != nil:
			return ctx.Err()
		case catalog.CodeOf(err).Transient():
			return err
		case !errors.Is(err, errStated):
			s.Logger.WarnContext(ctx, "lineage that a source does not state any more could not be ended", "urn", gone[i].URN, "aspect", gone[i].Aspect, "reason", err)
		}
	}
	if ended > 0 {
		s.Logger.InfoContext(ctx, "lineage that a source does not state any more was ended", "source", good.Source, "aspects", ended)
	}
	return nil
}

// errStated: the aspect was written meanwhile.
var errStated = errors.New("the lineage is stated again")

// end writes an aspect without its lineage, unless it has another value meanwhile. A source that states the same value
// at this very moment loses it until its next run.
func (s *Service) end(ctx context.Context, one *lineage.SourceStatement, after int) error {
	return s.Writer.EditWith(ctx, []write.Edit{{
		URN: model.StoredURN(one.URN), Aspect: one.Aspect, RunID: lineage.EndingRun(one.Unseen),
		Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			before, err := jsontree.DecodeObject(one.Value)
			if err != nil {
				return err
			}
			if !same(before, value) {
				return errStated
			}
			s.Lineage.WithoutLineage(one.Aspect, value)
			return nil
		},
	}}, map[string]string{"appSource": Follower, "unseenRuns": strconv.Itoa(one.Unseen.Runs), "endedAfter": strconv.Itoa(after)}, catalog.WriteOptions{})
}

// same reports whether two values are equal as JSON.
func same(a, b catalog.Tree) bool {
	x, err := json.Marshal(a)
	y, failure := json.Marshal(b)
	return err == nil && failure == nil && bytes.Equal(x, y)
}

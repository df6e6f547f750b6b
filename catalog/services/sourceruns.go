package services

import (
	"context"

	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/model"
)

// sourceRuns returns how the runs of ingestion sources have ended, as lineage asks for it.
func sourceRuns(ctx context.Context, from *ingestion.Service, sources []string) (map[string]lineage.SourceRuns, error) {
	histories, err := from.Histories(ctx, sources)
	if err != nil {
		return nil, err
	}
	found := make(map[string]lineage.SourceRuns, len(histories))
	for source, h := range histories {
		runs := lineage.SourceRuns{}
		for _, good := range h.Good {
			runs.Good = append(runs.Good, lineage.GoodRun{Run: good.Run, Started: good.Started, Ended: good.At})
		}
		if f := h.Failing; f != nil {
			runs.Failing = &lineage.FailedRun{Run: model.StoredURN(f.First.Run).Key(), Status: f.First.Status, At: f.First.Started, Runs: f.Runs, LastAt: f.Last.Started}
		}
		found[source] = runs
	}
	return found, nil
}

// writtenBy returns the entities that a pipeline has written, as the ingestion sources ask for it.
func writtenBy(ctx context.Context, from *removal.Service, pipeline string) ([]ingestion.Written, bool, error) {
	found, partial, err := from.EntitiesOfPipeline(ctx, pipeline)
	written := make([]ingestion.Written, len(found))
	for i, e := range found {
		written[i] = ingestion.Written(e)
	}
	return written, partial, err
}

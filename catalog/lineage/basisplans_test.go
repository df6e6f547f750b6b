package lineage

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// TestPlanSources: ingestion sources with a schedule have their next run; other sources are not asked about.
func TestPlanSources(t *testing.T) {
	var asked []string
	s := &Service{nextRuns: func(_ context.Context, sources []string) (map[string]int64, error) {
		asked = sources
		return map[string]int64{"urn:li:dataHubIngestionSource:nightly": 7}, nil
	}}
	sources := []BasisSource{{Source: "urn:li:dataHubIngestionSource:nightly"}, {Pipeline: "p"}, {Source: "urn:li:dataHubIngestionSource:byhand"}}
	if err := s.planSources(t.Context(), sources); err != nil || sources[0].NextRun != 7 || sources[1].NextRun != 0 || sources[2].NextRun != 0 {
		t.Errorf("%+v, %v", sources, err)
	}
	if want := []string{"urn:li:dataHubIngestionSource:nightly", "urn:li:dataHubIngestionSource:byhand"}; !slices.Equal(asked, want) {
		t.Errorf("asked about %v", asked)
	}
	s.nextRuns = func(context.Context, []string) (map[string]int64, error) { return nil, errors.New("away") }
	if err := s.planSources(t.Context(), sources); err == nil {
		t.Error("the store is away, and the answer says nothing of it")
	}
}

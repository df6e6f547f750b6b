package mcp

import (
	"context"

	"github.com/headwater-io/headwater/catalog/quality"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Quality says whether the data of an entity is fresh and whether its checks pass.
type Quality struct {
	Updated   string   `json:"updated,omitempty" jsonschema:"when the data last changed, as reported"`
	Operation string   `json:"operation,omitempty" jsonschema:"how the data last changed"`
	Profiled  string   `json:"profiled,omitempty" jsonschema:"when the last profile was made"`
	Rows      *int64   `json:"rows,omitempty" jsonschema:"the rows in the last profile"`
	Passed    int      `json:"passed" jsonschema:"assertions, such as dbt tests, whose last result is that they passed"`
	Failed    int      `json:"failed"`
	Errors    int      `json:"errors" jsonschema:"assertions that could not be evaluated"`
	Never     int      `json:"never" jsonschema:"assertions without any result"`
	Checks    []Check  `json:"checks,omitempty" jsonschema:"the assertions, the failing ones first"`
	Incidents []string `json:"incidents,omitempty" jsonschema:"the titles of incidents that are not resolved"`
}

// Check is an assertion with its last result.
type Check struct {
	Name   string `json:"name" jsonschema:"what is checked"`
	Result string `json:"result,omitempty" jsonschema:"SUCCESS, FAILURE or ERROR; left out if it never ran"`
	At     string `json:"at,omitempty" jsonschema:"when that was"`
}

// addQuality adds to entities whether their data is fresh and whether their checks pass.
func (h *Handler) addQuality(ctx context.Context, urns []model.URN, details []Detail) (cut bool, err error) {
	states, err := h.catalog.Quality.OfMany(ctx, urns)
	if err != nil {
		return false, err
	}
	for i := range states {
		s := &states[i]
		if s.Updated == nil && s.Profile == nil && len(s.Assertions) == 0 && len(s.Incidents) == 0 {
			continue
		}
		details[i].Quality = qualityOf(s)
		cut = cut || s.Partial || len(s.Assertions) > limits.DefaultAgentItems || len(s.Incidents) > limits.DefaultAgentItems
	}
	return cut, nil
}

func qualityOf(s *quality.State) *Quality {
	q := &Quality{Passed: s.Counts.Passed, Failed: s.Counts.Failed, Errors: s.Counts.Errors, Never: s.Counts.Never}
	if s.Updated != nil {
		q.Updated, q.Operation = shown(s.Updated.Time), s.Updated.Operation
	}
	if s.Profile != nil {
		q.Profiled, q.Rows = shown(s.Profile.Time), s.Profile.Rows
	}
	for _, a := range s.Assertions[:min(len(s.Assertions), limits.DefaultAgentItems)] {
		q.Checks = append(q.Checks, Check{Name: clip(a.Name, limits.MaxAgentListedText), Result: a.Result.Result, At: shown(a.Time)})
	}
	for _, one := range s.Incidents[:min(len(s.Incidents), limits.DefaultAgentItems)] {
		q.Incidents = append(q.Incidents, clip(one.Title, limits.MaxAgentListedText))
	}
	return q
}

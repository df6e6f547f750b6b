package catalog

import "github.com/headwater-io/headwater/model"

// RequestsOfRun returns the URNs that the execution request of a run may have, one in each
// dialect. Not every run id can be part of a URN, and that of a run which an executor started
// may be the URN itself.
func RequestsOfRun(registry *model.Registry, runID string) []string {
	if u, err := registry.ReadURN(runID); err == nil {
		if u.EntityType() == model.EntityDataHubExecutionRequest {
			return []string{u.String()}
		}
		return nil
	}
	var urns []string
	for _, d := range registry.Dialects() {
		if u, err := registry.ReadURN("urn:" + d.Namespace + ":" + model.EntityDataHubExecutionRequest + ":" + runID); err == nil {
			urns = append(urns, u.String())
		}
	}
	return urns
}

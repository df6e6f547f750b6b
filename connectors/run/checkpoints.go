package run

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/model"
)

// Remote reads checkpoints and entities from a server.
type Remote struct{ Client *client.Client }

// Last implements connectors.Checkpoints.
func (r Remote) Last(ctx context.Context, urn, pipeline string) (json.RawMessage, error) {
	question, err := json.Marshal(map[string]any{
		"urn": urn, "entity": model.EntityDataJob, "aspect": model.AspectDatahubIngestionCheckpoint, "limit": 1, "latestValue": true,
		"filter": map[string]any{"or": []any{map[string]any{"and": []any{map[string]any{"field": "pipelineName", "value": pipeline, "condition": "EQUAL"}}}}},
	})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value struct {
			Values []struct {
				Aspect model.GenericContent `json:"aspect"`
			} `json:"values"`
		} `json:"value"`
	}
	if err := r.Client.Post(ctx, client.TimeSeriesPath, question, &answer); err != nil || len(answer.Value.Values) == 0 {
		return nil, err
	}
	return json.RawMessage(answer.Value.Values[0].Aspect.Value), nil
}

// Aspects implements dbt.Stored.
func (r Remote) Aspects(ctx context.Context, urns, names []string) (map[string]map[string]json.RawMessage, error) {
	entities, err := r.Client.Entities(ctx, urns, names)
	if err != nil {
		return nil, err
	}
	found := make(map[string]map[string]json.RawMessage, len(entities))
	for urn, entity := range entities {
		for name, aspect := range entity.Aspects {
			if found[urn] == nil {
				found[urn] = map[string]json.RawMessage{}
			}
			found[urn][name] = aspect.Value
		}
	}
	return found, nil
}

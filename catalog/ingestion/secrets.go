package ingestion

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/variables"
	"github.com/headwater-io/headwater/model"
)

// SecretsOf returns the secrets that the recipe of a run names, to the executor that has the run. Names that the
// catalog does not have are left out: they may be variables of the executor's environment.
func (s *Service) SecretsOf(ctx context.Context, lease string) (*Secrets, error) {
	if err := s.requireExecutor(ctx); err != nil {
		return nil, err
	}
	r, err := s.held(ctx, lease)
	if err != nil {
		return nil, err
	}
	stored, err := latest(ctx, s.Store, r.Value.URN, model.AspectDataHubExecutionRequestInput)
	if err != nil {
		return nil, err
	}
	found := &Secrets{Secrets: []Secret{}}
	aspect := stored[model.AspectDataHubExecutionRequestInput]
	if aspect == nil {
		return found, nil
	}
	asked, err := decodeRequest(aspect)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, text := range asked.Args {
		for _, named := range variables.Braced(text) {
			if !slices.Contains(names, named.Name) {
				names = append(names, named.Name)
			}
		}
	}
	slices.Sort(names)
	if err := catalog.TooMany("secrets", len(names), limits.MaxSecretsRead); err != nil {
		return nil, err
	}
	values, err := s.Secrets.ForRun(ctx, names)
	for _, v := range values {
		found.Secrets = append(found.Secrets, Secret{v.Name, v.Value})
	}
	return found, err
}

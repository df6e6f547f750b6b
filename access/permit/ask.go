package permit

import (
	"context"

	"github.com/headwater-io/headwater/access/facts"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// Resources reads all facts of entities, by their URNs. An entity that does not exist has no facts. A column
// has the facts of its dataset.
func (s *Service) Resources(ctx context.Context, urns ...model.URN) (map[string]*policies.Resource, error) {
	subjects := make([]model.URN, len(urns))
	for i, u := range urns {
		subjects[i] = subject(u)
	}
	found, err := facts.Read(ctx, s.Store, catalog.Distinct(subjects), facts.Every)
	if err != nil {
		return nil, err
	}
	for i, u := range urns {
		found[u.String()] = found[subjects[i].String()]
	}
	return found, nil
}

// Compile returns the rules of policies that need not be stored, as they are now.
func (s *Service) Compile(all []policies.Policy) *policies.Set { return policies.Compile(all, s.Now()) }

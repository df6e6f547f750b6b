package permit

import (
	"context"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// everyFact asks for all facts of a resource.
const everyFact = policies.NeedsOwners | policies.NeedsDomains | policies.NeedsContainers | policies.NeedsTags | policies.NeedsTerms |
	policies.NeedsInstance | policies.NeedsGroups

// Resources reads all facts of entities, by their URNs. An entity that does not exist has none. A column has
// those of its dataset.
func (s *Service) Resources(ctx context.Context, urns ...model.URN) (map[string]*policies.Resource, error) {
	subjects := make([]model.URN, len(urns))
	for i, u := range urns {
		subjects[i] = subject(u)
	}
	found, err := resources(ctx, s.Store, catalog.Distinct(subjects), everyFact)
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

package permit

import (
	"context"

	"github.com/headwater-io/headwater/access/facts"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// Resources reads all facts of entities, by their URNs. An entity that does not exist has none.
func (s *Service) Resources(ctx context.Context, urns ...model.URN) (map[string]*policies.Resource, error) {
	return facts.Read(ctx, s.Store, catalog.Distinct(urns), facts.Every)
}

// Compile returns the rules of policies that need not be stored, as they are now.
func (s *Service) Compile(all []policies.Policy) *policies.Set { return policies.Compile(all, s.Now()) }

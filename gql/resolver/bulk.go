package resolver

import (
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// bulk reads a change of many entities. An empty domain takes the entities out of their domain.
func (a *arguments) bulk(in *object.ChangeManyInput) *edits.Bulk {
	b := &edits.Bulk{
		URNs: a.urns(in.Urns), DryRun: optional.Or(in.DryRun, false),
		Change: edits.Revision{
			Add:         edits.Marks{Tags: a.urns(in.AddTags), Terms: a.urns(in.AddTerms), Owners: a.owners(in.AddOwners)},
			Remove:      edits.Marks{Tags: a.urns(in.RemoveTags), Terms: a.urns(in.RemoveTerms), Owners: a.owners(in.RemoveOwners)},
			Description: in.Description,
		},
	}
	switch {
	case in.Domain == nil:
	case *in.Domain == "":
		b.Change.Domain = &model.URN{}
	default:
		b.Change.Domain = new(a.urn(*in.Domain))
	}
	if d := in.Deprecation; d != nil {
		b.Deprecation = &edits.Deprecation{Deprecated: d.Deprecated, DecommissionTime: d.DecommissionTime, Note: optional.Or(d.Note, "")}
	}
	return b
}

package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// SetLogicalParent makes a dataset, or a column, an instance of a logical model. The logical model of a
// dataset is a dataset, that of a column a column. With the zero URN the entity is an instance of none.
func (s *Service) SetLogicalParent(ctx context.Context, u, parent model.URN, o catalog.WriteOptions) error {
	if _, err := catalog.AllOfType([]model.URN{u}, model.EntityDataset, model.EntitySchemaField); err != nil {
		return err
	}
	value, named := catalog.Tree{}, []model.URN{u}
	if !parent.IsZero() {
		if err := catalog.RequireType(parent, u.EntityType()); err != nil {
			return err
		}
		if s.names.SameURN(parent.String(), u) {
			return catalog.Errorf(catalog.Invalid, "%s cannot be an instance of itself.", u)
		}
		_, actor := s.dialectOfActor(o.Actor)
		by := catalog.AuditStamp{Time: s.now().UnixMilli(), Actor: actor.String()}
		value["parent"] = catalog.Tree{"destinationUrn": parent.String(), "created": by.Tree(), "lastModified": by.Tree()}
		named = append(named, parent)
	}
	proposal, err := proposalOf(u, model.AspectLogicalParent, value)
	if err != nil {
		return err
	}
	// A caller who may change both ends need not see the entities to which they belong, so rights are checked
	// first.
	if err := s.writer.RequireIngestible(ctx, []write.Proposal{proposal}); err != nil {
		return err
	}
	if _, err := s.requireLiveOrColumns(write.OwnWork(ctx), "entities", named); err != nil {
		return err
	}
	proposal.System = &catalog.SystemMetadata{Properties: write.UserInterface}
	return s.writer.IngestTogether(ctx, []write.Proposal{proposal}, o)
}

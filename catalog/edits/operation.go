package edits

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// Operation is an operation on a dataset's data, such as an insert.
type Operation struct {
	Dataset    model.URN
	Type       string
	CustomType string
	SourceType string
	Partition  string
	// Rows is the number of changed rows. Time is epoch milliseconds; nil stands for now.
	Rows, Time *int64
	Properties map[string]string
}

// ReportOperation stores an operation on a dataset's data.
func (s *Service) ReportOperation(ctx context.Context, op Operation, o catalog.WriteOptions) error {
	u := op.Dataset
	if u.EntityType() != model.EntityDataset {
		return catalog.Errorf(catalog.Invalid, "Unable to report operation. Invalid entity type %s provided.", u.EntityType())
	}
	ctx, err := judged(ctx, "report operations", []model.URN{u}, editOperations, editEntity)
	if err != nil {
		return err
	}
	if err := s.writer.RequireExisting(ctx, u); err != nil {
		return err
	}
	d, _ := s.names.Registry().DialectOf(u) // the dataset was found before
	at := optional.Or(op.Time, s.now().UnixMilli())
	value := catalog.Tree{
		"timestampMillis": at, "lastUpdatedTimestamp": at, "actor": o.ActorIn(d), "operationType": op.Type, "sourceType": op.SourceType,
	}
	if op.CustomType != "" {
		value["customOperationType"] = op.CustomType
	}
	if op.Rows != nil {
		value["numAffectedRows"] = *op.Rows
	}
	if len(op.Properties) > 0 {
		value["customProperties"] = op.Properties
	}
	if op.Partition != "" {
		value["partitionSpec"] = catalog.Tree{"type": "PARTITION", "partition": op.Partition}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return catalog.Errorf(catalog.Internal, "operation: %w", err)
	}
	_, err = s.writer.Ingest(ctx, write.Proposal{
		EntityType: model.EntityDataset, EntityURN: u.String(), AspectName: model.AspectOperation,
		Aspect: &write.GenericAspect{Value: text, ContentType: "application/json"},
	}, o)
	return err
}

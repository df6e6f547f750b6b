package catalog

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/model"
)

// Operation is an operation on a dataset's data, such as an insert.
type Operation struct {
	Dataset    string
	Type       string
	CustomType string
	SourceType string
	Partition  string
	// Rows counts the rows changed, Time is epoch milliseconds (now when nil).
	Rows, Time *int64
	Properties map[string]string
}

// ReportOperation stores an operation on a dataset's data.
func (c *Catalog) ReportOperation(ctx context.Context, op Operation, o WriteOptions) error {
	u, d, err := c.parseURN(op.Dataset)
	if err != nil {
		return err
	}
	if u.EntityType() != model.EntityDataset {
		return Errorf(Invalid, "Unable to report operation. Invalid entity type %s provided.", u.EntityType())
	}
	if err := c.requireExisting(ctx, u.String()); err != nil {
		return err
	}
	at := valueOr(op.Time, c.now().UnixMilli())
	value := Tree{
		"timestampMillis": at, "lastUpdatedTimestamp": at, "actor": o.actorIn(d), "operationType": op.Type, "sourceType": op.SourceType,
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
		value["partitionSpec"] = Tree{"type": "PARTITION", "partition": op.Partition}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return Errorf(Internal, "operation: %w", err)
	}
	_, err = c.Ingest(ctx, Proposal{
		EntityType: model.EntityDataset, EntityURN: u.String(), AspectName: model.AspectOperation,
		Aspect: &GenericAspect{Value: text, ContentType: "application/json"},
	}, o)
	return err
}

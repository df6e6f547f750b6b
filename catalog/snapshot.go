package catalog

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/model"
)

// Snapshot is a legacy write of several aspects of one entity.
type Snapshot struct {
	// Value is {"<snapshot record>": {"urn": …, "aspects": [{"<aspect record>": {…}}]}}.
	Value  json.RawMessage
	System *SystemMetadata
}

// snapshotBody is the content of a snapshot.
type snapshotBody struct {
	URN     string                       `json:"urn"`
	Aspects []map[string]json.RawMessage `json:"aspects"`
}

// IngestSnapshots writes snapshots in order, each completely or not at all. All
// are validated before the first is written.
func (c *Catalog) IngestSnapshots(ctx context.Context, snapshots []Snapshot, o WriteOptions) error {
	prepared := make([][]*change, len(snapshots))
	for i := range snapshots {
		changes, err := c.prepareSnapshot(&snapshots[i])
		if err != nil {
			return err
		}
		prepared[i] = changes
	}
	for _, changes := range prepared {
		if err := c.together(ctx, changes, o.WithoutWait()); err != nil {
			return err
		}
	}
	return c.Settle(ctx, o)
}

// prepareSnapshot validates a snapshot as a list of upserts.
func (c *Catalog) prepareSnapshot(s *Snapshot) ([]*change, error) {
	var union map[string]json.RawMessage
	if err := json.Unmarshal(s.Value, &union); err != nil || len(union) != 1 {
		return nil, Errorf(Invalid, "a snapshot must be an object with one member, named after its record")
	}
	for name, inner := range union {
		spec, ok := c.registry.Snapshot(name)
		if !ok {
			return nil, Errorf(Invalid, "%q is not a member type of the union Snapshot", name)
		}
		var body snapshotBody
		if err := json.Unmarshal(inner, &body); err != nil {
			return nil, Errorf(Invalid, "the snapshot %s is malformed: %w", name, err)
		}
		return c.snapshotChanges(spec, &body, s.System)
	}
	return nil, nil
}

func (c *Catalog) snapshotChanges(spec *model.Snapshot, body *snapshotBody, system *SystemMetadata) ([]*change, error) {
	u, d, err := c.EntityURN(body.URN)
	if err != nil {
		return nil, err
	}
	if u.EntityType() != spec.Entity {
		return nil, Errorf(Invalid, "the urn %s is of type %s, the snapshot of %s", u, u.EntityType(), spec.Entity)
	}
	if len(body.Aspects) == 0 {
		return c.keyOnly(u, d, system)
	}
	entity, _ := c.registry.Entity(spec.Entity) // snapshots are of registered entities
	var changes []*change
	for _, member := range body.Aspects {
		if len(member) != 1 {
			return nil, Errorf(Invalid, "an aspect of a snapshot must be an object with one member, named after its record")
		}
		for record, value := range member {
			aspect, ok := c.registry.AspectByRecord(record)
			if !ok || !entity.Has(aspect.Name) || aspect.TimeSeries {
				return nil, Errorf(Invalid, "%q is not an aspect of %s", record, d.RecordName(spec.Record))
			}
			ch := &change{kind: Upsert, urn: u, dialect: d, entity: entity, aspect: aspect, system: c.systemMetadata(system)}
			if err := c.prepareValue(ch, &GenericAspect{Value: value, ContentType: "application/json"}); err != nil {
				return nil, err
			}
			changes = append(changes, ch)
		}
	}
	return changes, nil
}

// keyOnly returns the change of a snapshot without aspects, which creates the
// entity.
func (c *Catalog) keyOnly(u model.URN, d model.Dialect, system *SystemMetadata) ([]*change, error) {
	entity, _ := c.registry.Entity(u.EntityType()) // EntityURN refuses unknown types
	aspect, _ := c.registry.Aspect(entity.KeyAspect)
	text, err := c.registry.KeyValue(u)
	if err != nil {
		return nil, ValueError(err)
	}
	value, err := c.registry.Parse(d, aspect.Name, text)
	if err != nil {
		return nil, ValueError(err)
	}
	return []*change{{kind: Upsert, urn: u, dialect: d, entity: entity, aspect: aspect, value: value, system: c.systemMetadata(system)}}, nil
}

package write

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// Snapshot is a legacy write of several aspects of one entity.
type Snapshot struct {
	// Value is {"<snapshot record>": {"urn": …, "aspects": [{"<aspect record>": {…}}]}}.
	Value  json.RawMessage
	System *catalog.SystemMetadata
}

// snapshotBody is the content of a snapshot.
type snapshotBody struct {
	URN     string                       `json:"urn"`
	Aspects []map[string]json.RawMessage `json:"aspects"`
}

// IngestSnapshots writes snapshots in order, each completely or not at all. All are validated
// before the first is written. If one snapshot cannot be written, the snapshots before it are
// written and the snapshots after it are not. A snapshot is changed if one of its aspects is, and
// created if none of its aspects had a value before.
func (w *Writer) IngestSnapshots(ctx context.Context, snapshots []Snapshot, o catalog.WriteOptions) ([]Result, error) {
	bySnapshot := make([][]*change, len(snapshots))
	for i := range snapshots {
		changes, err := w.changesOfSnapshot(&snapshots[i], o)
		if err != nil {
			return nil, err
		}
		bySnapshot[i] = changes
	}
	results := make([]Result, 0, len(snapshots))
	for start := 0; start < len(bySnapshot); {
		end := snapshotsOfTransaction(snapshots, bySnapshot, start)
		written, err := w.writeSnapshots(ctx, bySnapshot[start:end], start, o.WithoutWait())
		if err != nil {
			return nil, err
		}
		results = append(results, written...)
		start = end
	}
	return results, w.Settle(ctx, o)
}

// snapshotsOfTransaction returns the end of the snapshots that one transaction writes, at least
// one. All of them are of one dialect, because the dialect names the actor of a write whose caller
// is not known.
func snapshotsOfTransaction(snapshots []Snapshot, bySnapshot [][]*change, start int) int {
	items, size := len(bySnapshot[start]), len(snapshots[start].Value)
	end := start + 1
	for end < len(bySnapshot) {
		items, size = items+len(bySnapshot[end]), size+len(snapshots[end].Value)
		if items > maxTransactionItems || size > maxTransactionBytes || bySnapshot[end][0].dialect.Namespace != bySnapshot[start][0].dialect.Namespace {
			break
		}
		end++
	}
	return end
}

// writeSnapshots writes snapshots in one transaction, or each in its own if one of them
// cannot be written. The argument start is the position of the first of them in the batch.
func (w *Writer) writeSnapshots(ctx context.Context, bySnapshot [][]*change, start int, o catalog.WriteOptions) ([]Result, error) {
	if len(bySnapshot) > 1 {
		outcomes, err := w.allOrNone(ctx, slices.Concat(bySnapshot...), withFirst(o, start+len(bySnapshot)))
		if err == nil {
			return snapshotResults(bySnapshot, outcomes), nil
		}
		if ctx.Err() != nil || catalog.CodeOf(err) == catalog.Unavailable {
			return nil, err
		}
	}
	var results []Result
	for i := range bySnapshot {
		outcomes, err := w.allOrNone(ctx, bySnapshot[i], withFirst(o, start+i+1))
		if err != nil {
			return nil, err
		}
		results = append(results, snapshotResults(bySnapshot[i:i+1], outcomes)...)
	}
	return results, nil
}

// withFirst returns the options for a transaction after which the first n snapshots of a
// batch are written.
func withFirst(o catalog.WriteOptions, n int) catalog.WriteOptions {
	if alongside := o.Alongside; alongside != nil {
		o.Alongside = func([]int) []graphstore.Record {
			first := make([]int, n)
			for i := range first {
				first[i] = i
			}
			return alongside(first)
		}
	}
	return o
}

// snapshotResults returns the results of snapshots, each of which has several changes.
func snapshotResults(bySnapshot [][]*change, outcomes []outcome) []Result {
	results := make([]Result, len(bySnapshot))
	for i, changes := range bySnapshot {
		results[i] = Result{URN: changes[0].urn.String(), Created: true}
		for k := range changes {
			results[i].Changed = results[i].Changed || outcomes[k].changed
			results[i].Created = results[i].Created && outcomes[k].created
		}
		outcomes = outcomes[len(changes):]
	}
	return results
}

// changesOfSnapshot validates a snapshot as a list of upserts.
func (w *Writer) changesOfSnapshot(s *Snapshot, o catalog.WriteOptions) ([]*change, error) {
	if err := CheckSystem(s.System); err != nil {
		return nil, err
	}
	var union map[string]json.RawMessage
	if err := json.Unmarshal(s.Value, &union); err != nil || len(union) != 1 {
		return nil, catalog.Errorf(catalog.Invalid, "a snapshot must be an object with one member, named after its record")
	}
	for name, inner := range union {
		spec, ok := w.Registry().Snapshot(name)
		if !ok {
			return nil, catalog.Errorf(catalog.Invalid, "%q is not a member type of the union Snapshot", name)
		}
		var body snapshotBody
		if err := json.Unmarshal(inner, &body); err != nil {
			return nil, catalog.Errorf(catalog.Invalid, "the snapshot %s is malformed: %w", name, err)
		}
		return w.snapshotChanges(spec, &body, s.System, o)
	}
	return nil, nil
}

func (w *Writer) snapshotChanges(spec *model.Snapshot, body *snapshotBody, system *catalog.SystemMetadata, o catalog.WriteOptions) ([]*change, error) {
	u, d, err := w.EntityURN(body.URN)
	if err != nil {
		return nil, err
	}
	if u.EntityType() != spec.Entity {
		return nil, catalog.Errorf(catalog.Invalid, "the urn %s is of type %s, the snapshot of %s", u, u.EntityType(), spec.Entity)
	}
	if len(body.Aspects) == 0 {
		return w.keyOnly(u, d, system)
	}
	entity, _ := w.Registry().Entity(spec.Entity) // snapshots are of registered entities
	var changes []*change
	for _, member := range body.Aspects {
		if len(member) != 1 {
			return nil, catalog.Errorf(catalog.Invalid, "an aspect of a snapshot must be an object with one member, named after its record")
		}
		for record, value := range member {
			aspect, ok := w.Registry().AspectByRecord(record)
			if !ok || !entity.Has(aspect.Name) || aspect.TimeSeries {
				return nil, catalog.Errorf(catalog.Invalid, "%q is not an aspect of %s", record, d.RecordName(spec.Record))
			}
			ch := &change{kind: Upsert, urn: u, dialect: d, entity: entity, aspect: aspect, system: w.systemMetadata(system), keepUnknown: o.KeepUnknown, addDerived: o.AddDerived}
			if err := w.readContent(ch, &GenericAspect{Value: value, ContentType: "application/json"}); err != nil {
				return nil, err
			}
			changes = append(changes, ch)
		}
	}
	return changes, nil
}

// keyOnly returns the change of a snapshot without aspects, which creates the
// entity.
func (w *Writer) keyOnly(u model.URN, d model.Dialect, system *catalog.SystemMetadata) ([]*change, error) {
	entity, _ := w.Registry().Entity(u.EntityType()) // EntityURN refuses unknown types
	aspect, _ := w.Registry().Aspect(entity.KeyAspect)
	text, err := w.Registry().KeyValue(u)
	if err != nil {
		return nil, catalog.ValueError(err)
	}
	value, err := w.Registry().Parse(d, aspect.Name, text)
	if err != nil {
		return nil, catalog.ValueError(err)
	}
	return []*change{{kind: Upsert, urn: u, dialect: d, entity: entity, aspect: aspect, value: value, system: w.systemMetadata(system)}}, nil
}

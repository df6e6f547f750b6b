package object

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/model"
)

// window selects values of a time series.
type window struct {
	start, end *int64
	filter     *FilterInput
	limit      *int
}

// newest reports whether the window is only the newest of all values.
func (w window) newest() bool {
	return w.limit != nil && *w.limit == 1 && w.start == nil && w.end == nil && w.filter == nil
}

// key identifies a window.
func (w window) key(name string) string {
	text, _ := json.Marshal([]any{name, w.start, w.end, w.filter, w.limit}) // numbers and texts are always valid
	return string(text)
}

// timeSeries reads values of a time-series aspect, the newest first. The values of the whole
// batch are read together.
func timeSeries[T any](ctx context.Context, n *Node, name string, w window) ([]*T, error) {
	if w.newest() {
		return batched(n, aspectKey{name: "newest " + name}, func(nodes []*Node) (map[*Node][]*T, error) {
			found, err := n.batch.session.Catalog.LatestValues(ctx, keysOf(n.batch.nodes), name)
			if err != nil {
				return nil, err
			}
			values := make(map[*Node][]*T, len(nodes))
			for _, node := range nodes {
				if text, ok := found[node.URN]; ok {
					if values[node], err = decodeValues[T](node, name, text); err != nil {
						return nil, err
					}
				}
			}
			return values, nil
		})
	}
	found, err := batched(n, aspectKey{w.key(name), reflect.TypeFor[T]()}, func(nodes []*Node) (map[*Node]decodedValues[T], error) {
		return windowsOf[T](ctx, alike(nodes, n), name, w)
	})
	if err != nil {
		return nil, err
	}
	return found.values, found.err
}

// decodedValues are the values of an entity, or the error of reading them.
type decodedValues[T any] struct {
	values []*T
	err    error
}

// alike returns the nodes that have the same type as the node as.
func alike(nodes []*Node, as *Node) []*Node {
	var found []*Node
	for _, n := range nodes {
		if n.entityType() == as.entityType() {
			found = append(found, n)
		}
	}
	return found
}

// windowsOf reads values of some nodes of one type together.
func windowsOf[T any](ctx context.Context, nodes []*Node, name string, w window) (map[*Node]decodedValues[T], error) {
	request := read.TimeSeriesRequest{Entity: nodes[0].entityType(), Aspect: name, Start: w.start, End: w.end, Limit: w.limit}
	if w.filter != nil {
		request.Filter = &catalog.Filter{Or: []catalog.Conjunction{{And: criteriaOf(w.filter.And)}}}
	}
	stored, err := nodes[0].batch.session.Catalog.TimeSeriesOf(ctx, keysOf(nodes), request)
	if err != nil {
		return nil, err
	}
	found := make(map[*Node]decodedValues[T], len(nodes))
	for _, n := range nodes {
		values, err := decodeValues[T](n, name, stored[n.URN]...)
		found[n] = decodedValues[T]{values, err}
	}
	return found, nil
}

func decodeValues[T any](n *Node, name string, texts ...json.RawMessage) ([]*T, error) {
	values := make([]*T, len(texts))
	for i, text := range texts {
		values[i] = new(T)
		if err := decodeInto(n, name, text, values[i]); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "a value of %s is not what the schema expects: %w", name, err)
		}
	}
	return values, nil
}

// StoredPartition is the stored form of a part of a dataset's data. Values about such a part
// embed StoredPartition.
type StoredPartition struct {
	Stored *struct {
		Type      PartitionType `json:"type"`
		Partition string        `json:"partition"`
		Time      *struct {
			Start  int64 `json:"startTimeMillis"`
			Length struct {
				Unit     string `json:"unit"`
				Multiple int64  `json:"multiple"`
			} `json:"length"`
		} `json:"timePartition"`
	} `json:"partitionSpec"`
}

// unitMillis is the length of a unit of time; months and years are approximate.
var unitMillis = map[string]int64{
	"SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000, "WEEK": 7 * 86_400_000,
	"MONTH": 30 * 86_400_000, "QUARTER": 91 * 86_400_000, "YEAR": 365 * 86_400_000,
}

// PartitionSpec is the part of the data that the value is about.
func (p *StoredPartition) PartitionSpec() *PartitionSpec {
	if p.Stored == nil {
		return nil
	}
	spec := &PartitionSpec{Type: p.Stored.Type, Partition: p.Stored.Partition}
	if t := p.Stored.Time; t != nil {
		spec.TimePartition = &TimeWindow{StartTimeMillis: t.Start, DurationMillis: unitMillis[t.Length.Unit] * max(t.Length.Multiple, 1)}
	}
	return spec
}

// DatasetProfile contains statistics of a dataset's data at one time.
type DatasetProfile struct {
	TimestampMillis int64                  `json:"timestampMillis"`
	RowCount        *int64                 `json:"rowCount"`
	ColumnCount     *int64                 `json:"columnCount"`
	SizeInBytes     *int64                 `json:"sizeInBytes"`
	FieldProfiles   []*DatasetFieldProfile `json:"fieldProfiles"`
	StoredPartition
}

// IsTimeSeriesAspect marks values that have a time.
func (p *DatasetProfile) IsTimeSeriesAspect() {}

// DatasetProfiles are the dataset's profiles, the newest first.
func (d *Dataset) DatasetProfiles(ctx context.Context, startTimeMillis, endTimeMillis *int64, filter *FilterInput, limit *int) ([]*DatasetProfile, error) {
	return timeSeries[DatasetProfile](ctx, d.Node, model.AspectDatasetProfile, window{startTimeMillis, endTimeMillis, filter, limit})
}

// Operation is an operation on a dataset's data.
type Operation struct {
	TimestampMillis      int64                `json:"timestampMillis"`
	Actor                *string              `json:"actor"`
	OperationType        OperationType        `json:"operationType"`
	CustomOperationType  *string              `json:"customOperationType"`
	SourceType           *OperationSourceType `json:"sourceType"`
	NumAffectedRows      *int64               `json:"numAffectedRows"`
	AffectedDatasets     []string             `json:"affectedDatasets"`
	LastUpdatedTimestamp int64                `json:"lastUpdatedTimestamp"`
	Custom               map[string]string    `json:"customProperties"`
	StoredPartition
}

// IsTimeSeriesAspect marks values that have a time.
func (o *Operation) IsTimeSeriesAspect() {}

// Partition is the part of the data that was changed.
func (o *Operation) Partition() *string {
	if o.Stored == nil {
		return nil
	}
	return &o.Stored.Partition
}

// CustomProperties lists the properties that the reporter added.
func (o *Operation) CustomProperties() []*StringMapEntry { return Pairs(o.Custom) }

// Operations are the operations on the dataset's data, the newest first.
func (d *Dataset) Operations(ctx context.Context, startTimeMillis, endTimeMillis *int64, filter *FilterInput, limit *int) ([]*Operation, error) {
	return timeSeries[Operation](ctx, d.Node, model.AspectOperation, window{startTimeMillis, endTimeMillis, filter, limit})
}

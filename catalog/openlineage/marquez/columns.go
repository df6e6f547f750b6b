package marquez

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// FieldNode is a column in a graph.
type FieldNode struct {
	ID       string    `json:"id"`
	Type     string    `json:"type"`
	Data     FieldData `json:"data"`
	InEdges  []Edge    `json:"inEdges"`
	OutEdges []Edge    `json:"outEdges"`
}

// FieldData is the data of a column in a graph.
type FieldData struct {
	Namespace string `json:"namespace"`
	Dataset   string `json:"dataset"`
	// DatasetVersion is always null: versions of datasets are not kept.
	DatasetVersion            *string      `json:"datasetVersion"`
	Field                     string       `json:"field"`
	FieldType                 *string      `json:"fieldType"`
	TransformationDescription *string      `json:"transformationDescription"`
	TransformationType        *string      `json:"transformationType"`
	InputFields               []InputField `json:"inputFields"`
}

// FieldGraph is the lineage around columns, ordered by the ids of its nodes.
type FieldGraph struct {
	Graph []FieldNode `json:"graph"`
	// Partial says why nodes are missing, "" if none are. Marquez has no such member.
	Partial string `json:"partial,omitempty"`
}

// ColumnLineage returns the columns from which the columns of a dataset, or one column, follow and, if downstream
// is true, the columns that follow from these. The depth counts the steps from column to column. ColumnLineage
// fails with NotFound for an unknown dataset, and for a column that has no lineage and that the schema does not
// have.
func (s *Service) ColumnLineage(ctx context.Context, node string, depth int, downstream bool) (*FieldGraph, error) {
	if err := depthOf(depth); err != nil {
		return nil, err
	}
	kind, rest, err := kindOf(node, datasetKind, fieldKind)
	if err != nil {
		return nil, err
	}
	var start model.URN
	if kind == datasetKind {
		urn, ok, err := s.datasetNode(ctx, rest)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, noNode(node)
		}
		start = model.StoredURN(urn)
	} else if start, err = s.fieldNode(ctx, node, rest); err != nil {
		return nil, err
	}
	if depth == 0 {
		return &FieldGraph{Graph: []FieldNode{}}, nil
	}
	request := lineage.GraphRequest{URN: start, Direction: lineage.Upstream, Hops: depth, Limit: limits.MarquezNodes, Columns: true}
	if downstream {
		request.Direction = ""
	}
	around, err := s.lineage.Graph(ctx, request)
	if catalog.CodeOf(err) == catalog.NotFound { // the column is known, and has no lineage
		return &FieldGraph{Graph: []FieldNode{}}, nil
	}
	if err != nil {
		return nil, err
	}
	nodes, err := s.fieldGraph(ctx, around)
	if err != nil {
		return nil, err
	}
	answer := &FieldGraph{Graph: []FieldNode{}, Partial: around.Reason}
	for _, n := range nodes {
		answer.Graph = append(answer.Graph, FieldNode{ID: n.id, Type: "DATASET_FIELD", Data: n.data, InEdges: n.in, OutEdges: n.out})
	}
	return answer, nil
}

// fieldNode finds the column that the rest of an id means. Columns, too, may have colons.
func (s *Service) fieldNode(ctx context.Context, node, rest string) (model.URN, error) {
	for at := strings.LastIndexByte(rest, ':'); at > 0; at = strings.LastIndexByte(rest[:at], ':') {
		urn, ok, err := s.datasetNode(ctx, rest[:at])
		if err != nil {
			return model.URN{}, err
		}
		if !ok {
			continue
		}
		values, err := s.aspectsOf(ctx, []string{urn}, model.AspectSchemaMetadata)
		if err != nil {
			return model.URN{}, err
		}
		for _, f := range valueIn[schemaOf](values[urn], model.AspectSchemaMetadata).Fields {
			if model.PlainPath(f.FieldPath) == rest[at+1:] {
				return model.ColumnURN(model.StoredURN(urn), f.FieldPath)
			}
		}
	}
	return model.URN{}, noNode(node)
}

// field is a column in the making.
type field struct {
	// of is the URN of the dataset.
	of, id  string
	data    FieldData
	in, out []Edge
}

// fieldGraph makes a graph of columns from one of the catalog. Columns of entities that are not datasets, and of datasets without
// a name, are left out.
func (s *Service) fieldGraph(ctx context.Context, around *lineage.Graph) ([]*field, error) {
	holders := map[string]bool{}
	for i := range around.Nodes {
		if n := &around.Nodes[i]; isDataset(n.Entity.Entity) && !n.Removed {
			holders[n.Entity.Entity] = true
		}
	}
	urns := slices.Sorted(maps.Keys(holders))
	names, err := s.named(ctx, urns)
	if err != nil {
		return nil, err
	}
	schemas, err := s.aspectsOf(ctx, urns, model.AspectSchemaMetadata)
	if err != nil {
		return nil, err
	}
	types := map[string]string{}
	for urn, v := range schemas {
		for _, f := range fieldsIn(v) {
			types[urn+"\x00"+f.Name] = f.Type
		}
	}
	fields := map[string]*field{}
	for i := range around.Nodes {
		n := &around.Nodes[i]
		id, ok := names[n.Entity.Entity]
		_, path, isColumn := model.ColumnOf(model.StoredURN(n.URN))
		if !ok || !isColumn {
			continue
		}
		path = model.PlainPath(path)
		fields[n.URN] = &field{of: n.Entity.Entity, id: fieldID(id, path), in: []Edge{}, out: []Edge{}, data: FieldData{
			Namespace: id.Namespace, Dataset: id.Name, Field: path, FieldType: textOrNil(types[n.Entity.Entity+"\x00"+path]), InputFields: []InputField{},
		}}
	}
	for i := range around.Edges {
		connect(fields[around.Edges[i].Upstream], fields[around.Edges[i].Downstream], &around.Edges[i])
	}
	found := slices.Collect(maps.Values(fields))
	slices.SortFunc(found, func(a, b *field) int { return cmp.Compare(a.id, b.id) })
	for _, f := range found {
		sortEdges(f.in)
		sortEdges(f.out)
		slices.SortFunc(f.data.InputFields, func(a, b InputField) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Field, b.Field))
		})
	}
	return found, nil
}

// connect adds that one column follows from another. Two edges between the same columns are one.
func connect(from, to *field, link *lineage.Link) {
	if from == nil || to == nil {
		return
	}
	e := Edge{from.id, to.id}
	if slices.Contains(from.out, e) {
		return
	}
	from.out, to.in = append(from.out, e), append(to.in, e)
	to.data.InputFields = append(to.data.InputFields, InputField{
		Namespace: from.data.Namespace, Dataset: from.data.Dataset, Field: from.data.Field, TransformationType: textOrNil(link.TransformOperation),
	})
}

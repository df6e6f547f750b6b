package marquez

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Dataset is a dataset.
type Dataset struct {
	ID           ID     `json:"id"`
	Type         string `json:"type"`
	Name         string `json:"name"`
	PhysicalName string `json:"physicalName"`
	// CreatedAt and UpdatedAt are when the first and the last of the present values was written.
	CreatedAt *string `json:"createdAt"`
	UpdatedAt *string `json:"updatedAt"`
	Namespace string  `json:"namespace"`
	// SourceName is the platform.
	SourceName string   `json:"sourceName"`
	Fields     []Field  `json:"fields"`
	Tags       []string `json:"tags"`
	// LastModifiedAt is when the data was changed last, as far as somebody has told.
	LastModifiedAt *string `json:"lastModifiedAt"`
	Description    *string `json:"description"`
	// CurrentVersion is always null: versions of datasets are not kept.
	CurrentVersion *string `json:"currentVersion"`
	// ColumnLineage is null in lists and graphs.
	ColumnLineage []ColumnInputs             `json:"columnLineage"`
	Facets        map[string]json.RawMessage `json:"facets"`
	Deleted       bool                       `json:"deleted"`
}

// Field is a column.
type Field struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Tags        []string `json:"tags"`
	Description *string  `json:"description"`
}

// ColumnInputs are the columns from which a column follows.
type ColumnInputs struct {
	Name        string       `json:"name"`
	InputFields []InputField `json:"inputFields"`
}

// InputField is a column from which another one follows.
type InputField struct {
	Namespace                 string  `json:"namespace"`
	Dataset                   string  `json:"dataset"`
	DatasetVersion            *string `json:"datasetVersion"`
	Field                     string  `json:"field"`
	TransformationDescription *string `json:"transformationDescription"`
	// TransformationType is the operation of the lineage, such as DIRECT:IDENTITY.
	TransformationType *string `json:"transformationType"`
}

// Datasets is a page of datasets.
type Datasets struct {
	Datasets   []Dataset `json:"datasets"`
	TotalCount int       `json:"totalCount"`
}

// Datasets lists the datasets of a namespace by name. It fails with NotFound for an unknown namespace.
func (s *Service) Datasets(ctx context.Context, namespace string, p Page) (*Datasets, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	all, err := s.datasetsOf(ctx, namespace)
	if err != nil {
		return nil, err
	}
	if err := s.requireNamespace(ctx, namespace, len(all)); err != nil {
		return nil, err
	}
	page := pageOf(all, p)
	found, err := s.readDatasets(ctx, page)
	if err != nil {
		return nil, err
	}
	for i, e := range page {
		if found[i].Facets, err = s.facets(ctx, e.urn); err != nil {
			return nil, err
		}
	}
	return &Datasets{found, len(all)}, nil
}

// datasetNamed finds a dataset by a name. It fails with NotFound if the name means none that the caller may see.
func (s *Service) datasetNamed(ctx context.Context, id ID) (model.URN, error) {
	missing := catalog.Errorf(catalog.NotFound, "there is no dataset %q in the namespace %q", id.Name, id.Namespace)
	u, err := s.states.DatasetURN(ctx, naming.Dataset(id))
	if err != nil {
		return model.URN{}, err
	}
	return u, s.require(ctx, u, missing)
}

// Dataset returns a dataset with its facets and its column lineage. It fails with NotFound if there is none.
func (s *Service) Dataset(ctx context.Context, id ID) (*Dataset, error) {
	u, err := s.datasetNamed(ctx, id)
	if err != nil {
		return nil, err
	}
	names, err := s.named(ctx, []string{u.String()})
	if err != nil {
		return nil, err
	}
	if known, ok := names[u.String()]; ok {
		id = known
	}
	found, err := s.readDatasets(ctx, []entry{{u.String(), id}})
	if err != nil {
		return nil, err
	}
	d := &found[0]
	if d.Facets, err = s.facets(ctx, u.String()); err != nil {
		return nil, err
	}
	d.ColumnLineage, err = s.columnInputs(ctx, u)
	return d, err
}

// columnInputs are the columns from which the columns of a dataset follow.
func (s *Service) columnInputs(ctx context.Context, u model.URN) ([]ColumnInputs, error) {
	around, err := s.lineage.Graph(ctx, lineage.GraphRequest{URN: u, Direction: lineage.Upstream, Hops: 1, Limit: limits.MaxGraphNodes, Columns: true})
	if err != nil {
		return nil, err
	}
	graph, err := s.fieldGraph(ctx, around)
	if err != nil {
		return nil, err
	}
	inputs := []ColumnInputs{}
	for _, n := range graph {
		if n.of == u.String() && len(n.data.InputFields) > 0 {
			inputs = append(inputs, ColumnInputs{Name: n.data.Field, InputFields: n.data.InputFields})
		}
	}
	return inputs, nil
}

// Aspects of datasets as far as they are read.
type (
	schemaOf struct {
		Fields []struct {
			FieldPath      string `json:"fieldPath"`
			NativeDataType string `json:"nativeDataType"`
			Description    string `json:"description"`
			GlobalTags     tagsOf `json:"globalTags"`
		} `json:"fields"`
	}
	tagsOf struct {
		Tags []struct {
			Tag string `json:"tag"`
		} `json:"tags"`
	}
	describedOf struct {
		Description string `json:"description"`
	}
	subTypesOf struct {
		TypeNames []string `json:"typeNames"`
	}
	operationOf struct {
		At int64 `json:"lastUpdatedTimestamp"`
	}
)

func (t tagsOf) names() []string {
	names := []string{}
	for _, of := range t.Tags {
		names = append(names, tagName(of.Tag))
	}
	return names
}

// readDatasets reads datasets without facets and column lineage, in their order.
func (s *Service) readDatasets(ctx context.Context, of []entry) ([]Dataset, error) {
	urns := urnsOf(of)
	parsed := make([]model.URN, len(of))
	for i, urn := range urns {
		parsed[i] = model.StoredURN(urn)
	}
	values, err := s.aspectsOf(ctx, urns, model.AspectDatasetKey, model.AspectSchemaMetadata, model.AspectDatasetProperties,
		model.AspectEditableDatasetProperties, model.AspectGlobalTags, model.AspectSubTypes)
	if err != nil {
		return nil, err
	}
	changed, err := s.reader.LatestValues(ctx, parsed, model.AspectOperation)
	if err != nil {
		return nil, err
	}
	found := make([]Dataset, len(of))
	for i, e := range of {
		v := values[e.urn]
		description := cmp.Or(valueIn[describedOf](v, model.AspectEditableDatasetProperties).Description, valueIn[describedOf](v, model.AspectDatasetProperties).Description)
		platform := model.StoredURN(parsed[i].Parts()[0]).Key()
		var operation operationOf
		if text := changed[e.urn]; text != nil {
			_ = json.Unmarshal(text, &operation) // stored values have been checked against the model
		}
		found[i] = Dataset{
			ID: e.id, Type: "DB_TABLE", Name: e.id.Name, PhysicalName: e.id.Name, CreatedAt: moment(v.created), UpdatedAt: moment(v.ended),
			Namespace: e.id.Namespace, SourceName: platform, Fields: fieldsIn(v), Tags: valueIn[tagsOf](v, model.AspectGlobalTags).names(),
			LastModifiedAt: moment(operation.At), Description: textOrNil(description), Facets: map[string]json.RawMessage{},
		}
		if slices.Contains(streaming, platform) || slices.Contains(valueIn[subTypesOf](v, model.AspectSubTypes).TypeNames, "Topic") {
			found[i].Type = "STREAM"
		}
	}
	return found, nil
}

// streaming are the platforms whose datasets are streams.
var streaming = []string{"kafka", "pubsub", "kinesis", "pulsar"}

func fieldsIn(v aspects) []Field {
	fields := []Field{}
	for _, f := range valueIn[schemaOf](v, model.AspectSchemaMetadata).Fields {
		fields = append(fields, Field{Name: model.PlainPath(f.FieldPath), Type: f.NativeDataType, Tags: f.GlobalTags.names(), Description: textOrNil(f.Description)})
	}
	return fields
}

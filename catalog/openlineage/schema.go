package openlineage

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/shorthash"
	"github.com/headwater-io/headwater/model"
)

// schema adds the schema of a dataset. A facet without fields, as the event of a DROP has it, states none.
func (w *work) schema(of about, all factSet) error {
	text, err := derive(w.derived, "schema", [][]byte{[]byte(of.urn.String()), all.value("schema"), all.value("tags")}, func() (json.RawMessage, error) {
		return w.schemaText(of.urn, all)
	})
	switch {
	case err != nil:
		return err
	case all.deleted("schema"):
		return w.dropIfOurs(of, model.AspectSchemaMetadata)
	case text == nil:
		return nil
	}
	return w.putTextIfOurs(of, model.AspectSchemaMetadata, text)
}

// schemaText is the value of a schema, nil if the facets state none.
func (w *work) schemaText(of model.URN, all factSet) (json.RawMessage, error) {
	facet := read[schemaFacet](all.value("schema"))
	if len(facet.Fields) == 0 {
		return nil, nil
	}
	fields := w.schemaFields(nil, "", facet.Fields, 0)
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	tags := map[string][]string{}
	for _, tag := range read[tagsFacet](all.value("tags")).Tags {
		if tag.Field != "" {
			if urn, ok := tagURN(tag.Key, tag.Value); ok {
				tags[tag.Field] = append(tags[tag.Field], urn)
			}
		}
	}
	for _, field := range fields {
		if urns := tags[field["fieldPath"].(string)]; len(urns) > 0 {
			slices.Sort(urns)
			field["globalTags"] = catalog.Tree{"tags": tagList(slices.Compact(urns))}
		}
	}
	return jsontree.Encode(catalog.Tree{
		"schemaName": of.Parts()[1], "platform": of.Parts()[0], "version": 0, "hash": shorthash.Of(text),
		"platformSchema": catalog.Tree{w.dialect.Prefix + ".schema.OtherSchema": catalog.Tree{"rawSchema": ""}},
		"fields":         fields,
	})
}

// schemaFields returns the fields of a schema. The fields of a record come after the record, with its
// path before their own.
func (w *work) schemaFields(list []catalog.Tree, path string, fields []schemaField, depth int) []catalog.Tree {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b schemaField) int {
		if a.Position == nil || b.Position == nil {
			return 0
		}
		return cmp.Compare(*a.Position, *b.Position)
	})
	for _, f := range fields {
		if f.Name == "" || len(list) >= limits.OpenLineageColumns || depth > limits.OpenLineageDepth {
			continue
		}
		own := f.Name
		if path != "" {
			own = path + "." + f.Name
		}
		one := catalog.Tree{
			"fieldPath": own, "nativeDataType": f.Type, "nullable": true, "recursive": false, "isPartOfKey": false,
			"type": catalog.Tree{"type": catalog.Tree{w.dialect.Prefix + ".schema." + typeOf(f): catalog.Tree{}}},
		}
		if f.Description != "" {
			one["description"] = f.Description
		}
		list = append(list, one)
		list = w.schemaFields(list, own, f.Fields, depth+1)
	}
	return list
}

// typeWords begin the native types of each type of the model.
var typeWords = []struct {
	of    string
	words []string
}{
	{"BooleanType", []string{"bool", "bit"}},
	{"NumberType", []string{"int", "bigint", "smallint", "tinyint", "mediumint", "long", "short", "byte", "float", "double", "real", "decimal", "numeric", "number", "hugeint", "uint", "serial"}},
	{"DateType", []string{"date"}},
	{"TimeType", []string{"time", "datetime"}},
	{"StringType", []string{"char", "varchar", "nvarchar", "nchar", "text", "string", "uuid", "json"}},
	{"BytesType", []string{"binary", "varbinary", "bytes", "blob"}},
	{"ArrayType", []string{"array", "list"}},
	{"MapType", []string{"map"}},
	{"RecordType", []string{"struct", "row", "record"}},
	{"UnionType", []string{"union"}},
	{"EnumType", []string{"enum"}},
}

// typeOf is the type of a field in the model. The longest word that begins the native type decides.
func typeOf(f schemaField) string {
	native, best, found := strings.ToLower(strings.TrimSpace(f.Type)), 0, "NullType"
	for _, t := range typeWords {
		for _, word := range t.words {
			if len(word) > best && strings.HasPrefix(native, word) {
				best, found = len(word), t.of
			}
		}
	}
	if best == len("byte") && strings.HasPrefix(native, "bytea") {
		return "BytesType"
	}
	if found == "NullType" && len(f.Fields) > 0 {
		return "RecordType"
	}
	return found
}

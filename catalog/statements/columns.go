package statements

import (
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
)

// Column is a column of a dataset, with the statements of its source and of people.
type Column struct {
	Path       string
	NativeType string
	Nullable   bool
	// Key tells that the column is a part of the dataset's key.
	Key bool
	// Description is the description that people wrote or, if there is none, that of the source.
	Description string
	// Tags and Terms are URNs of the source and of people, each once.
	Tags, Terms []string
	// Edited are the tags and terms that people added and the source does not state.
	Edited []string
	// Stated are the tags and terms that have an attribution of their own. No other provenance is
	// known, because the edge to a label of a column begins at the dataset.
	Stated []Label
}

// ColumnsOf returns the columns of a schema, in its order, with the descriptions and labels that
// people added. The arguments are the values of the aspects schemaMetadata and
// editableSchemaMetadata; either may be missing.
func ColumnsOf(schema, edited json.RawMessage) ([]Column, error) {
	stated, err := fieldsOf(schema, "fields")
	if err != nil {
		return nil, err
	}
	written, err := fieldsOf(edited, "editableSchemaFieldInfo")
	if err != nil {
		return nil, err
	}
	columns := make([]Column, len(stated))
	for i, f := range stated {
		c := &columns[i]
		c.Path, c.NativeType = jsontree.Text(f, "fieldPath"), jsontree.Text(f, "nativeDataType")
		c.Nullable, c.Key = f["nullable"] == true, f["isPartOfKey"] == true
		c.describe(f)
		for _, w := range written {
			if jsontree.Text(w, "fieldPath") == c.Path {
				c.edit(w)
			}
		}
	}
	return columns, nil
}

// DescribedColumns returns the columns of a schema like [ColumnsOf]. Without a schema, it
// returns the columns that people wrote about.
func DescribedColumns(schema, edited json.RawMessage) ([]Column, error) {
	if len(schema) > 0 {
		return ColumnsOf(schema, edited)
	}
	written, err := fieldsOf(edited, "editableSchemaFieldInfo")
	if err != nil {
		return nil, err
	}
	columns := make([]Column, len(written))
	for i, w := range written {
		columns[i].Path = jsontree.Text(w, "fieldPath")
		columns[i].edit(w)
	}
	return columns, nil
}

// edit adds the values that people wrote.
func (c *Column) edit(written catalog.Tree) {
	tags, terms := len(c.Tags), len(c.Terms)
	c.describe(written)
	c.Edited = slices.Concat(c.Edited, c.Tags[tags:], c.Terms[terms:])
}

func fieldsOf(value json.RawMessage, list string) ([]catalog.Tree, error) {
	if len(value) == 0 {
		return nil, nil
	}
	tree, err := jsontree.DecodeObject(value)
	if err != nil {
		return nil, err
	}
	return jsontree.Items(tree, list), nil
}

// describe adds a description and labels.
func (c *Column) describe(field catalog.Tree) {
	if text := jsontree.Text(field, "description"); text != "" {
		c.Description = text
	}
	for _, tag := range jsontree.Items(jsontree.Member(field, "globalTags"), "tags") {
		c.Tags = withText(c.Tags, jsontree.Text(tag, "tag"))
		c.state(LabelTag, jsontree.Text(tag, "tag"), tag)
	}
	for _, term := range jsontree.Items(jsontree.Member(field, "glossaryTerms"), "terms") {
		c.Terms = withText(c.Terms, jsontree.Text(term, "urn"))
		c.state(LabelTerm, jsontree.Text(term, "urn"), term)
	}
}

// state adds a label that says who or what stated it.
func (c *Column) state(kind, urn string, item catalog.Tree) {
	label := Label{Kind: kind, URN: urn}
	if label.Provenance.Attribute(item); label.Provenance.known() && urn != "" {
		c.Stated = append(c.Stated, label)
	}
}

func withText(texts []string, text string) []string {
	if text == "" || slices.Contains(texts, text) {
		return texts
	}
	return append(texts, text)
}

// FieldPathsOf lists the columns of a schema.
func FieldPathsOf(schema json.RawMessage) ([]string, error) {
	var value struct {
		Fields []struct {
			Path string `json:"fieldPath"`
		} `json:"fields"`
	}
	if err := json.Unmarshal(schema, &value); err != nil {
		return nil, err
	}
	paths := make([]string, len(value.Fields))
	for i, f := range value.Fields {
		paths[i] = f.Path
	}
	return paths, nil
}

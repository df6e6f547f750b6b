package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// ColumnsArguments are the arguments of columns.
type ColumnsArguments struct {
	Dataset  string   `json:"dataset,omitempty" jsonschema:"name or URN; all datasets if left out"`
	Filter   string   `json:"filter,omitempty" jsonschema:"of a dataset: a text that the path, type, description, a tag or a term contains"`
	AsOf     string   `json:"as_of,omitempty" jsonschema:"a past moment, of a dataset; now if left out"`
	Query    string   `json:"query,omitempty" jsonschema:"words in the path or description, or in the dataset's name"`
	Personal bool     `json:"personal,omitempty" jsonschema:"only columns labelled as personal data"`
	Tags     []string `json:"tags,omitempty" jsonschema:"tags or terms of the column; any of them"`
	Types    []string `json:"types,omitempty" jsonschema:"types in the source, such as varchar"`

	Platforms []string `json:"platforms,omitempty" jsonschema:"such as snowflake"`
	Owners    []string `json:"owners,omitempty" jsonschema:"users or groups that own the dataset"`
	Domains   []string `json:"domains,omitempty"`
	Paging
}

// finds reports whether the arguments search, rather than list the columns of one dataset.
func (in *ColumnsArguments) finds() bool {
	return in.Dataset == "" || in.Query != "" || in.Personal || len(in.Tags)+len(in.Types)+len(in.Platforms)+len(in.Owners)+len(in.Domains) > 0
}

// ColumnsAnswer is the answer of columns.
type ColumnsAnswer struct {
	// URN is the dataset whose columns are listed.
	URN string `json:"urn,omitempty"`
	// AsOf is the past moment of the answer. Note says that nothing had been recorded by then, and
	// from when on something had.
	AsOf string `json:"as_of,omitempty"`
	Note string `json:"note,omitempty"`
	Sayings
	Columns []Column `json:"columns"`
	Page
}

// Column is a column of a dataset.
type Column struct {
	// Of, OwnedBy and Downstreams are set of columns that were found: the dataset, its owners, and
	// the number of columns one hop downstream or, if no lineage of the column is known, of the
	// entities one hop downstream of the dataset.
	Of          string  `json:"dataset,omitempty"`
	OwnedBy     []Owner `json:"owned_by,omitempty"`
	Downstreams *int    `json:"downstreams,omitempty"`
	Path        string  `json:"path"`
	// Type is the type of the column in its source.
	Type        string   `json:"type,omitempty"`
	Nullable    bool     `json:"nullable,omitempty"`
	Key         bool     `json:"key,omitempty"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Terms       []string `json:"terms,omitempty"`
	// Labels are the tags and terms of the column whose metadata says who stated them.
	Labels Labels `json:"labels,omitempty"`
}

func (c *Column) says() []*Said { return c.Labels.says() }

func (h *Handler) columns(ctx context.Context, in *ColumnsArguments) (*ColumnsAnswer, error) {
	if in.finds() {
		return h.findColumns(ctx, in)
	}
	u, err := h.entity(ctx, in.Dataset, model.EntityDataset)
	if err != nil {
		return nil, err
	}
	asOf, err := moment("as_of", in.AsOf)
	if err != nil {
		return nil, err
	}
	out := &ColumnsAnswer{URN: u.String(), AsOf: shown(asOf)}
	known, err := h.knownColumns(ctx, out, u, asOf)
	if err != nil {
		return nil, err
	}
	var columns []Column
	for i := range known {
		k := &known[i]
		c := Column{
			Path: model.PlainPath(k.Path), Type: k.NativeType, Nullable: k.Nullable, Key: k.Key,
			Description: clip(k.Description, limits.MaxAgentListedText), Tags: leaves(k.Tags), Terms: leaves(k.Terms),
		}
		if in.Filter == "" || c.contains(in.Filter, k.Description) {
			for _, l := range fitting(k.Stated, limits.MaxAgentAnswer/2) {
				c.Labels = append(c.Labels, labelOf(&l))
			}
			columns = append(columns, c)
		}
	}
	out.Columns = pageOf(&out.Page, in.Paging, columns, fitsSaid[Column](&out.Sayings, limits.MaxAgentAnswer))
	return out, nil
}

// findColumns finds columns in all datasets, or in the dataset that the arguments name.
func (h *Handler) findColumns(ctx context.Context, in *ColumnsArguments) (*ColumnsAnswer, error) {
	if in.Filter != "" || in.AsOf != "" {
		return nil, catalog.Errorf(catalog.Invalid, "filter and as_of need a dataset, and no other argument that finds columns; query finds words in columns of all datasets")
	}
	r := lineage.ColumnsRequest{Words: in.Query, Personal: in.Personal, Types: in.Types, Start: in.Start, Count: in.Limit}
	var datasets []string
	if in.Dataset != "" {
		datasets = []string{in.Dataset}
	}
	for _, list := range []struct {
		to    *[]model.URN
		names []string
		types []string
	}{
		{&r.Datasets, datasets, []string{model.EntityDataset}},
		{&r.Labels, in.Tags, []string{model.EntityTag, model.EntityGlossaryTerm}},
		{&r.Platforms, in.Platforms, []string{model.EntityDataPlatform}},
		{&r.Owners, in.Owners, []string{model.EntityCorpuser, model.EntityCorpGroup}},
		{&r.Domains, in.Domains, []string{model.EntityDomain}},
	} {
		urns, err := h.urns(ctx, list.names, list.types...)
		if err != nil {
			return nil, err
		}
		*list.to = urns
	}
	ctx, fresh := search.WithFreshness(ctx)
	found, err := h.catalog.Lineage.FindColumns(ctx, r)
	if err != nil {
		return nil, err
	}
	out := &ColumnsAnswer{Note: columnsNote(in, found)}
	for i := range found.Columns {
		out.Columns = append(out.Columns, foundColumn(&found.Columns[i]))
	}
	out.Columns = fitting(out.Columns, limits.MaxAgentAnswer)
	out.continues(in.Start, len(out.Columns), found.Total)
	if found.Partial {
		out.lacks(found.Reason)
	}
	if changes, late := fresh.Behind(); late {
		out.lacks("the search index lacks changes: " + search.Lacking(changes))
	}
	return out, nil
}

// columnsNote says which labels are about personal data, and gives advice if nothing is found.
func columnsNote(in *ColumnsArguments, found *lineage.FoundColumns) string {
	switch {
	case in.Personal && len(found.Personal) == 0:
		return "no tag or term says by its name that data is personal"
	case found.Total == 0:
		return "no column is found; try other words, or fewer arguments"
	case in.Personal:
		shown := leaves(found.Personal[:min(len(found.Personal), limits.MaxAgentNames)])
		return clip("labels of personal data: "+strings.Join(shown, ", "), limits.MaxAgentText)
	}
	return ""
}

func foundColumn(f *lineage.FoundColumn) Column {
	c := Column{
		Of: f.DatasetPath, Path: model.PlainPath(f.Column.Path), Type: f.Column.NativeType, Nullable: f.Column.Nullable, Key: f.Column.Key,
		Description: clip(f.Column.Description, limits.MaxAgentListedText), Tags: leaves(f.Column.Tags), Terms: leaves(f.Column.Terms), Downstreams: &f.Downstreams,
	}
	for i := range f.Owners {
		c.OwnedBy = append(c.OwnedBy, Owner{URN: f.Owners[i].URN, Name: f.Owners[i].Name, Email: f.Owners[i].Email})
	}
	return c
}

// knownColumns reads the columns that a dataset has now or had at a moment.
func (h *Handler) knownColumns(ctx context.Context, out *ColumnsAnswer, u model.URN, asOf int64) ([]statements.Column, error) {
	if asOf == 0 {
		stored, err := h.catalog.Entity(ctx, u, []string{model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata})
		if err != nil {
			return nil, err
		}
		known, err := statements.ColumnsOf(stored.Aspects[model.AspectSchemaMetadata].Value, stored.Aspects[model.AspectEditableSchemaMetadata].Value)
		if err != nil {
			return nil, catalog.Errorf(catalog.Internal, "the columns of %s: %w", u, err)
		}
		return known, nil
	}
	past, err := h.catalog.Moments.Columns(ctx, u, asOf)
	if err != nil {
		return nil, err
	}
	if !past.Recorded {
		out.Note = "nothing of it had been recorded by then; the first record is of " + shown(past.FirstRecorded)
	}
	for _, name := range past.Lost {
		out.lacks(name + " is not kept any more as it was then")
	}
	known := make([]statements.Column, len(past.Columns))
	for i := range past.Columns {
		known[i] = past.Columns[i].Column
	}
	return known, nil
}

// contains reports whether the path, type, description, tags or terms of a column contain a
// text, in any letter case.
func (c *Column) contains(text, description string) bool {
	return slices.ContainsFunc(slices.Concat([]string{c.Path, c.Type, description}, c.Tags, c.Terms), func(s string) bool {
		return strings.Contains(strings.ToLower(s), strings.ToLower(text))
	})
}

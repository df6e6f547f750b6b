package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// addReads adds the tools that change nothing.
func (h *Handler) addReads() {
	readTool(h, "search", "Search", "Find entities by words, a /q query and filters. Values of filters are names or URNs; tags and terms of columns count for datasets. If nothing has all words, those with most.", h.search)
	readTool(h, "entities", "Entities", "Read what is known of up to 20 entities: description, owners with addresses, tags, terms, who stated these, freshness, checks, properties, links; of people title and address. With as_of, as of then.", h.entities)
	readTool(h, "columns", "Columns", "List the columns of a dataset with types, descriptions, tags and terms. filter keeps those that contain a text in any of these. With as_of, as recorded then.", h.columns)
	readTool(h, "lineage", "Lineage", "List what an entity or column is made from (upstream) or what is made from it (downstream), nearest first, with who stated the edge to it; with as_of, at a past moment.", h.lineage)
	readTool(h, "paths", "Paths", "Show how data gets from one entity or column to another, such as from a column to a dashboard: the shortest paths, with how each edge derives and who stated it.", h.paths)
	readTool(h, "impact", "Impact of a change", "Show what breaks, certainly or possibly, if a column or a whole table is dropped, or a column renamed or retyped, and which owners to notify.", h.impact)
	readTool(h, "lineage_changes", "Changes of lineage", "Compare the lineage of an entity or column at two moments: what was added, ended or moved, by which run and actor.", h.lineageChanges)
	readTool(h, "queries", "Queries", "List the SQL queries that use an entity or column, and who uses it how often.", h.queries)
	readTool(h, "runs", "Runs", "List ingestion runs, newest first, rolled-back ones marked, or with run what that run wrote that is still current.", h.runs)
	readTool(h, "history", "History", "List the changes of an entity or column, newest first: schema, documentation, tags, terms, owners, lineage.", h.history)
}

// SearchArguments are the arguments of search.
type SearchArguments struct {
	Query     string   `json:"query,omitempty" jsonschema:"words that must all be there; or /q and a query of words, begin*, \"phrase\", <field>:<value>, AND, OR, -not and parentheses: /q tag:PII (orders OR refunds) -platform:kafka. Fields: name, description, column, tag, term, owner, domain, platform, env. Everything if left out"`
	Types     []string `json:"types,omitempty" jsonschema:"entity types, such as dataset, dashboard, chart, dataJob, glossaryTerm, corpuser"`
	Platforms []string `json:"platforms,omitempty" jsonschema:"such as snowflake"`
	Owners    []string `json:"owners,omitempty" jsonschema:"users or groups"`
	Tags      []string `json:"tags,omitempty"`
	Terms     []string `json:"terms,omitempty" jsonschema:"glossary terms"`
	Domains   []string `json:"domains,omitempty"`
	Paging
}

// SearchAnswer is the answer of search.
type SearchAnswer struct {
	Entities []Card `json:"entities"`
	// Note says by which words the entities were found, or gives advice if nothing is found.
	Note string `json:"note,omitempty"`
	Page
}

func (h *Handler) search(ctx context.Context, in *SearchArguments) (*SearchAnswer, error) {
	filter, err := h.filterOf(ctx, in)
	if err != nil {
		return nil, err
	}
	ctx, fresh := search.WithFreshness(ctx)
	found, err := h.catalog.Search.Search(ctx, search.Request{
		Types: in.Types, Input: in.Query, Filter: filter, Start: in.Start, Count: in.Limit, WithoutMatches: true, Facets: []string{}, MostWords: true,
	})
	if err != nil {
		return nil, err
	}
	urns := make([]model.URN, 0, len(found.Hits))
	for _, hit := range found.Hits {
		urns = append(urns, model.StoredURN(hit.URN))
	}
	sheets, err := h.sheets(ctx, urns)
	if err != nil {
		return nil, err
	}
	out := &SearchAnswer{Note: noteOf(in, found)}
	for i := range sheets {
		out.Entities = append(out.Entities, sheets[i].card(limits.MaxAgentListedText))
	}
	out.Entities = fitting(out.Entities, limits.MaxAgentAnswer)
	out.continues(in.Start, len(out.Entities), found.Total)
	if changes, late := fresh.Behind(); late {
		out.lacks("the search index lacks changes: " + search.Lacking(changes))
	}
	return out, nil
}

// noteOf says how the found entities differ from the entities that the caller searched for, ""
// if they do not differ. If nothing is found, noteOf gives advice.
func noteOf(in *SearchArguments, found *search.Result) string {
	most := found.MostWords
	switch filtered := len(in.Types)+len(in.Platforms)+len(in.Owners)+len(in.Tags)+len(in.Terms)+len(in.Domains) > 0; {
	case most != nil && most.Query != "":
		return fmt.Sprintf("no entity has all the words; these were found by: %s", most.Query)
	case most != nil && filtered:
		return "no entity that passes the filters has any of the words; try other words, or fewer filters"
	case most != nil:
		return "no entity has any of the words; try other words"
	case found.Total > 0:
		return ""
	case filtered && in.Query != "":
		return "nothing is found; try other words, or fewer filters"
	case filtered:
		return "no entity passes the filters; leave one out"
	}
	return "nothing is found; try words"
}

// filterOf makes the filter of a search. An entity passes if it has a value of each list that
// is not empty.
func (h *Handler) filterOf(ctx context.Context, in *SearchArguments) (*catalog.Filter, error) {
	var all []catalog.Criterion
	for _, c := range []struct {
		field string
		names []string
		types []string
	}{
		{"platform", in.Platforms, []string{model.EntityDataPlatform}},
		{"owners", in.Owners, []string{model.EntityCorpuser, model.EntityCorpGroup}},
		{"tags", in.Tags, []string{model.EntityTag}},
		{"glossaryTerms", in.Terms, []string{model.EntityGlossaryTerm}},
		{"domains", in.Domains, []string{model.EntityDomain}},
	} {
		if len(c.names) == 0 {
			continue
		}
		urns, err := h.urns(ctx, c.names, c.types...)
		if err != nil {
			return nil, err
		}
		all = append(all, catalog.Criterion{Field: c.field, Values: catalog.Texts(urns), Condition: catalog.CondEqual})
	}
	if len(all) == 0 {
		return nil, nil
	}
	return &catalog.Filter{Or: []catalog.Conjunction{{And: all}}}, nil
}

// EntitiesArguments are the arguments of entities.
type EntitiesArguments struct {
	Names []string `json:"names" jsonschema:"names or URNs"`
	AsOf  string   `json:"as_of,omitempty" jsonschema:"a past moment; now if left out"`
}

// EntitiesAnswer is the answer of entities.
type EntitiesAnswer struct {
	// AsOf is the past moment of the answer.
	AsOf string `json:"as_of,omitempty"`
	Sayings
	Entities []Detail `json:"entities"`
	// Failed are the names that could not be read, each with the reason.
	Failed []Failed `json:"failed,omitempty"`
	Page
}

// Failed is a name that could not be read.
type Failed struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func (h *Handler) entities(ctx context.Context, in *EntitiesArguments) (*EntitiesAnswer, error) {
	asOf, err := moment("as_of", in.AsOf)
	if err != nil {
		return nil, err
	}
	out := &EntitiesAnswer{AsOf: shown(asOf)}
	var urns []model.URN
	for _, name := range in.Names {
		u, err := h.entity(ctx, name)
		switch catalog.CodeOf(err) {
		case catalog.Invalid, catalog.NotFound:
			if err != nil {
				out.Failed = append(out.Failed, Failed{clip(name, limits.MaxAgentListedText), catalog.MessageOf(err)})
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		urns = append(urns, u)
	}
	if len(urns) == 0 && len(out.Failed) == 1 {
		return nil, catalog.Errorf(catalog.NotFound, "%s", out.Failed[0].Reason)
	}
	urns = catalog.Distinct(urns)
	sheets, err := h.sheetsAt(ctx, urns, asOf, detailed...)
	if err != nil {
		return nil, err
	}
	for i := range sheets {
		if asOf != 0 && !sheets[i].stored {
			out.Failed = append(out.Failed, Failed{sheets[i].urn.String(), "nothing of it had been recorded at that moment"})
			continue
		}
		out.Entities = append(out.Entities, sheets[i].detail())
	}
	if err := h.nameOwners(ctx, out.Entities); err != nil {
		return nil, err
	}
	if asOf != 0 {
		out.lacks("names and addresses of owners are as of now; who stated what, freshness and checks are known of now only and left out")
	} else if err := h.complete(ctx, out, urns); err != nil {
		return nil, err
	}
	total := len(out.Entities)
	if out.Entities = fittingSaid(&out.Sayings, out.Entities, limits.MaxAgentAnswer); len(out.Entities) < total {
		out.lacks("the answer became too large; ask for the other entities again")
	}
	return out, nil
}

// complete adds what is known of the present only: who stated labels, and the quality.
func (h *Handler) complete(ctx context.Context, out *EntitiesAnswer, urns []model.URN) error {
	cut, err := h.stateLabels(ctx, urns, out.Entities)
	if err != nil {
		return err
	}
	if cut {
		out.lacks("an entity has too many tags, terms and owners to say of each who stated it")
	}
	if cut, err = h.addQuality(ctx, urns, out.Entities); err != nil {
		return err
	}
	if cut {
		out.lacks("an entity has more assertions or incidents than are listed")
	}
	return nil
}

// ColumnsArguments are the arguments of columns.
type ColumnsArguments struct {
	Dataset string `json:"dataset" jsonschema:"name or URN"`
	Filter  string `json:"filter,omitempty" jsonschema:"a text that the path, type, description, a tag or a term contains"`
	AsOf    string `json:"as_of,omitempty" jsonschema:"a past moment; now if left out"`
	Paging
}

// ColumnsAnswer is the answer of columns.
type ColumnsAnswer struct {
	URN string `json:"urn"`
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
	Path string `json:"path"`
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

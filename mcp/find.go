package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// addReads adds the tools that change nothing.
func (h *Handler) addReads() {
	readTool(h, "search", "Search", "Find entities by words, a /q query and filters. Values of filters are names or URNs; tags and terms of columns count for datasets. After those with all words come those with most.", h.search)
	readTool(h, "entities", "Entities", "Read what is known of up to 20 entities: description, owners with addresses, tags, terms, who stated these, freshness, checks, properties, links; of people title and address. With as_of, as of then.", h.entities)
	readTool(h, "columns", "Columns", "List the columns of a dataset, with as_of as recorded then. Or find columns of all datasets by words, tags, personal data, types, owners: with owners and how many columns derive from each.", h.columns)
	readTool(h, "lineage", "Lineage", "List what an entity or column is made from (upstream) or what is made from it (downstream), nearest first, with who stated the edge to it; with as_of, at a past moment.", h.lineage)
	readTool(h, "paths", "Paths", "Show how data gets from one entity or column to another, such as from a column to a dashboard: the shortest paths, with how each edge derives and who stated it.", h.paths)
	readTool(h, "impact", "Impact of a change", "Show what breaks, certainly or possibly, if a column or a whole table is dropped, or a column renamed or retyped, and which owners to notify.", h.impact)
	readTool(h, "lineage_changes", "Changes of lineage", "Compare the lineage of an entity or column at two moments: what was added, ended or moved, by which run and actor.", h.lineageChanges)
	readTool(h, "queries", "Queries", "List the SQL queries that use an entity or column, and who uses it how often.", h.queries)
	readTool(h, "sql", "Read SQL", "Read SQL that somebody gives you: the tables and columns that it reads and writes, with owners, labels and personal data, and whether it still runs or names what is gone, since when.", h.sql)
	readTool(h, "unused_columns", "Columns that nobody reads", "List columns that nobody reads, by lineage, SQL, usage and saved queries of the last days, each with what the verdict rests on: of named datasets, of those found by words, of a platform.", h.unusedColumns)
	readTool(h, "runs", "Runs", "List ingestion runs, newest first, rolled-back ones marked, or with run what that run wrote that is still current.", h.runs)
	readTool(h, "history", "History", "List the changes of an entity or column, newest first: schema, documentation, tags, terms, owners, lineage; and those of a dataset that were announced and are expected.", h.history)
}

// SearchArguments are the arguments of search.
type SearchArguments struct {
	Query     string   `json:"query,omitempty" jsonschema:"words, also names of types and platforms; or /q and a query of words, begin*, \"phrase\", <field>:<value>, AND, OR, -not and parentheses: /q tag:PII (orders OR refunds) -platform:kafka. Fields: name, description, column, tag, term, owner, domain, platform, env. Everything if left out"`
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
	Entities []FoundCard `json:"entities"`
	// Note says how many entities have all words, or gives advice if nothing is found.
	Note string `json:"note,omitempty"`
	Page
}

// FoundCard is an entity that a search found.
type FoundCard struct {
	Card
	// Missing are the words that the entity does not have.
	Missing []string `json:"missing,omitempty"`
}

func (h *Handler) search(ctx context.Context, in *SearchArguments) (*SearchAnswer, error) {
	filter, err := h.filterOf(ctx, in)
	if err != nil {
		return nil, err
	}
	ctx, fresh := search.WithFreshness(ctx)
	found, err := h.catalog.Search.Search(ctx, search.Request{
		Types: in.Types, Input: in.Query, Filter: filter, Start: in.Start, Count: in.Limit, WithoutMatches: true, Facets: []string{}, AsTyped: true,
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
		out.Entities = append(out.Entities, FoundCard{sheets[i].card(limits.MaxAgentListedText), found.Hits[i].Missing})
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
	typed := found.Typed
	switch filtered := len(in.Types)+len(in.Platforms)+len(in.Owners)+len(in.Tags)+len(in.Terms)+len(in.Domains) > 0; {
	case typed != nil && found.Total == 0 && filtered:
		return "no entity that passes the filters has any of the words; try other words, or fewer filters"
	case typed != nil && found.Total == 0:
		return "no entity has any of the words; try other words"
	case typed != nil && found.Total > typed.All:
		return fmt.Sprintf("%d of %d entities have all of the words %s; the others lack those in missing", typed.All, found.Total, strings.Join(typed.Words, ", "))
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

// complete adds facts that are known of the present only: who stated labels, and the quality.
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

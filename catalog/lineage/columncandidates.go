package lineage

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// personalWords are the words in the names of tags, terms and term groups that say that data is
// about persons.
var personalWords = []string{"pii", "personal", "gdpr", "phi"}

// personalLabels returns the tags and terms of personal data: their own name, or the name of the
// group of a term, has one of the words. If there are more labels than a search may have, the page
// is partial.
func (s *Service) personalLabels(ctx context.Context, page *FoundColumns) ([]string, error) {
	find := func(filter *catalog.Filter, input string, types ...string) ([]string, error) {
		found, err := s.search.Search(ctx, search.Request{Types: types, Input: input, Filter: filter, Count: limits.MaxPersonalLabels, WithoutMatches: true, Facets: []string{}})
		if err != nil {
			return nil, err
		}
		if found.Total > len(found.Hits) && len(found.Hits) == limits.MaxPersonalLabels {
			page.Partial = true
			page.Reason = fmt.Sprintf("more labels may be about personal data than are looked for, %d", limits.MaxPersonalLabels)
		}
		var urns []string
		for _, hit := range found.Hits {
			urns = append(urns, hit.URN)
		}
		return urns, nil
	}
	named := "/q name:" + strings.Join(personalWords, " OR name:")
	labels, err := find(nil, named, model.EntityTag, model.EntityGlossaryTerm)
	if err != nil {
		return nil, err
	}
	groups, err := find(nil, named, model.EntityGlossaryNode)
	if err != nil || len(groups) == 0 {
		return labels, err
	}
	within, err := find(&catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{
		{Field: "parentNode", Values: groups, Condition: catalog.CondDescendants},
	}}}}, "*", model.EntityGlossaryTerm)
	for _, term := range within {
		if !slices.Contains(labels, term) {
			labels = append(labels, term)
		}
	}
	return labels, err
}

// PersonalLabels returns the URNs of the tags and terms of personal data. partial says that there may be more
// than were looked for, "" if all are returned. PersonalLabels fails without a search index.
func (s *Service) PersonalLabels(ctx context.Context) (labels []string, partial string, err error) {
	page := &FoundColumns{}
	labels, err = s.personalLabels(ctx, page)
	return labels, page.Reason, err
}

// columnCandidates returns the datasets that may have columns that pass a request, and the labels
// that entities of columns have themselves.
func (s *Service) columnCandidates(ctx context.Context, wanted *wantedColumns, page *FoundColumns) ([]string, map[string]*columnLabelled, error) {
	labels := slices.Concat(slices.Collect(maps.Keys(wanted.labels)), slices.Collect(maps.Keys(wanted.personal)))
	facts := wanted.facts()
	if len(labels) == 0 {
		datasets, err := s.candidates(ctx, page, search.Request{Types: []string{model.EntityDataset}, Input: wanted.words.Datasets(), Filter: filterOf(facts)})
		return datasets, nil, err
	}
	columns, err := s.candidates(ctx, page, search.Request{
		Types: []string{model.EntitySchemaField}, Input: "*", Filter: filterOf(nil, labelled("tags", labels), labelled("glossaryTerms", labels)),
	})
	if err != nil {
		return nil, nil, err
	}
	own, err := s.ownLabels(ctx, columns)
	if err != nil {
		return nil, nil, err
	}
	datasets, err := s.candidates(ctx, page, search.Request{
		Types: []string{model.EntityDataset}, Input: wanted.words.Datasets(),
		Filter: filterOf(facts, labelled("fieldTags", labels), labelled("fieldGlossaryTerms", labels)),
	})
	if err != nil || len(columns) == 0 {
		return datasets, own, err
	}
	parents := make([]string, len(columns))
	for i := range columns {
		parents[i] = assetOf(columns[i])
	}
	more, err := s.candidates(ctx, page, search.Request{
		Types: []string{model.EntityDataset}, Input: wanted.words.Datasets(), Filter: filterOf(facts), Within: distinct(parents),
	})
	return distinct(append(datasets, more...)), own, err
}

// candidates returns the URNs that a search finds, in order.
func (s *Service) candidates(ctx context.Context, page *FoundColumns, r search.Request) ([]string, error) {
	r.Count, r.WithoutMatches, r.Facets = limits.MaxColumnDatasets, true, []string{}
	r.Sort = &search.SortCriterion{Field: "urn", Order: "ASCENDING"}
	found, err := s.search.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	if found.Total > len(found.Hits) && len(found.Hits) == r.Count {
		page.Partial = true
		page.Reason = fmt.Sprintf("more datasets may have such columns than are looked at, %d", limits.MaxColumnDatasets)
	}
	urns := make([]string, len(found.Hits))
	for i := range found.Hits {
		urns[i] = found.Hits[i].URN
	}
	slices.Sort(urns)
	return urns, nil
}

func labelled(field string, labels []string) catalog.Criterion {
	return catalog.Criterion{Field: field, Values: labels, Condition: catalog.CondEqual}
}

// filterOf returns the filter for entities that have all facts and, if there are alternatives, one of them.
func filterOf(facts []catalog.Criterion, alternatives ...catalog.Criterion) *catalog.Filter {
	filter := &catalog.Filter{}
	for _, one := range alternatives {
		filter.Or = append(filter.Or, catalog.Conjunction{And: append(slices.Clone(facts), one)})
	}
	if len(alternatives) == 0 && len(facts) > 0 {
		filter.Or = []catalog.Conjunction{{And: facts}}
	}
	return filter
}

// facts are the criteria for the datasets of the columns.
func (w *wantedColumns) facts() []catalog.Criterion {
	var all []catalog.Criterion
	for _, fact := range []struct {
		field, condition string
		urns             []model.URN
	}{
		{"urn", catalog.CondEqual, w.Datasets},
		{"platform", catalog.CondEqual, w.Platforms},
		{"owners", catalog.CondEqual, w.Owners},
		{"domains", catalog.CondDescendants, w.Domains},
	} {
		if len(fact.urns) > 0 {
			all = append(all, catalog.Criterion{Field: fact.field, Values: catalog.Texts(fact.urns), Condition: fact.condition})
		}
	}
	return all
}

// columnLabelled are the tags and terms that the entity of a column has itself.
type columnLabelled struct{ tags, terms []string }

// ownLabels reads the labels that entities of columns have themselves.
func (s *Service) ownLabels(ctx context.Context, columns []string) (map[string]*columnLabelled, error) {
	own := map[string]*columnLabelled{}
	err := s.eachAspects(ctx, columns, []string{model.AspectGlobalTags, model.AspectGlossaryTerms}, func(urn string, aspects []graphstore.Aspect) error {
		own[urn] = &columnLabelled{}
		for i := range aspects {
			if err := s.readOwn(own[urn], aspects[i].Value); err != nil {
				return catalog.Errorf(catalog.Internal, "%s of %s: %w", aspects[i].Name, urn, err)
			}
		}
		return nil
	})
	return own, err
}

func (s *Service) readOwn(own *columnLabelled, value json.RawMessage) error {
	tree, err := catalog.TreeOf(value)
	if err != nil {
		return err
	}
	spelled := func(text string) string {
		if u, err := s.registry.ReadURN(text); err == nil {
			return u.String()
		}
		return text
	}
	for _, item := range jsontree.Items(tree, "tags") {
		own.tags = append(own.tags, spelled(jsontree.Text(item, "tag")))
	}
	for _, item := range jsontree.Items(tree, "terms") {
		own.terms = append(own.terms, spelled(jsontree.Text(item, "urn")))
	}
	return nil
}

// addTo adds the labels of a column's own entity, which somebody added beside the schema, to the
// labels that the column has in the aspects of its dataset.
func (own *columnLabelled) addTo(c *statements.Column) {
	if own == nil {
		return
	}
	add := func(list *[]string, labels []string) {
		for _, label := range labels {
			if label != "" && !slices.Contains(*list, label) {
				*list, c.Edited = append(*list, label), append(c.Edited, label)
			}
		}
	}
	add(&c.Tags, own.tags)
	add(&c.Terms, own.terms)
}

// columnFacets counts columns by the facts that requests select by.
func (s *Service) columnFacets(columns []FoundColumn, facts map[string]*datasetFacts) []search.Facet {
	names := []string{"labels", "types", "platforms", "owners", "domains"}
	titles := []string{"Tag or term", "Type", "Platform", "Owner", "Domain"}
	counts := make([]counter, len(names))
	for i := range counts {
		counts[i] = counter{}
	}
	for i := range columns {
		c := &columns[i]
		for k, values := range [][]string{
			slices.Concat(c.Column.Tags, c.Column.Terms), {c.Column.NativeType}, {s.platformIn(c.Dataset)}, facts[c.Dataset].owners, facts[c.Dataset].domains,
		} {
			for _, value := range values {
				if value != "" {
					counts[k][value]++
				}
			}
		}
	}
	facets := make([]search.Facet, len(names))
	for k := range names {
		facets[k] = search.Facet{Field: names[k], DisplayName: titles[k]}
		groups := counts[k].groups()
		for _, g := range groups[:min(len(groups), limits.MaxColumnFacetValues)] {
			facets[k].Counts = append(facets[k].Counts, indexer.Count{Value: g.Value, Docs: g.Count})
		}
	}
	return facets
}

// platformIn returns the platform in the URN of a dataset.
func (s *Service) platformIn(dataset string) string {
	parts := model.StoredURN(dataset).Parts()
	if len(parts) != 3 {
		return ""
	}
	if u, err := s.registry.ReadURN(parts[0]); err == nil {
		return u.String()
	}
	return parts[0]
}

package lineage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// ColumnsRequest asks for columns of datasets. A column has the platform, owners and domains of
// its dataset. A column is found if it passes every list, and it passes a list that is empty or
// has one of its values.
type ColumnsRequest struct {
	// Words are searched for in paths and descriptions, see [search.ColumnWords].
	Words string
	// Labels are tags and glossary terms of columns.
	Labels []model.URN
	// Personal asks for the columns that have a label of personal data; Labels then narrow these.
	Personal bool
	// Datasets, Platforms, Owners and Domains are URNs. A domain includes the domains within it.
	Datasets, Platforms, Owners, Domains []model.URN
	// Types are types of the source, in any letter case.
	Types        []string
	Start, Count int
}

// FoundColumn is a column that was found.
type FoundColumn struct {
	LabelledColumn
	// DatasetPath is the name of the dataset with the names of the containers around it.
	DatasetPath string
	// Domains are the domains of the dataset.
	Domains []string
	// Downstreams counts the columns one hop downstream or, if no lineage of the column is known,
	// the entities one hop downstream of its dataset, which may have its data.
	Downstreams int
	place       int
}

// FoundColumns is a page of the columns that were found: columns with the words as their name come
// first, then columns with the words in the path; both are ordered by dataset and path.
type FoundColumns struct {
	Columns []FoundColumn
	// Total and Datasets count all columns found, and the datasets that have them.
	Start, Total, Datasets int
	// Personal lists the labels of personal data, if the request asks for them.
	Personal []string
	// Facets count the columns by label, type, platform, owner and domain.
	Facets []search.Facet
	// Partial tells that there may be more columns than were looked at; Reason says why.
	Partial bool
	Reason  string
}

// FindColumns finds columns by words, labels, types and the facts of their datasets. Columns of
// soft-deleted datasets are left out.
func (s *Service) FindColumns(ctx context.Context, r ColumnsRequest) (*FoundColumns, error) {
	wanted, err := s.checkColumns(&r)
	if err != nil {
		return nil, err
	}
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	page := &FoundColumns{Start: r.Start}
	if r.Personal {
		labels, err := s.personalLabels(ctx, page)
		if err != nil {
			return nil, err
		}
		page.Personal, wanted.personal = labels, setOf(labels)
		if len(labels) == 0 {
			return page, nil
		}
	}
	all, err := s.matchingColumns(ctx, wanted, page)
	if err != nil {
		return nil, err
	}
	facts, err := s.datasetFacts(ctx, all)
	if err != nil {
		return nil, err
	}
	page.Total, page.Datasets = len(all), len(facts)
	page.Facets = s.columnFacets(all, facts)
	slices.SortStableFunc(all, func(a, b FoundColumn) int { return cmp.Compare(a.place, b.place) })
	page.Columns = slices.Clone(all[min(r.Start, len(all)):min(r.Start+r.Count, len(all))])
	return page, s.completeColumns(ctx, page.Columns, facts)
}

// wantedColumns is a checked request.
type wantedColumns struct {
	*ColumnsRequest
	words            search.ColumnWords
	labels, personal map[string]bool
}

func (s *Service) checkColumns(r *ColumnsRequest) (*wantedColumns, error) {
	if r.Start < 0 || r.Count < 0 || r.Count > limits.MaxFoundColumns {
		return nil, catalog.Errorf(catalog.Invalid, "a page begins at 0 or later and has at most %d columns", limits.MaxFoundColumns)
	}
	words, err := search.ReadColumnWords(r.Words)
	if err != nil {
		return nil, err
	}
	for _, list := range []struct {
		name  string
		urns  []model.URN
		types []string
	}{
		{"labels", r.Labels, []string{model.EntityTag, model.EntityGlossaryTerm}},
		{"datasets", r.Datasets, []string{model.EntityDataset}},
		{"platforms", r.Platforms, []string{model.EntityDataPlatform}},
		{"owners", r.Owners, []string{model.EntityCorpuser, model.EntityCorpGroup}},
		{"domains", r.Domains, []string{model.EntityDomain}},
	} {
		if err := catalog.TooMany(list.name, len(list.urns), limits.MaxColumnLabels); err != nil {
			return nil, err
		}
		for _, urn := range list.urns {
			if err := catalog.RequireType(urn, list.types...); err != nil {
				return nil, err
			}
		}
	}
	return &wantedColumns{ColumnsRequest: r, words: words, labels: setOf(catalog.Texts(r.Labels))}, catalog.TooMany("types", len(r.Types), limits.MaxColumnLabels)
}

func setOf(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}

// matchingColumns returns the columns that pass the request, by dataset and path.
func (s *Service) matchingColumns(ctx context.Context, wanted *wantedColumns, page *FoundColumns) ([]FoundColumn, error) {
	datasets, own, err := s.columnCandidates(ctx, wanted, page)
	if err != nil {
		return nil, err
	}
	var all []FoundColumn
	for some := range slices.Chunk(datasets, aspectsAtOnce) {
		stored, err := s.store.LatestAspects(ctx, some, []string{model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for _, dataset := range some {
			columns, err := s.labelledOf(dataset, stored[dataset])
			if err != nil {
				return nil, err
			}
			// A schema may state a column twice; it is found once.
			seen := make(map[string]bool, len(columns))
			for i := range columns {
				c := FoundColumn{LabelledColumn: columns[i]}
				own[c.URN].addTo(&c.Column)
				if !seen[c.URN] && wanted.passes(&c) {
					seen[c.URN] = true
					all = append(all, c)
				}
			}
			if len(all) > limits.MaxFoundColumns {
				page.Partial, page.Reason = true, fmt.Sprintf("there are more columns than are looked at, %d", limits.MaxFoundColumns)
				return all[:limits.MaxFoundColumns], nil
			}
		}
	}
	return all, nil
}

// passes reports whether a column has the words, the labels and the type, and sets its place.
func (w *wantedColumns) passes(c *FoundColumn) bool {
	has := func(set map[string]bool) bool {
		of := func(label string) bool { return set[label] }
		return slices.ContainsFunc(c.Column.Tags, of) || slices.ContainsFunc(c.Column.Terms, of)
	}
	if w.Personal && !has(w.personal) || len(w.labels) > 0 && !has(w.labels) {
		return false
	}
	if len(w.Types) > 0 && !slices.ContainsFunc(w.Types, func(t string) bool { return strings.EqualFold(t, c.Column.NativeType) }) {
		return false
	}
	c.DatasetPath = model.DatasetName(c.Dataset)
	c.place = w.words.In(model.PlainPath(c.Column.Path), c.Column.Description, c.DatasetPath)
	return c.place < search.NotInColumn
}

// completeColumns adds owners, domains and the numbers of columns downstream to a page.
func (s *Service) completeColumns(ctx context.Context, columns []FoundColumn, facts map[string]*datasetFacts) error {
	urns, datasets := make([]string, len(columns)), make([]string, len(columns))
	owned := counter{}
	for i := range columns {
		urns[i], datasets[i] = columns[i].URN, columns[i].Dataset
		owned.addOwners(facts[columns[i].Dataset].owners)
	}
	named, err := s.nameOwners(ctx, owned.groups())
	if err != nil {
		return err
	}
	known := make(map[string]ImpactOwner, len(named))
	for _, owner := range named {
		owner.Count = 0
		known[owner.URN] = owner
	}
	own, err := s.ownLabels(ctx, urns)
	if err != nil {
		return err
	}
	counts, err := s.countNeighbours(ctx, distinct(slices.Concat(urns, datasets)), 0)
	if err != nil {
		return err
	}
	for i := range columns {
		c := &columns[i]
		of := facts[c.Dataset]
		own[c.URN].addTo(&c.Column)
		c.Domains, c.Downstreams = of.domains, counts[c.URN].downstreams
		if c.Downstreams == 0 {
			c.Downstreams = counts[c.Dataset].downstreams
		}
		for _, owner := range of.owners {
			c.Owners = append(c.Owners, known[owner])
		}
	}
	return nil
}

// datasetFacts are the facts of a dataset that its columns share.
type datasetFacts struct{ owners, domains []string }

func (s *Service) datasetFacts(ctx context.Context, columns []FoundColumn) (map[string]*datasetFacts, error) {
	facts := map[string]*datasetFacts{}
	var reached []Reached
	for i := range columns {
		if dataset := columns[i].Dataset; facts[dataset] == nil {
			facts[dataset] = &datasetFacts{}
			reached = append(reached, Reached{URN: dataset})
		}
	}
	for _, fact := range []struct {
		relationship string
		set          func(of *datasetFacts, ends []string)
	}{
		{model.RelationshipOwnedBy, func(of *datasetFacts, ends []string) { of.owners = ends }},
		{model.RelationshipAssociatedWith, func(of *datasetFacts, ends []string) { of.domains = ends }},
	} {
		ends, err := s.endsOf(ctx, reached, fact.relationship, 0)
		if err != nil {
			return nil, err
		}
		for dataset, of := range facts {
			fact.set(of, ends[dataset])
		}
	}
	return facts, nil
}

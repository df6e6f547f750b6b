package visible

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// Index is a search index that shows each caller only the entities that the caller may see. Writes, and
// requests without a caller, reach the index below unchanged.
type Index struct {
	indexer.Index
	store Graph
	// urns are the fields with URNs.
	urns map[string]*urnField
	// tells has, by its name, the fields that each field counts, or of which it tells that there are any.
	tells map[string][]string
	// parentOfDomains tells that no other type has a field named parentDomain, so that conditions on it need no type.
	parentOfDomains bool
}

var _ indexer.Index = (*Index)(nil)

// NewIndex makes an Index over another. It asks the store which entities are below domains, containers and
// terms.
func NewIndex(inner indexer.Index, store Graph, registry *model.Registry) *Index {
	schema := indexer.NewSchema(registry)
	return &Index{
		Index: inner, store: store, urns: urnFields(registry, schema), tells: tellingFields(registry, schema),
		parentOfDomains: !slices.ContainsFunc(registry.Entities(), func(e *model.Entity) bool {
			_, has := schema.Field(e.Name, parentDomain)
			return has && e.Name != model.EntityDomain
		}),
	}
}

// narrowing is a view with its condition, for one call.
type narrowing struct {
	*sight
	index     *Index
	condition indexer.Expr
	// without are the classes of text that the caller may not search.
	without indexer.ClassSet
	fields  openFields
}

// narrow returns the view and the condition by which a call must be narrowed, nil for a caller who sees
// everything.
func (x *Index) narrow(ctx context.Context) (*narrowing, error) {
	view := of(ctx)
	if view == nil {
		return nil, nil
	}
	condition, err := x.condition(ctx, view)
	return &narrowing{
		sight: view, index: x, condition: condition, without: view.closedClasses(),
		fields: openFields{sight: view, urns: x.urns, open: map[string]bool{}},
	}, err
}

// filter returns a condition that holds only for visible entities, and in which hidden entities are no
// values. The URNs of the hits themselves need no such care: a hidden one belongs to no visible hit. A search in a walk
// names thousands of them.
func (n *narrowing) filter(ctx context.Context, e indexer.Expr) (indexer.Expr, error) {
	e, err := n.presence(ctx, e)
	if err != nil {
		return nil, err
	}
	named := n.maybeHidden()
	eachValue(e, named.addText)
	hidden, err := n.hiddenOf(ctx, &named)
	if err != nil {
		return nil, err
	}
	if hidden != nil {
		e = withoutValues(e, hidden)
	}
	e = n.fields.closed(e, n.without)
	return indexer.Simplify(indexer.And{e, n.condition}), nil
}

const urnPrefix = "urn:"

func isURN(text string) bool {
	return strings.HasPrefix(text, urnPrefix) && !model.StoredURN(text).IsZero()
}

func eachValue(e indexer.Expr, found func(value string)) {
	each := func(texts []string) {
		for _, text := range texts {
			found(text)
		}
	}
	switch e := e.(type) {
	case indexer.And:
		for _, part := range e {
			eachValue(part, found)
		}
	case indexer.Or:
		for _, part := range e {
			eachValue(part, found)
		}
	case indexer.Not:
		eachValue(e.Expr, found)
	case indexer.In:
		if e.Field != indexer.FieldURN {
			each(e.Values)
		}
	case indexer.Match:
		each(e.Texts)
	}
}

// withoutValues returns a condition without values that are hidden entities.
func withoutValues(e indexer.Expr, hidden map[string]bool) indexer.Expr {
	left := func(texts []string) []string {
		kept := make([]string, 0, len(texts))
		for _, text := range texts {
			if !hidden[text] && !namesHidden(text, hidden) {
				kept = append(kept, text)
			}
		}
		return kept
	}
	without := func(part indexer.Expr) indexer.Expr { return withoutValues(part, hidden) }
	switch e := e.(type) {
	case indexer.And:
		return indexer.And(indexer.EachOf(e, without))
	case indexer.Or:
		return indexer.Or(indexer.EachOf(e, without))
	case indexer.Not:
		return indexer.Not{Expr: without(e.Expr)}
	case indexer.In:
		if e.Field == indexer.FieldURN {
			return e
		}
		if e.Values = left(e.Values); len(e.Values) == 0 {
			return indexer.Or{}
		}
		return e
	case indexer.Match:
		if e.Texts = left(e.Texts); len(e.Texts) == 0 {
			return indexer.Or{}
		}
		return e
	}
	return e
}

// query returns a query that looks only at what the caller may search.
func (n *narrowing) query(ctx context.Context, q *indexer.Query) (*indexer.Query, error) {
	narrowed := *q
	narrowed.Text.Without |= n.without
	narrowed.Facets = slices.DeleteFunc(slices.Clone(q.Facets), n.tellsOfHidden)
	for _, key := range q.Sort {
		if n.tellsOfHidden(key.Field) {
			return nil, countsHidden(key.Field)
		}
	}
	var err error
	narrowed.Filter, err = n.filter(ctx, q.Filter)
	return &narrowed, err
}

// Search answers a query.
func (x *Index) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	n, err := x.narrow(ctx)
	if n == nil || err != nil {
		if err != nil {
			return nil, err
		}
		return x.Index.Search(ctx, q)
	}
	narrowed, err := n.query(ctx, q)
	if err != nil {
		return nil, err
	}
	return n.answer(ctx, narrowed, q.FacetSize, x.Index.Search)
}

// facetRoom is how many more values of a facet are asked for than wanted, because some may be hidden.
const facetRoom = 4

// answer asks a narrowed query, and removes hidden entities from the values of its answer.
func (n *narrowing) answer(ctx context.Context, q *indexer.Query, wanted int, ask func(context.Context, *indexer.Query) (*indexer.Result, error)) (*indexer.Result, error) {
	for {
		result, err := ask(ctx, q)
		if err != nil {
			return nil, err
		}
		short, err := n.clean(ctx, result, q.FacetSize, wanted)
		if err != nil || !short || q.FacetSize > maxFacetSize {
			return result, err
		}
		q.FacetSize *= facetRoom
	}
}

// maxFacetSize bounds the values of a facet that are read.
const maxFacetSize = 10_000

// clean removes hidden entities from an answer. It reports true if a facet lost so many values that it
// may have fewer than wanted.
func (n *narrowing) clean(ctx context.Context, result *indexer.Result, read, wanted int) (short bool, err error) {
	named := n.maybeHidden()
	for i := range result.Facets {
		for _, count := range result.Facets[i].Counts {
			named.addText(count.Value)
		}
	}
	for i := range result.Hits {
		named.addHit(&result.Hits[i])
	}
	hidden, err := n.hiddenOf(ctx, &named)
	if err != nil {
		return false, err
	}
	result.Hits = n.cleanHits(result.Hits, hidden)
	if hidden == nil {
		return false, nil
	}
	facets := result.Facets
	result.Facets = nil
	for _, facet := range facets {
		var left []indexer.Count
		for _, count := range facet.Counts {
			if !hidden[count.Value] && !namesHidden(count.Value, hidden) {
				left = append(left, count)
			}
		}
		short = short || len(left) < wanted && len(facet.Counts) >= read && read > 0
		if facet.Counts = left[:min(len(left), wanted)]; len(left) > 0 {
			result.Facets = append(result.Facets, facet)
		}
	}
	return short, nil
}

// separator separates the steps of browse paths of the second version.
const separator = "\u241f"

func (n *named) addHit(hit *indexer.Hit) {
	for field, values := range hit.Values {
		if field == indexer.FieldURN {
			continue
		}
		for _, value := range values {
			n.addText(value)
		}
	}
}

// addText adds the URNs that a value of a document is, or has as steps of a path.
func (n *named) addText(value string) {
	switch {
	case strings.HasPrefix(value, urnPrefix):
		if !n.collects(value) {
			return
		}
		if isURN(value) {
			n.addNamed(value)
			return
		}
	case len(value) < len(urnPrefix)+len(separator): // most values are short words
		return
	}
	if strings.Contains(value, separator) {
		for step := range strings.SplitSeq(value, separator) {
			if isURN(step) {
				n.addNamed(step)
			}
		}
	}
}

// namesHidden reports whether a value is a path with a hidden step.
func namesHidden(value string, hidden map[string]bool) bool {
	if !strings.Contains(value, separator) {
		return false
	}
	for step := range strings.SplitSeq(value, separator) {
		if hidden[step] {
			return true
		}
	}
	return false
}

// cleanHits returns hits without the values that are hidden entities or paths through them, and without the fields that tell
// whether such values are there.
func (n *narrowing) cleanHits(hits []indexer.Hit, hidden map[string]bool) []indexer.Hit {
	if hidden == nil && !slices.ContainsFunc(hits, n.tellsIn) {
		return hits
	}
	clean := make([]indexer.Hit, len(hits))
	for i, hit := range hits {
		clean[i] = hit
		if hit.Values == nil {
			continue
		}
		clean[i].Values = make(map[string][]string, len(hit.Values))
		of := concealed{hidden, hit.URN}
		for field, values := range hit.Values {
			if n.tellsOfHidden(field) {
				continue
			}
			left := make([]string, 0, len(values))
			for _, value := range values {
				if field == indexer.FieldURN || !of.has(value) && !namesHidden(value, hidden) {
					left = append(left, value)
				}
			}
			if len(left) > 0 {
				clean[i].Values[field] = left
			}
		}
	}
	return clean
}

// SearchMany answers several queries.
func (x *Index) SearchMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	n, err := x.narrow(ctx)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return x.Index.SearchMany(ctx, queries)
	}
	narrowed := make([]*indexer.Query, len(queries))
	for i, q := range queries {
		if narrowed[i], err = n.query(ctx, q); err != nil {
			return nil, err
		}
	}
	answers, err := x.Index.SearchMany(ctx, narrowed)
	if err != nil {
		return nil, err
	}
	for i := range answers {
		if answers[i].Err != nil {
			continue
		}
		short, err := n.clean(ctx, answers[i].Result, narrowed[i].FacetSize, queries[i].FacetSize)
		if err == nil && short {
			narrowed[i].FacetSize *= facetRoom
			answers[i].Result, err = n.answer(ctx, narrowed[i], queries[i].FacetSize, x.Index.Search)
		}
		if err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// Suggest returns documents with completions.
func (x *Index) Suggest(ctx context.Context, q *indexer.SuggestQuery) ([]indexer.Hit, error) {
	n, err := x.narrow(ctx)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return x.Index.Suggest(ctx, q)
	}
	narrowed := *q
	narrowed.Fields = n.fields.completed(q.Fields)
	if narrowed.Filter, err = n.filter(ctx, q.Filter); err != nil {
		return nil, err
	}
	hits, err := x.Index.Suggest(ctx, &narrowed)
	if err != nil {
		return nil, err
	}
	named := n.maybeHidden()
	for i := range hits {
		named.addHit(&hits[i])
	}
	hidden, err := n.hiddenOf(ctx, &named)
	if err != nil {
		return nil, err
	}
	return n.cleanHits(hits, hidden), nil
}

// Groups counts documents by browse paths. A group whose path names a hidden entity is absent.
func (x *Index) Groups(ctx context.Context, q *indexer.GroupQuery) ([]indexer.Group, error) {
	n, err := x.narrow(ctx)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return x.Index.Groups(ctx, q)
	}
	narrowed := *q
	if narrowed.Filter, err = n.filter(ctx, q.Filter); err != nil {
		return nil, err
	}
	groups, err := x.Index.Groups(ctx, &narrowed)
	if err != nil {
		return nil, err
	}
	named := n.maybeHidden()
	named.addText(q.Path)
	for i := range groups {
		named.addText(groups[i].Path)
	}
	hidden, err := n.hiddenOf(ctx, &named)
	if err != nil || hidden == nil {
		return groups, err
	}
	if namesHidden(q.Path, hidden) {
		return nil, nil
	}
	left := make([]indexer.Group, 0, len(groups))
	for _, group := range groups {
		if !namesHidden(group.Path, hidden) && !hidden[group.Path] {
			left = append(left, group)
		}
	}
	return left, nil
}

// tooManyValues is the error of conditions that name too much.
func tooManyValues() error {
	return catalog.Errorf(catalog.Unavailable, "the policies about you name too many entities for a search; an administrator can simplify them")
}

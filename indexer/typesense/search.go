package typesense

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/typesense/typesense-go/v3/typesense"
	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"github.com/headwater-io/headwater/indexer"
)

// Bounds of the server: hits on a page, searches in a request, groups.
const (
	maxPerPage  = 250
	maxSearches = 40
	maxGroups   = 10_000
	// maxCandidates is how many words a prefix may expand to.
	maxCandidates = 10_000
)

// parameters are those of one search.
type parameters = api.MultiSearchCollectionParameters

// Search answers a query.
func (x *Index) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	result, err := x.search(ctx, q)
	return result, failure(err)
}

func (x *Index) search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	if err := x.open(); err != nil {
		return nil, err
	}
	condition, err := x.compile(ctx, indexer.Simplify(q.Filter))
	if err != nil {
		return nil, err
	}
	s := &search{index: x, query: q, condition: condition, from: q.From, size: q.Size}
	if err := s.begin(); err != nil {
		return nil, err
	}
	result, err := s.run(ctx)
	if err == nil && result.Total == 0 && q.Text.Typos && len(q.Text.Tokens) > 0 {
		s.typos = true
		result, err = s.run(ctx)
	}
	return result, err
}

// search is a running query.
type search struct {
	index     *Index
	query     *indexer.Query
	condition string
	from      int
	size      int
	// behind is the seq after which a scroll continues, -1 at its beginning.
	behind int64
	typos  bool
}

// scrolls reports whether pages are found by seq rather than by position.
func (s *search) scrolls() bool { return s.query.Scroll && len(s.query.Sort) == 0 }

// begin reads the scroll token: a seq or a position.
func (s *search) begin() error {
	s.behind = -1
	if s.query.After == "" {
		return nil
	}
	text, err := base64.RawURLEncoding.DecodeString(s.query.After)
	if err == nil {
		var n int64
		if n, err = strconv.ParseInt(string(text), 10, 64); err == nil && n >= 0 {
			if s.scrolls() {
				s.behind = n
			} else {
				s.from = int(n)
			}
			return nil
		}
	}
	return fmt.Errorf("%q: %w", s.query.After, indexer.ErrBadToken)
}

func token(n int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(n, 10)))
}

// base are the parameters of every request of the search.
func (s *search) base() parameters {
	p := parameters{
		Collection: &s.index.live.docs, Q: pointer.String("*"), QueryBy: pointer.String("n"),
		SortBy: pointer.String(s.order()), IncludeFields: pointer.String("urn,type,body"), HighlightFields: pointer.String("none"),
	}
	if s.query.Plain {
		p.IncludeFields = pointer.String("urn,type")
	}
	if s.condition != "" {
		p.FilterBy = &s.condition
	}
	if text := &s.query.Text; len(text.Tokens) > 0 {
		words, prefix := asked(text.Tokens, text.Prefix)
		p.Q, p.Prefix = &words, pointer.String(strconv.FormatBool(prefix))
		p.QueryBy, p.QueryByWeights = pointer.String(textFields), pointer.String(textWeights)
		p.DropTokensThreshold, p.TypoTokensThreshold, p.NumTypos = pointer.Int(0), pointer.Int(0), pointer.String("0")
		if s.typos {
			p.NumTypos, p.TypoTokensThreshold = pointer.String("2"), pointer.Int(1)
		}
	}
	return p
}

// order writes sort_by, which takes three keys.
func (s *search) order() string {
	if s.scrolls() {
		return "seq:asc"
	}
	var keys []string
	for _, key := range s.query.Sort[:min(len(s.query.Sort), 2)] {
		name := "s_" + key.Field
		if key.Numeric {
			name = "i_" + key.Field
		}
		direction := ":asc"
		if key.Descending {
			direction = ":desc"
		}
		if s.index.known[name] {
			keys = append(keys, name+"(missing_values: last)"+direction)
		}
	}
	if len(s.query.Text.Tokens) > 0 && len(keys) == 0 {
		keys = append(keys, "_text_match:desc", "w:desc")
	}
	return strings.Join(append(keys, "seq:asc"), ",")
}

func (s *search) run(ctx context.Context) (*indexer.Result, error) {
	if s.scrolls() {
		return s.scroll(ctx)
	}
	size := min(max(s.size, 0), maxPerPage)
	first, last := 1, 1
	if size > 0 {
		first, last = s.from/size+1, (s.from+s.size-1)/size+1
	}
	result := &indexer.Result{}
	var hits []indexer.Hit
	for page := first; page <= last; page += maxSearches {
		var searches []parameters
		for i := page; i <= min(page+maxSearches-1, last); i++ {
			p := s.base()
			p.Page, p.PerPage = pointer.Int(i), pointer.Int(size)
			if i == first {
				s.askFacets(&p)
			}
			searches = append(searches, p)
		}
		items, err := s.index.perform(ctx, searches, s.typos)
		if err != nil {
			return nil, err
		}
		for i, item := range items {
			found, err := hitsOf(item)
			if err != nil {
				return nil, err
			}
			hits = append(hits, found...)
			if page+i == first {
				result.Total = number(item.Found)
				if result.Facets, err = s.facets(ctx, item); err != nil {
					return nil, err
				}
			}
		}
		if result.Total <= (page+maxSearches-1)*size {
			break
		}
	}
	if size > 0 {
		skip := min(s.from-(first-1)*size, len(hits))
		hits = hits[skip:min(skip+s.size, len(hits))]
	}
	result.Hits = append([]indexer.Hit{}, hits...)
	if next := s.from + len(hits); s.query.Scroll && len(hits) == s.size && next < result.Total {
		result.Next = token(int64(next))
	}
	return result, nil
}

// scroll fetches a page in the order of seq, behind the last one.
func (s *search) scroll(ctx context.Context) (*indexer.Result, error) {
	result := &indexer.Result{Hits: []indexer.Hit{}}
	start := s.behind
	for {
		p := s.base()
		p.PerPage = pointer.Int(min(s.size-len(result.Hits), maxPerPage))
		searches := []parameters{p}
		if s.behind >= 0 {
			part := fmt.Sprintf("seq:>%d", s.behind)
			if s.condition != "" {
				part += " && (" + s.condition + ")"
			}
			searches[0].FilterBy = &part
		}
		if s.behind == start { // the total and the facets are of everything
			whole := s.base()
			whole.PerPage = pointer.Int(0)
			s.askFacets(&whole)
			searches = append(searches, whole)
		}
		items, err := s.index.perform(ctx, searches, s.typos)
		if err != nil {
			return nil, err
		}
		hits, err := hitsOf(items[0])
		if err != nil {
			return nil, err
		}
		if len(items) > 1 {
			result.Total = number(items[1].Found)
			if result.Facets, err = s.facets(ctx, items[1]); err != nil {
				return nil, err
			}
		}
		result.Hits = append(result.Hits, hits...)
		if len(hits) == 0 || number(items[0].Found) == len(hits) {
			return result, nil
		}
		s.behind = seqOf(hits[len(hits)-1].URN)
		if len(result.Hits) >= s.size {
			result.Next = token(s.behind)
			return result, nil
		}
	}
}

// perform sends searches in one request. Strict searches use words as they are written;
// the others may split and join them.
func (x *Index) perform(ctx context.Context, searches []parameters, typos bool) ([]api.MultiSearchResultItem, error) {
	common := &api.MultiSearchParams{MaxCandidates: pointer.Int(maxCandidates), SplitJoinTokens: pointer.String("off")}
	if typos {
		common = &api.MultiSearchParams{}
	}
	answer, err := x.client.MultiSearch.Perform(ctx, common, api.MultiSearchSearchesParameter{Searches: searches})
	if err != nil {
		return nil, err
	}
	for _, item := range answer.Results {
		if item.Error != nil {
			e := &typesense.HTTPError{Status: 500, Body: []byte(*item.Error)}
			if item.Code != nil {
				e.Status = int(*item.Code)
			}
			return nil, e
		}
	}
	if len(answer.Results) != len(searches) {
		return nil, fmt.Errorf("%w: %d answers to %d searches", indexer.ErrUnavailable, len(answer.Results), len(searches))
	}
	return answer.Results, nil
}

func number(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func hitsOf(item api.MultiSearchResultItem) ([]indexer.Hit, error) {
	if item.Hits == nil {
		return nil, nil
	}
	hits := make([]indexer.Hit, 0, len(*item.Hits))
	for _, h := range *item.Hits {
		if h.Document == nil {
			continue
		}
		document := *h.Document
		var hit indexer.Hit
		hit.URN, _ = document["urn"].(string)
		hit.Type, _ = document["type"].(string)
		if text, ok := document["body"].(string); ok {
			if err := json.Unmarshal([]byte(text), &hit.Values); err != nil {
				return nil, fmt.Errorf("the search server's document: %w", err)
			}
		}
		hits = append(hits, hit)
	}
	return hits, nil
}

func (s *search) askFacets(p *parameters) {
	var names []string
	for _, name := range s.query.Facets {
		if s.index.known["f_"+name] {
			names = append(names, "f_"+name)
		}
	}
	if len(names) > 0 {
		p.FacetBy = pointer.String(strings.Join(names, ","))
		p.MaxFacetValues = pointer.Int(max(s.query.FacetSize, 1))
	}
}

func (s *search) facets(ctx context.Context, item api.MultiSearchResultItem) ([]indexer.Facet, error) {
	byName, err := s.index.counts(ctx, item)
	if err != nil {
		return nil, err
	}
	facets := []indexer.Facet{}
	for _, name := range s.query.Facets {
		counts := byName["f_"+name]
		indexer.SortCounts(counts)
		if counts = counts[:min(len(counts), s.query.FacetSize)]; len(counts) > 0 {
			facets = append(facets, indexer.Facet{Field: name, Counts: counts})
		}
	}
	return facets, nil
}

// counts reads the facets of an answer, by the name of their field.
func (x *Index) counts(ctx context.Context, item api.MultiSearchResultItem) (map[string][]indexer.Count, error) {
	counts := map[string][]indexer.Count{}
	if item.FacetCounts == nil {
		return counts, nil
	}
	missing := map[string]*indexer.Count{}
	for _, facet := range *item.FacetCounts {
		if facet.Counts == nil || facet.FieldName == nil {
			continue
		}
		list := make([]indexer.Count, len(*facet.Counts))
		for i, c := range *facet.Counts {
			if c.Value == nil {
				continue
			}
			id, rest, _ := strings.Cut(*c.Value, " ")
			value, whole := strings.CutPrefix(rest, "=")
			list[i] = indexer.Count{Value: value, Docs: number(c.Count)}
			if !whole {
				missing[id] = &list[i]
			}
		}
		counts[*facet.FieldName] = list
	}
	return counts, x.lookUp(ctx, missing)
}

// lookUp fills in values that are too long for facets.
func (x *Index) lookUp(ctx context.Context, missing map[string]*indexer.Count) error {
	ids := make([]string, 0, len(missing))
	for id := range missing {
		ids = append(ids, id)
	}
	for chunk := range slices.Chunk(ids, maxPerPage) {
		items, err := x.perform(ctx, []parameters{{
			Collection: &x.live.values, Q: pointer.String("*"), QueryBy: pointer.String("f"), PerPage: pointer.Int(maxPerPage),
			FilterBy: pointer.String("id:[" + strings.Join(chunk, ",") + "]"), IncludeFields: pointer.String("id,v"),
		}}, false)
		if err != nil {
			return err
		}
		if items[0].Hits == nil {
			continue
		}
		for _, h := range *items[0].Hits {
			id, _ := (*h.Document)["id"].(string)
			value, _ := (*h.Document)["v"].(string)
			if c := missing[id]; c != nil {
				c.Value = value
			}
		}
	}
	return nil
}

// Suggest finds completions.
func (x *Index) Suggest(ctx context.Context, q *indexer.SuggestQuery) ([]indexer.Hit, error) {
	hits, err := x.suggest(ctx, q)
	return hits, failure(err)
}

func (x *Index) suggest(ctx context.Context, q *indexer.SuggestQuery) ([]indexer.Hit, error) {
	if err := x.open(); err != nil {
		return nil, err
	}
	var fields []string
	for _, name := range q.Fields {
		if x.known["a_"+name] {
			fields = append(fields, "a_"+name)
		}
	}
	if len(fields) == 0 || len(q.Tokens) == 0 {
		return []indexer.Hit{}, nil
	}
	condition, err := x.compile(ctx, indexer.Simplify(q.Filter))
	if err != nil {
		return nil, err
	}
	words, prefix := asked(q.Tokens, true)
	p := parameters{
		Collection: &x.live.docs, Q: &words, QueryBy: pointer.String(strings.Join(fields, ",")),
		Prefix: pointer.String(strconv.FormatBool(prefix)), NumTypos: pointer.String("0"), DropTokensThreshold: pointer.Int(0), TypoTokensThreshold: pointer.Int(0),
		SortBy: pointer.String("_text_match:desc,w:desc,seq:asc"), PerPage: pointer.Int(min(q.Size, maxPerPage)),
		IncludeFields: pointer.String("urn,type,body"), HighlightFields: pointer.String("none"),
	}
	if condition != "" {
		p.FilterBy = &condition
	}
	items, err := x.perform(ctx, []parameters{p}, false)
	if err != nil {
		return nil, err
	}
	return hitsOf(items[0])
}

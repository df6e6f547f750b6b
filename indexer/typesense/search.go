package typesense

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/typesense/typesense-go/v3/typesense"
	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"github.com/headwater-io/headwater/indexer"
)

// The server's limits: hits on a page, searches in a request, groups.
const (
	maxPerPage  = 250
	maxSearches = 40
	maxGroups   = 10_000
	// maxCandidates is how many words a prefix may stand for.
	maxCandidates = 10_000
)

// parameters are the parameters of one request for hits.
type parameters = api.MultiSearchCollectionParameters

// search is a query in progress. It sends requests and reads their answers until the query
// is answered.
type search struct {
	index     *Index
	query     *indexer.Query
	condition string
	from      int
	size      int
	// behind is the seq of the last hit of a scroll, -1 at its beginning.
	behind int64
	// page is the next page to ask the server for. A scroll has no pages.
	page int
	done bool
	// bare: the hits are known, and their values are missing.
	bare bool
	// typed is the query of the caller. If its words find nothing and may be corrected,
	// query has similar words that differ in at most changes letters.
	typed   *indexer.Query
	changes int
	// err is the error of this query.
	err error

	total   int
	hits    []indexer.Hit
	counted map[string][]indexer.Count
	next    string
	// facetFields maps the facets that the server has to their names on the server.
	facetFields map[string]string
	// items are the answers of the current round.
	items []api.MultiSearchResultItem
}

// scrolls reports whether pages are found by seq rather than by position.
func (s *search) scrolls() bool { return s.query.Scroll && len(s.query.Sort) == 0 }

// begin reads the scroll token, which is a seq or a position.
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

// base returns the parameters that all requests of the search have.
func (s *search) base() parameters {
	p := parameters{
		Collection: &s.index.live.docs, Q: pointer.String("*"), QueryBy: pointer.String("n"),
		SortBy: pointer.String(s.order()), IncludeFields: pointer.String("urn,type,body"), HighlightFields: pointer.String("none"),
	}
	switch {
	case s.ranked():
		p.IncludeFields = pointer.String("urn,type,w")
	case s.query.Plain:
		p.IncludeFields = pointer.String("urn,type")
	}
	if s.condition != "" {
		p.FilterBy = &s.condition
	}
	if text := &s.query.Text; len(text.Tokens) > 0 {
		words, prefix := asked(text.Tokens, text.Prefix)
		p.Q, p.Prefix = &words, pointer.String(strconv.FormatBool(prefix))
		fields, weights := textFields(text.Without)
		p.QueryBy, p.QueryByWeights = &fields, &weights
		p.DropTokensThreshold, p.TypoTokensThreshold, p.NumTypos = pointer.Int(0), pointer.Int(0), pointer.String("0")
	}
	return p
}

// order returns the parameter sort_by, which has at most three keys.
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
	if condition := alsoNamed(s.query.Text.Also); condition != "" && len(s.query.Text.Tokens)+len(keys) == 0 {
		keys = append(keys, "_eval("+condition+"):desc", "w:desc")
	}
	return strings.Join(append(keys, "seq:asc"), ",")
}

// restart begins the search, or begins it again.
func (s *search) restart() {
	first, _ := s.pages()
	s.page, s.total, s.hits, s.counted, s.next, s.bare = first, 0, nil, nil, "", false
}

// perPage is the size of a page of the server. It is the largest size if this package
// orders the hits.
func (s *search) perPage() int {
	if s.size > 0 && s.ranked() {
		return maxPerPage
	}
	return min(max(s.size, 0), maxPerPage)
}

// pages returns the first and the last page of the server that overlap the wanted page.
func (s *search) pages() (first, last int) {
	size := s.perPage()
	if size == 0 {
		return 1, 1
	}
	return s.from/size + 1, (s.from+s.size-1)/size + 1
}

// asks returns the next requests of the search, for about most pages. The first page is asked for alone: it tells
// whether there are more.
func (s *search) asks(most int) []parameters {
	if s.scrolls() {
		return s.scrollAsks()
	}
	if s.bare {
		return s.bodyAsks()
	}
	first, last := s.pages()
	if s.page == first {
		most = 1
	}
	var asks []parameters
	for i := s.page; i <= min(s.page+most-1, last); i++ {
		p := s.base()
		p.Page, p.PerPage = pointer.Int(i), pointer.Int(s.perPage())
		if i == first {
			s.askFacets(&p)
		}
		asks = append(asks, p)
	}
	return asks
}

// take reads the answers to the last requests. It adds the facet values that the answers
// cut to long.
func (s *search) take(items []api.MultiSearchResultItem, long missing) error {
	if s.scrolls() {
		return s.takeScroll(items, long)
	}
	if s.bare {
		return s.takeBodies(items)
	}
	first, last := s.pages()
	for _, item := range items {
		if s.ranked() {
			inOrder(item)
		}
		found, err := hitsOf(item)
		if err != nil {
			return err
		}
		s.hits = append(s.hits, found...)
		if s.page == first {
			s.total, s.counted = number(item.Found), countsOf(item, long)
		}
		s.page++
	}
	if s.page <= last && s.total > (s.page-1)*s.perPage() {
		return nil
	}
	s.done = true
	if size := s.perPage(); size > 0 {
		skip := min(s.from-(first-1)*size, len(s.hits))
		s.hits = s.hits[skip:min(skip+s.size, len(s.hits))]
	}
	if next := s.from + len(s.hits); s.query.Scroll && len(s.hits) == s.size && next < s.total {
		s.next = token(int64(next))
	}
	if s.ranked() && !s.query.Plain && len(s.hits) > 0 {
		s.bare, s.done = true, false
	}
	return nil
}

// scrollAsks returns the requests for the next hits in the order of seq. The first time, it
// adds a request for the total and the facets of all hits.
func (s *search) scrollAsks() []parameters {
	p := s.base()
	p.PerPage = pointer.Int(min(s.size-len(s.hits), maxPerPage))
	if s.behind >= 0 {
		part := fmt.Sprintf("seq:>%d", s.behind)
		if s.condition != "" {
			part += " && (" + s.condition + ")"
		}
		p.FilterBy = &part
	}
	if len(s.hits) > 0 {
		return []parameters{p}
	}
	whole := s.base()
	whole.PerPage = pointer.Int(0)
	s.askFacets(&whole)
	return []parameters{p, whole}
}

func (s *search) takeScroll(items []api.MultiSearchResultItem, long missing) error {
	hits, err := hitsOf(items[0])
	if err != nil {
		return err
	}
	if len(items) > 1 {
		s.total, s.counted = number(items[1].Found), countsOf(items[1], long)
	}
	s.hits = append(s.hits, hits...)
	if len(hits) == 0 || number(items[0].Found) == len(hits) {
		s.done = true
		return nil
	}
	s.behind = seqOf(hits[len(hits)-1].URN)
	if len(s.hits) >= s.size {
		s.next, s.done = token(s.behind), true
	}
	return nil
}

// result returns the result of the search. The values of its facets must be complete.
func (s *search) result() *indexer.Result {
	return &indexer.Result{Hits: append([]indexer.Hit{}, s.hits...), Total: s.total, Facets: s.facets(), Next: s.next}
}

// perform sends searches in one request. It returns an error if any of them fails.
func (x *Index) perform(ctx context.Context, searches []parameters) ([]api.MultiSearchResultItem, error) {
	items, err := x.send(ctx, searches)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if err := itemFailure(item); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// send sends searches in one request. A failed search has its error in its item.
func (x *Index) send(ctx context.Context, searches []parameters) ([]api.MultiSearchResultItem, error) {
	common := &api.MultiSearchParams{MaxCandidates: pointer.Int(maxCandidates), SplitJoinTokens: pointer.String("off")}
	answer, err := x.client.MultiSearch.Perform(ctx, common, api.MultiSearchSearchesParameter{Searches: searches})
	if err != nil {
		return nil, err
	}
	if len(answer.Results) != len(searches) {
		return nil, fmt.Errorf("%w: %d answers to %d searches", indexer.ErrUnavailable, len(answer.Results), len(searches))
	}
	return answer.Results, nil
}

// itemFailure returns the error of one search of a request, or nil.
func itemFailure(item api.MultiSearchResultItem) error {
	if item.Error == nil {
		return nil
	}
	e := &typesense.HTTPError{Status: 500, Body: []byte(*item.Error)}
	if item.Code != nil {
		e.Status = int(*item.Code)
	}
	return e
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
	condition, err := x.compiler().compile(ctx, q.Filter)
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
	items, err := x.perform(ctx, []parameters{p})
	if err != nil {
		return nil, err
	}
	return hitsOf(items[0])
}

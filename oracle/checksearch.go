package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// search is one question to the search.
type search struct {
	input  string
	whole  bool     // the input is sent in quotes
	kinds  []string // empty for all types
	filter []criterion
	facets []string
}

func (q search) String() string {
	return fmt.Sprintf("search %q in %v where %+v", q.input, q.kinds, q.filter)
}

// searched is the server's answer.
type searched struct {
	total  int
	urns   map[string]bool
	facets map[string]map[string]int
}

const biggestPage = 10_000

func (r *checker) ask(ctx context.Context, q search) (*searched, error) {
	result := &searched{urns: map[string]bool{}}
	for start := 0; ; start += biggestPage {
		body := object{"input": q.input, "start": start, "count": biggestPage, "facets": append([]string{}, q.facets...)}
		if q.whole {
			body["input"] = `"` + q.input + `"`
		}
		action := "searchAcrossEntities"
		if len(q.kinds) == 1 {
			action, body["entity"] = "search", q.kinds[0]
		} else if len(q.kinds) > 0 {
			body["entities"] = q.kinds
		}
		if len(q.filter) > 0 {
			var all []any
			for _, c := range q.filter {
				all = append(all, c.json())
			}
			body["filter"] = object{"or": []any{object{"and": all}}}
		}
		var answer struct {
			Value struct {
				NumEntities int
				Metadata    struct {
					URNs         []string
					Aggregations []struct {
						Name         string
						Aggregations map[string]int
					}
				}
			}
		}
		if err := r.client.action(ctx, "/entities?action="+action, body, &answer); err != nil {
			return nil, err
		}
		value := &answer.Value
		result.total = value.NumEntities
		for _, urn := range value.Metadata.URNs {
			result.urns[urn] = true
		}
		if result.facets == nil {
			result.facets = map[string]map[string]int{}
			for _, facet := range value.Metadata.Aggregations {
				result.facets[facet.Name] = facet.Aggregations
			}
		}
		if start+biggestPage >= value.NumEntities || len(value.Metadata.URNs) == 0 {
			return result, nil
		}
	}
}

// matching returns the documents that satisfy the filter.
func (q search) matching(x *index) []*document {
	return slices.DeleteFunc(x.seen(q.kinds), func(d *document) bool {
		return slices.ContainsFunc(q.filter, func(c criterion) bool { return !c.holds(d) })
	})
}

// words searches for words of texts, for beginnings of a last word, and for several words
// at once.
func (r *checker) words(ctx context.Context) (tally, error) {
	var questions []search
	for _, d := range sampled(r, r.index.seen(nil), 3*r.sample) {
		runs := runsOf(pick(r.maker, d.texts))
		if len(runs) == 0 {
			continue
		}
		from := r.IntN(len(runs))
		input := string(runs[from])
		for _, run := range runs[from+1 : min(len(runs), from+1+r.IntN(3))] {
			input += pick(r.maker, []string{" ", " ", ".", "_", "-"}) + string(run)
		}
		if r.chance(25) { // add a word of another text
			if more := runsOf(pick(r.maker, d.texts)); len(more) > 0 {
				input += " " + string(pick(r.maker, more))
			}
		}
		q := search{input: input, kinds: []string{d.kind}, whole: r.chance(15)}
		if r.chance(30) {
			q.kinds = nil
		}
		if letters := []rune(input); !q.whole && r.chance(70) {
			end := len(letters) - len(runsOf(input)[len(runsOf(input))-1]) + 1
			q.input = string(letters[:min(len(letters), end+r.IntN(len(letters)-end+1))])
		}
		questions = append(questions, q)
	}
	return over(ctx, "words, beginnings of words", questions, r.askWords)
}

// prefixes searches for every beginning of every word in names.
func (r *checker) prefixes(ctx context.Context) (tally, error) {
	seen := map[string]bool{}
	var questions []search
	for _, d := range sampled(r, r.index.seen(nil), r.sample) {
		for _, field := range []string{"name", "title", "displayName", "id", "fieldPaths"} {
			for name := range d.values[field] {
				for _, run := range runsOf(name) {
					for end := 1; end <= len(run); end++ {
						q := search{input: string(run[:end]), kinds: []string{d.kind}}
						if !seen[q.input+d.kind] {
							seen[q.input+d.kind] = true
							questions = append(questions, q)
						}
					}
				}
			}
		}
	}
	return over(ctx, "every beginning of words of names", sampled(r, questions, 5*r.sample), r.askWords)
}

func (r *checker) askWords(ctx context.Context, q search) (string, error) {
	words := typed(q.input)
	if len(words) == 0 {
		return "", nil
	}
	found, err := r.ask(ctx, q)
	if err != nil {
		return "", err
	}
	must, may := map[string]bool{}, map[string]bool{}
	for _, d := range q.matching(r.index) {
		is, could := d.finds(words, q.whole)
		if d.unsure {
			is, could = false, true
		}
		if is {
			must[d.urn] = true
		}
		if is || could && found.urns[d.urn] {
			may[d.urn] = true
		}
	}
	if len(must) == 0 && len(may) == 0 {
		return "", nil // the server may then correct misspelt words, so the answer is not compared
	}
	if wrong := differ(q.String(), may, found.urns); wrong != "" {
		return wrong, nil
	}
	if found.total != len(may) {
		return fmt.Sprintf("%v: total %d of %d", q, found.total, len(may)), nil
	}
	return "", nil
}

// counted are the fields whose facets are compared.
var counted = []string{"_entityType", "platform", "origin", "tags", "owners", "typeNames", "glossaryTerms", "domains", "container"}

// facetSize is how many values of a facet the server returns.
const facetSize = 20

// facets counts fields under random filters, and compares the facets and the filtered
// entities.
func (r *checker) facets(ctx context.Context) (tally, error) {
	var questions []search
	everything := r.index.seen(nil)
	for range r.sample {
		q := search{input: "*"}
		d := pick(r.maker, everything)
		if r.chance(60) {
			q.kinds = []string{d.kind}
			if r.chance(30) {
				q.kinds = append(q.kinds, pick(r.maker, []string{"dashboard", "dataFlow"}))
				q.kinds = slices.Compact(q.kinds)
			}
		}
		for _, field := range []string{"platform", "origin", "tags", "owners", "typeNames", "glossaryTerms", "domains", "hasDescription"} {
			if values := slices.Sorted(maps.Keys(d.values[field])); len(values) > 0 && r.chance(35) && r.known(field, q.kinds) {
				q.filter = append(q.filter, criterion{field, pick(r.maker, values), r.chance(20)})
			}
		}
		for _, field := range counted {
			if r.known(field, q.kinds) {
				q.facets = append(q.facets, field)
			}
		}
		questions = append(questions, q)
	}
	return over(ctx, "filters and facets", questions, r.askFacets)
}

// known reports whether all types have the field. Another test covers types without it.
func (r *checker) known(field string, kinds []string) bool {
	if strings.HasPrefix(field, "_") {
		return true
	}
	if len(kinds) == 0 {
		kinds = []string{"dataset"} // at least one type must have the field
	}
	return !slices.ContainsFunc(kinds, func(kind string) bool {
		for _, rows := range r.facts.searchable {
			for _, row := range rows {
				if (row.IndexField == field || row.Flags.HasValuesFieldName == field) && slices.Contains(row.Entities, kind) {
					return false
				}
			}
		}
		return true
	})
}

func (r *checker) askFacets(ctx context.Context, q search) (string, error) {
	found, err := r.ask(ctx, q)
	if err != nil {
		return "", err
	}
	expected, counts := map[string]bool{}, map[string]map[string]int{}
	for _, d := range q.matching(r.index) {
		expected[d.urn] = true
		for _, field := range q.facets {
			for value := range d.values[field] {
				if counts[field] == nil {
					counts[field] = map[string]int{}
				}
				counts[field][value]++
			}
		}
	}
	if wrong := differ(q.String(), expected, found.urns); wrong != "" {
		return wrong, nil
	}
	if found.total != len(expected) {
		return fmt.Sprintf("%v: total %d of %d", q, found.total, len(expected)), nil
	}
	for _, field := range q.facets {
		if wrong := differ(fmt.Sprintf("%v, facet %s", q, field), largest(counts[field], found.facets[field]), found.facets[field]); wrong != "" {
			return wrong, nil
		}
	}
	return "", nil
}

// largest returns the values of a facet that the answer must have: the most frequent values. Of
// equally frequent values, it prefers the values in the answer.
func largest(counts, answered map[string]int) map[string]int {
	values := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		_, first := answered[a]
		_, second := answered[b]
		switch {
		case first == second:
			return strings.Compare(a, b)
		case first:
			return -1
		}
		return 1
	})
	expected := map[string]int{}
	for _, value := range values[:min(len(values), facetSize)] {
		expected[value] = counts[value]
	}
	return expected
}

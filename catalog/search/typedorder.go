package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// The weights of a search as people type. For each word, an entity scores the weight of its best
// text that has the word, as in the indexes. A name that equals the words is worth more than any
// texts. Then certification, an owner and a deprecation each multiply the score, together at most
// by 1.32, so that a word in a name always outweighs a word in a description.
const (
	scoreOfKind     = 4
	scoreOfWholeHit = 100
	scoreOfName     = 60
	scoreOfCoverage = 3
	boostCertified  = 1.2
	boostOwned      = 1.1
	boostDeprecated = 0.7
)

// certifying are the last parts of the tags and terms that say that an entity is certified, as
// tokens.
var certifying = []string{"certified", "verified", "endorsed"}

// rankedHit is a hit with its place in the order.
type rankedHit struct {
	*indexer.Hit
	missing []string
	score   float64
	name    string
	// copy tells that the entity is the dbt model of another one, its sibling.
	copy bool
}

// rank scores a hit. A hit that the index found by all words has them all, perhaps in another
// spelling.
func (t *typedSearch) rank(hit *indexer.Hit, all bool) rankedHit {
	r := rankedHit{Hit: hit, name: t.displayName(hit)}
	texts := t.textsOf(hit)
	var rest []string
	for i := range t.words {
		w := &t.words[i]
		kind := w.kinds != nil && indexer.Holds(w.kinds, &indexer.Document{Values: hit.Values})
		score := texts.score(w)
		if kind {
			score = max(score, scoreOfKind)
		} else {
			rest = append(rest, w.tokens...)
		}
		if score == 0 && !all {
			r.missing = append(r.missing, w.text)
		}
		r.score += score
	}
	name := indexer.Tokens(r.name)
	switch {
	case slices.Equal(name, t.text.Tokens):
		r.score += scoreOfWholeHit
	case len(rest) > 0 && slices.Equal(name, rest):
		r.score += scoreOfName
	}
	if len(name) > 0 {
		have := slices.DeleteFunc(slices.Clone(name), func(token string) bool { return !slices.Contains(t.text.Tokens, token) })
		r.score += scoreOfCoverage * float64(len(have)) / float64(len(name))
	}
	r.score *= boostOf(hit)
	r.copy = len(hit.Values["siblings"]) > 0 && slices.ContainsFunc(hit.Values[platformField], func(p string) bool { return strings.HasSuffix(p, ":dbt") })
	return r
}

func boostOf(hit *indexer.Hit) float64 {
	boost := 1.0
	if slices.ContainsFunc(slices.Concat(hit.Values["tags"], hit.Values["glossaryTerms"]), func(urn string) bool {
		u := model.StoredURN(urn)
		return !u.IsZero() && slices.ContainsFunc(indexer.Tokens(indexer.Leaf(u)), func(token string) bool { return slices.Contains(certifying, token) })
	}) {
		boost *= boostCertified
	}
	if len(hit.Values["owners"]) > 0 {
		boost *= boostOwned
	}
	if slices.Contains(hit.Values["deprecated"], "true") {
		boost *= boostDeprecated
	}
	return boost
}

// classedTexts are the words of a hit by the class of their field.
type classedTexts [indexer.TextClasses][]string

func (t *typedSearch) textsOf(hit *indexer.Hit) *classedTexts {
	var texts classedTexts
	for _, f := range t.schema.Fields(hit.Type) {
		if !f.Text && f.Name != indexer.FieldURN {
			continue
		}
		for _, value := range hit.Values[f.Name] {
			class := indexer.TextMinor
			if f.Name != indexer.FieldURN {
				class = f.ClassOf(value)
			}
			texts[class] = append(texts[class], indexer.IndexTokens(f.Words(value))...)
		}
	}
	texts[indexer.TextName] = append(texts[indexer.TextName], indexer.IndexTokens(t.displayName(hit))...)
	return &texts
}

// score returns the weight of the best class with the word, 0 if none has it.
func (texts *classedTexts) score(w *typedWord) float64 {
	for class, words := range texts {
		if everyWord(w.tokens, words) || w.prefix && everyToken(w.tokens, words) {
			return float64(indexer.Weights[class])
		}
	}
	return 0
}

// kindOrder is the order of entities that are equally good: data before reports, these before
// the rest.
var kindOrder = []string{model.EntityDataset, model.EntityDashboard, model.EntityChart, model.EntityDataJob, model.EntityDataFlow}

func compareRanked(a, b rankedHit) int {
	return cmp.Or(
		cmp.Compare(len(a.missing), len(b.missing)),
		cmp.Compare(b.score, a.score),
		cmp.Compare(len(indexer.Tokens(a.name)), len(indexer.Tokens(b.name))),
		cmp.Compare(kindPlace(a.Type), kindPlace(b.Type)),
		cmp.Compare(a.URN, b.URN),
	)
}

func kindPlace(entityType string) int {
	if i := slices.Index(kindOrder, entityType); i >= 0 {
		return i
	}
	return len(kindOrder)
}

// order orders the hits, and puts siblings next to each other: the table before its dbt model.
func (t *typedSearch) order() {
	slices.SortFunc(t.found, compareRanked)
	at := make(map[string]int, len(t.found))
	for i := range t.found {
		at[t.found[i].URN] = i
	}
	ordered, done := make([]rankedHit, 0, len(t.found)), make([]bool, len(t.found))
	for i := range t.found {
		if done[i] {
			continue
		}
		group := []int{i}
		done[i] = true
		for _, sibling := range t.found[i].Values["siblings"] {
			if k, known := at[sibling]; known && !done[k] && len(t.found[k].missing) == len(t.found[i].missing) {
				group = append(group, k)
				done[k] = true
			}
		}
		slices.SortStableFunc(group, func(a, b int) int { return cmp.Compare(placeOfCopy(t.found[a].copy), placeOfCopy(t.found[b].copy)) })
		for _, k := range group {
			ordered = append(ordered, t.found[k])
		}
	}
	t.found = ordered
}

func placeOfCopy(is bool) int {
	if is {
		return 1
	}
	return 0
}

func urnsOfRanked(hits []rankedHit) []string {
	urns := make([]string, len(hits))
	for i := range hits {
		urns[i] = hits[i].URN
	}
	return urns
}

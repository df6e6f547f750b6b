package typesense

import (
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/indexer"
)

// If a word occurs twice in a field of a document, and is then removed from that
// document, it is no longer found in other documents (servers of version 0.24; the
// conformance case RepeatedWords shows it). So each field gets each token only once.

// nameFields hold the names of a document: several, so that names that share
// words are whole in one field or another and a query for exactly one of them
// puts it first.
var nameFields = []string{"n", "n2", "n3"}

// textFields and textWeights are the fields in which words are searched, and how much
// a hit counts there.
var textFields, textWeights = func() (string, string) {
	var names, weights []string
	add := func(name string, class indexer.TextClass) {
		names, weights = append(names, name), append(weights, fmt.Sprint(indexer.Weights[class]))
	}
	for _, name := range nameFields {
		add(name, indexer.TextName)
	}
	add("p", indexer.TextMajor)
	add("b", indexer.TextBody)
	add("l", indexer.TextMinor)
	return strings.Join(names, ","), strings.Join(weights, ",")
}()

// once joins texts, with each token once.
func once(texts []string) string {
	seen := map[string]bool{}
	return strings.Join(unseen(strings.Fields(strings.Join(texts, " ")), seen), " ")
}

// unseen are the tokens that were not seen before, each once.
func unseen(tokens []string, seen map[string]bool) []string {
	var fresh []string
	for _, token := range tokens {
		if !seen[token] {
			seen[token] = true
			fresh = append(fresh, token)
		}
	}
	return fresh
}

// spread distributes names among the fields for names, shortest first, each to the
// first field that has none of its tokens. If a name does not fit completely anywhere,
// only those of its tokens are added that are not there yet.
func spread(names []string) [][]string {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	names = slices.Compact(names)
	fields, seen := make([][]string, len(nameFields)), make([]map[string]bool, len(nameFields))
	for i := range seen {
		seen[i] = map[string]bool{}
	}
	everywhere := map[string]bool{}
	for _, name := range names {
		tokens := unseen(strings.Fields(name), map[string]bool{})
		at := slices.IndexFunc(seen, func(has map[string]bool) bool {
			return !slices.ContainsFunc(tokens, func(token string) bool { return has[token] })
		})
		if at < 0 {
			at, tokens = len(fields)-1, unseen(tokens, everywhere)
		}
		if len(tokens) == 0 {
			continue
		}
		fields[at] = append(fields[at], strings.Join(tokens, " "))
		for _, token := range tokens {
			seen[at][token], everywhere[token] = true, true
		}
	}
	return slices.DeleteFunc(fields, func(texts []string) bool { return len(texts) == 0 })
}

// asked writes the words of a query. When the last one may be a beginning and
// begins an earlier one, every document with the earlier word has it, and it
// is left out: the server finds nothing for such a pair.
func asked(tokens []string, prefix bool) (words string, lastIsPrefix bool) {
	if last := len(tokens) - 1; prefix && last > 0 &&
		slices.ContainsFunc(tokens[:last], func(token string) bool { return strings.HasPrefix(token, tokens[last]) }) {
		tokens, prefix = tokens[:last], false
	}
	return strings.Join(unseen(tokens, map[string]bool{}), " "), prefix
}

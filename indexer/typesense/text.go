package typesense

import (
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/indexer"
)

// Servers of version 0.24 have a bug: if a word occurs twice in a field of a document and
// is then removed from that document, the server no longer finds it in other documents (the
// conformance case RepeatedWords shows it). So each field gets each token only once.

// nameFields hold the names of a document. There are several, so that names that share
// words are each complete in one of the fields, and a query for exactly one of the names
// puts the document first.
var nameFields = []string{"n", "n2", "n3"}

// classFields are the fields of the classes of text other than names.
var classFields = map[indexer.TextClass]string{
	indexer.TextMajor: "p", indexer.TextBody: "b", indexer.TextLabels: "t", indexer.TextReferences: "r", indexer.TextPrivileged: "a",
	indexer.TextMinor: "l",
}

// textFields returns the fields in which words are searched, and the weights of a hit in each.
func textFields(without indexer.ClassSet) (fields, weights string) {
	var names, numbers []string
	add := func(name string, class indexer.TextClass) {
		names, numbers = append(names, name), append(numbers, strconv.Itoa(indexer.Weights[class]))
	}
	for class := range indexer.TextClasses {
		switch {
		case without.Has(class):
		case class == indexer.TextName:
			for _, name := range nameFields {
				add(name, class)
			}
		default:
			add(classFields[class], class)
		}
	}
	return strings.Join(names, ","), strings.Join(numbers, ",")
}

// once joins texts. The result has each token once.
func once(texts []string) string {
	seen := map[string]bool{}
	return strings.Join(unseen(strings.Fields(strings.Join(texts, " ")), seen), " ")
}

// unseen returns the tokens that are not in seen, each once, and adds them to seen.
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

// spread distributes names among the fields for names, shortest first, each to the first
// field that has none of its tokens. If no field can take a name whole, only the name's
// missing tokens are added.
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

// asked returns the words of a query as one text. If the last word is a prefix of an
// earlier one, it is left out: every document with the earlier word has it, and the server
// finds nothing for such a pair.
func asked(tokens []string, prefix bool) (words string, lastIsPrefix bool) {
	if last := len(tokens) - 1; prefix && last > 0 &&
		slices.ContainsFunc(tokens[:last], func(token string) bool { return strings.HasPrefix(token, tokens[last]) }) {
		tokens, prefix = tokens[:last], false
	}
	return strings.Join(unseen(tokens, map[string]bool{}), " "), prefix
}

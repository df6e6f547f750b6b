package indexer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/indexer"
)

// TestWordsInValues: conditions find in a value exactly the words that ValueTokens returns,
// and their beginnings.
func TestWordsInValues(t *testing.T) {
	values := []string{
		"fct_users_created", "dimCustomerAddress", "HTTPServerLog2024", "Salaries, companies, boxes and CLASSES", "status of the bus", "a1b2c34d",
		"queries by Qualität", "Größe", "日本語 orders", "urn:li:tag:Daily Orders", "urn:li:dataset:(urn:li:dataPlatform:hive,prod.orders,PROD)", "", "--", "tier=gold",
		"series of analyses", "x y", "q", "ID",
	}
	asked := []string{"prod", "urn", "li", "daili", "salari", "categori"}
	for _, value := range values {
		for _, token := range indexer.ValueTokens(value) {
			for end := 1; end <= len(token); end++ {
				asked = append(asked, token[:end])
			}
		}
	}
	for _, value := range values {
		tokens := indexer.ValueTokens(value)
		for _, token := range asked {
			whole, begun := indexer.Words{Tokens: []string{token}}, indexer.Words{Tokens: []string{token}, Prefix: true}
			if got, want := whole.HoldsIn(value), slices.Contains(tokens, token); got != want {
				t.Errorf("%q in %q: %t", token, value, got)
			}
			begins := func(word string) bool { return strings.HasPrefix(word, token) }
			if got, want := begun.HoldsIn(value), slices.ContainsFunc(tokens, begins); got != want {
				t.Errorf("%q begins a word of %q: %t", token, value, got)
			}
		}
	}
}

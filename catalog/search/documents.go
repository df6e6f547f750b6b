package search

import (
	"github.com/headwater-io/headwater/catalog"
)

// published is the state of documents that are not drafts.
const published = "PUBLISHED"

// DocumentsFor returns the alternatives of a filter for the documents that are meant
// for an actor: published ones, and the drafts that the actor owns. An actor of ""
// owns none.
func DocumentsFor(actor string) []catalog.Criterion {
	alternatives := []catalog.Criterion{{Field: "state", Values: []string{published}}}
	if actor != "" {
		alternatives = append(alternatives, catalog.Criterion{Field: "owners", Values: []string{actor}})
	}
	return alternatives
}

package typesense

import (
	"strings"

	"github.com/headwater-io/headwater/indexer"
)

// The rights of a caller often have parts such as "no dataset with one of these owners". As two comparisons, each of which
// Typesense computes for all documents, such a part takes as long as a search. So the values of facets that are URNs also have
// hashes with the type of their document: the part is one comparison, and joins those of other parts.

// maxTyped is how many hashes a comparison of types and values may have.
const maxTyped = 1000

// typedHash is the hash of a value in documents of a type.
func typedHash(entityType, field, value string) string {
	return hash("^typed "+field, entityType+" "+value)
}

// isTyped reports whether a value of a field has a hash with the type of its document.
func isTyped(known map[string]bool, field, value string) bool {
	return known["f_"+field] && strings.HasPrefix(value, "urn:")
}

// addTyped adds the hashes with the type of a document.
func addTyped(hashes map[string]bool, d *indexer.Document, known map[string]bool) {
	for field, values := range d.Values {
		for _, value := range values {
			if isTyped(known, field, value) {
				hashes[typedHash(d.Type, field, value)] = true
			}
		}
	}
}

// typed returns the hashes of a condition on types and the values of one facet.
func (x *Index) typed(parts indexer.And) (hashes []string, ok bool) {
	if len(parts) != 2 {
		return nil, false
	}
	types, first := parts[0].(indexer.In)
	values, second := parts[1].(indexer.In)
	if !first || !second {
		return nil, false
	}
	if values.Field == indexer.FieldType {
		types, values = values, types
	}
	if types.Field != indexer.FieldType || len(types.Values)*len(values.Values) > maxTyped {
		return nil, false
	}
	for _, value := range values.Values {
		if !isTyped(x.known, values.Field, value) {
			return nil, false
		}
		for _, entityType := range types.Values {
			hashes = append(hashes, typedHash(entityType, values.Field, value))
		}
	}
	return hashes, true
}

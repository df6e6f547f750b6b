package search

import (
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
)

// tokensOf splits the typed text into tokens.
func tokensOf(text string) ([]string, error) {
	if err := checkTyped(text); err != nil {
		return nil, err
	}
	tokens := indexer.Tokens(text)
	return tokens, catalog.TooMany("words", len(tokens), limits.MaxQueryWords)
}

// checkTyped checks the length of the typed text.
func checkTyped(text string) error {
	if len(text) > limits.MaxQueryBytes {
		return catalog.Errorf(catalog.Invalid, "the text searched for has %d bytes, at most %d are allowed", len(text), limits.MaxQueryBytes)
	}
	return nil
}

// checkName checks the size of a name that is not a URN. checkName bounds the dots, because
// each dot is tried as the one before the path of a column.
func checkName(name string) error {
	if len(name) > limits.MaxNameBytes {
		return catalog.Errorf(catalog.Invalid, "the name has %d bytes, at most %d are allowed", len(name), limits.MaxNameBytes)
	}
	return catalog.TooMany("dots of a name", strings.Count(name, "."), limits.MaxNameDots)
}

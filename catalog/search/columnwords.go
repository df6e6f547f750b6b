package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/headwater-io/headwater/indexer"
)

// ColumnWords are words that are searched for in columns. Each word has to be in the path or the
// description of a column, or in the name of its dataset; at least one has to be in the column
// itself. The last word may be the beginning of a longer one.
type ColumnWords struct {
	typed  []string
	tokens []string
}

// ReadColumnWords reads the words that somebody typed; * and nothing are no words.
func ReadColumnWords(text string) (ColumnWords, error) {
	tokens, err := tokensOf(text)
	return ColumnWords{strings.Fields(strings.ToLower(text)), tokens}, err
}

// Any reports whether there are words.
func (w ColumnWords) Any() bool { return len(w.tokens) > 0 }

// columnWordFields are the fields of datasets that have the words of columns, and of the names of
// datasets.
var columnWordFields = []string{"column", "fieldDescriptions", "editedFieldDescriptions", "name"}

// Datasets returns the structured query for the datasets whose columns may have the words.
func (w ColumnWords) Datasets() string {
	if !w.Any() {
		return "*"
	}
	var all []string
	for i, word := range w.typed {
		if len(indexer.Tokens(word)) == 0 {
			continue
		}
		escaped := escapedWord(word)
		if i == len(w.typed)-1 {
			escaped += "*"
		}
		some := make([]string, len(columnWordFields))
		for k, field := range columnWordFields {
			some[k] = field + ":" + escaped
		}
		all = append(all, "("+strings.Join(some, " OR ")+")")
	}
	return "/q " + strings.Join(all, " ")
}

// escapedWord takes their meaning from the signs of structured queries.
func escapedWord(word string) string {
	var b strings.Builder
	for _, r := range strings.Trim(word, `*"`) {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// These are the places in which [ColumnWords.In] finds words, the best first.
const (
	InColumnName = iota
	InColumnPath
	InColumnTexts
	NotInColumn
)

// In returns the worst place in which one of the words is: the words are the last name of the
// path, all are in the path, or some are elsewhere.
func (w ColumnWords) In(path, description, dataset string) int {
	if !w.Any() {
		return InColumnName
	}
	if indexer.Normalize(path[strings.LastIndexByte(path, '.')+1:]) == strings.Join(w.tokens, " ") {
		return InColumnName
	}
	inPath, inColumn := indexer.IndexTokens(path), indexer.IndexTokens(description)
	if everyToken(w.tokens, inPath) {
		return InColumnPath
	}
	inColumn = append(inColumn, inPath...)
	own := slices.ContainsFunc(w.tokens, func(token string) bool { return everyToken([]string{token}, inColumn) })
	if own && everyToken(w.tokens, append(inColumn, indexer.IndexTokens(dataset)...)) {
		return InColumnTexts
	}
	return NotInColumn
}

package typesense

import (
	"context"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/indexer"
)

// words turns a condition on words into conditions on values, because the words of
// documents are stored as values.
func words(e *indexer.Words) indexer.And {
	var all indexer.And
	for i, token := range e.Tokens {
		if e.Prefix && i == len(e.Tokens)-1 {
			all = append(all, beginnings(token))
		} else {
			all = append(all, indexer.In{Field: wordsField, Values: []string{token}})
		}
	}
	return all
}

func beginnings(token string) indexer.Match {
	return indexer.Match{Field: wordsField, Kind: indexer.Prefix, Texts: []string{token}}
}

// maxWordsAsked is the number of words up to which a prefix is replaced by its words in the
// search for values. With more words, every value is compared.
const maxWordsAsked = 1000

// valuesWith returns the hashes of the values of fields that have words.
func (x *compiler) valuesWith(ctx context.Context, e *indexer.Words) ([]string, error) {
	memo := fmt.Sprintf("words %q %q %t %t", e.Fields, e.Tokens, e.Prefix, e.Phrase)
	if found, known := x.matched[memo]; known {
		return found, nil
	}
	fields := make([]string, len(e.Fields))
	for i, name := range e.Fields {
		fields[i] = hash("field", name)
	}
	condition, whole := "f:=["+strings.Join(fields, ",")+"]", e.Tokens
	if e.Prefix {
		last := whole[len(whole)-1]
		whole = whole[:len(whole)-1]
		if e.InText { // if the text is known to have them, the collection has all words with this prefix
			begun, err := x.matching(ctx, beginnings(last))
			if err != nil || len(begun) == 0 {
				return nil, err
			}
			if len(begun) <= maxWordsAsked {
				condition += " && w:=[" + strings.Join(tokensOf(begun), ",") + "]"
			}
		}
	}
	for _, token := range whole {
		condition += " && w:=" + token
	}
	var found []string
	err := x.export(ctx, condition, func(v valueRecord) {
		if e.HoldsIn(v.Value) {
			found = append(found, v.ID)
		}
	})
	if err == nil {
		x.matched[memo] = found
	}
	return found, err
}

// tokensOf returns the words of keys.
func tokensOf(keys []string) []string {
	tokens := make([]string, len(keys))
	for i := range keys {
		tokens[i] = strings.TrimPrefix(keys[i], key(wordsField, ""))
	}
	return tokens
}

// alsoNamed returns a condition that a name has one of the optional words, "" for none. The
// server can order by this condition only.
func alsoNamed(also []indexer.Word) string {
	var any []string
	for _, w := range also {
		if w.Prefix {
			continue
		}
		for _, field := range nameFields[:min(len(nameFields), maxLeaves/len(also))] {
			any = append(any, field+":"+w.Token)
		}
	}
	return strings.Join(any, " || ")
}

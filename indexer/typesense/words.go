package typesense

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/indexer"
)

// words turns a condition on words into conditions on values, because the words of
// documents are stored as values.
func words(e *indexer.Words) indexer.And {
	var all indexer.And
	for i, token := range e.Tokens {
		if e.Prefix && i == len(e.Tokens)-1 {
			all = append(all, beginnings(token, e.Without))
		} else {
			all = append(all, anyWord([]string{token}, e.Without))
		}
	}
	return all
}

// anyWord returns the condition that a document has one of the words in a class of text that is searched.
func anyWord(words []string, without indexer.ClassSet) indexer.Or {
	var any indexer.Or
	for _, field := range wordFields(without) {
		any = append(any, indexer.In{Field: field, Values: words})
	}
	return any
}

// beginnings returns the condition that a document has a word that begins with a token.
func beginnings(token string, without indexer.ClassSet) indexer.Or {
	var any indexer.Or
	for _, field := range wordFields(without) {
		any = append(any, indexer.Match{Field: field, Kind: indexer.Prefix, Texts: []string{token}})
	}
	return any
}

// maxWordsAsked is the number of words up to which a prefix is replaced by its words in the
// search for values. With more words, every value is compared.
const maxWordsAsked = 1000

// valuesWith returns the hashes of the values of fields that have words.
func (x *compiler) valuesWith(ctx context.Context, e *indexer.Words) ([]string, error) {
	memo := fmt.Sprintf("words %q %q %t %t %q", e.Fields, e.Tokens, e.Prefix, e.Phrase, e.Except)
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
			begun, err := x.beginning(ctx, last)
			if err != nil || len(begun) == 0 {
				return nil, err
			}
			if len(begun) <= maxWordsAsked {
				condition += " && w:=[" + strings.Join(begun, ",") + "]"
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

// beginning returns the words of documents that begin with a token.
func (x *compiler) beginning(ctx context.Context, token string) ([]string, error) {
	var tokens []string
	for _, field := range wordFields(0) {
		keys, err := x.matching(ctx, indexer.Match{Field: field, Kind: indexer.Prefix, Texts: []string{token}})
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			tokens = append(tokens, strings.TrimPrefix(k, key(field, "")))
		}
	}
	slices.Sort(tokens)
	return slices.Compact(tokens), nil
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

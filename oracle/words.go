package main

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// longestWord is the length in bytes at which words are cut.
const longestWord = 96

// typed splits a text into the words that a search looks for, in the order of the text.
func typed(text string) []string {
	var found []string
	for _, run := range runsOf(text) {
		for _, part := range cut(run) {
			found = append(found, stem(part))
		}
	}
	return found
}

// vocabulary has the words by which a search finds a text: complete words, and beginnings of words
// that a person types before a word is complete.
type vocabulary struct {
	whole, onTheWay map[string]bool
	sorted          []string // the complete words, sorted when all are added
}

func newVocabulary() *vocabulary {
	return &vocabulary{whole: map[string]bool{}, onTheWay: map[string]bool{}}
}

func (v *vocabulary) sort() { v.sorted = slices.Sorted(maps.Keys(v.whole)) }

// add adds the words of a text. It adds an incomplete word only if it is not the beginning
// of one of the word's own tokens.
func (v *vocabulary) add(text string) {
	for _, run := range runsOf(text) {
		made := []string{stem(run)}
		for _, part := range cut(run) {
			made = append(made, stem(part))
		}
		for _, word := range made {
			v.whole[word] = true
		}
		for end := 1; end < len(run); end++ {
			parts := cut(run[:end])
			last := stem(parts[len(parts)-1])
			if !slices.ContainsFunc(made, func(word string) bool { return strings.HasPrefix(word, last) }) {
				v.onTheWay[last] = true
			}
		}
	}
}

// begins reports whether a word of the text begins with this one.
func (v *vocabulary) begins(word string) bool {
	if v.whole[word] || v.onTheWay[word] {
		return true
	}
	i, _ := slices.BinarySearch(v.sorted, word)
	return i < len(v.sorted) && strings.HasPrefix(v.sorted[i], word)
}

// runsOf returns the unbroken runs of letters and digits in a text, without accents. A
// letter of a script without spaces is a run of its own.
func runsOf(text string) [][]rune {
	var runs [][]rune
	var run []rune
	end := func() {
		if run != nil {
			runs, run = append(runs, run), nil
		}
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
			end()
			runs = append(runs, []rune{r})
		case unicode.IsLetter(r), unicode.IsDigit(r):
			run = append(run, r)
		default:
			end()
		}
	}
	end()
	return runs
}

// cut splits a run between camelCase words, before a capital that begins a word after other
// capitals, and around numbers of at least two digits.
func cut(run []rune) [][]rune {
	class := func(i int) rune {
		switch {
		case i >= len(run):
			return 0
		case unicode.IsDigit(run[i]):
			return '1'
		case unicode.IsUpper(run[i]):
			return 'A'
		case unicode.IsLower(run[i]):
			return 'a'
		}
		return '-'
	}
	var parts [][]rune
	from := 0
	for i := 1; i < len(run); i++ {
		var apart bool
		switch before, here, next := class(i-1), class(i), class(i+1); {
		case before == 'a' && here == 'A':
			apart = true
		case before == 'A' && here == 'A':
			apart = next == 'a'
		case before != '1' && here == '1':
			apart = next == '1'
		case before == '1' && here != '1':
			apart = i-from > 1 && class(from) == '1'
		}
		if apart {
			parts, from = append(parts, run[from:i]), i
		}
	}
	return append(parts, run[from:])
}

var plainLetters = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ı': "i", 'þ': "th", 'ð': "d"}

// stem returns a word in lower case, in plain letters and without the ending of an English
// plural.
func stem(run []rune) string {
	var b strings.Builder
	for _, r := range strings.ToLower(string(run)) {
		if plain, ok := plainLetters[r]; ok {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
	}
	word := b.String()
	ends := func(endings ...string) bool {
		for _, ending := range endings {
			if strings.HasSuffix(word, ending) {
				return true
			}
		}
		return false
	}
	switch {
	case len(word) < 4, !ends("s"), ends("ss", "us", "is"):
	case ends("ies") && len(word) > 4:
		word = word[:len(word)-3] + "y"
	case ends("sses", "xes", "ches", "shes"):
		word = word[:len(word)-2]
	default:
		word = word[:len(word)-1]
	}
	if len(word) > longestWord {
		word = word[:longestWord]
	}
	return word
}

// wordsOfURN returns the text of a URN in which searches find words: its parts, with URNs
// among them replaced by their names, and without the environment of a dataset.
func wordsOfURN(urn string) string {
	if typeOf(urn) == "" {
		return urn
	}
	var words []string
	for i, part := range partsOf(urn) {
		switch {
		case typeOf(part) != "":
			words = append(words, calledAs(part))
		case typeOf(urn) == "dataset" && i == 2:
		default:
			words = append(words, part)
		}
	}
	return strings.Join(words, " ")
}

// calledAs returns the part of a URN that people use as a name.
func calledAs(urn string) string {
	parts := partsOf(urn)
	if typeOf(urn) == "dataset" && len(parts) == 3 {
		return parts[1]
	}
	return parts[len(parts)-1]
}

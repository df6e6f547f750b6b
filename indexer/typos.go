package indexer

import (
	"bytes"
	"slices"
	"strings"
)

// Words of at least oneChange letters may differ in one letter, and words of at least
// twoChanges letters in two.
const (
	oneChange  = 4
	twoChanges = 7
)

// MaxChanges is the largest number of letters in which two words may differ and still be
// similar.
const MaxChanges = 2

// ChangesIn returns how many letters of a token may differ. It returns 0 for a token with
// digits, because another digit means another thing. This covers tokens of other scripts:
// they are encoded with digits, and a byte of them is only a part of a letter.
func ChangesIn(token string) int {
	switch {
	case strings.ContainsAny(token, "0123456789"):
		return 0
	case len(token) >= twoChanges:
		return 2
	case len(token) >= oneChange:
		return 1
	}
	return 0
}

// Distances compares a word with a text byte by byte. A change is a byte too many, a byte
// missing, another byte, or two neighbouring bytes swapped.
type Distances struct {
	word string
	// rows[i] has the distances of the first i bytes of the text to each beginning of the
	// word.
	rows [][]int
	text []byte
}

// NewDistances compares a word with the empty text.
func NewDistances(word string) *Distances {
	first := make([]int, len(word)+1)
	for i := range first {
		first[i] = i
	}
	return &Distances{word: word, rows: [][]int{first}}
}

// Cut shortens the text to its first n bytes. It returns the new length, which is less than
// n if the text is shorter.
func (d *Distances) Cut(n int) int {
	n = min(n, len(d.text))
	d.rows, d.text = d.rows[:n+1], d.text[:n]
	return n
}

// Add adds a byte to the end of the text.
func (d *Distances) Add(b byte) {
	row, text := d.rows[len(d.rows)-1], d.text
	next := make([]int, len(row))
	next[0] = row[0] + 1
	for i := range len(d.word) {
		other := row[i]
		if d.word[i] != b {
			other++
		}
		next[i+1] = min(row[i+1]+1, next[i]+1, other)
		if i > 0 && len(text) > 0 && d.word[i] == text[len(text)-1] && d.word[i-1] == b {
			next[i+1] = min(next[i+1], d.rows[len(d.rows)-2][i-1]+1)
		}
	}
	d.rows, d.text = append(d.rows, next), append(text, b)
}

// Changes returns the number of changes between the text and the word.
func (d *Distances) Changes() int { return d.rows[len(d.rows)-1][len(d.word)] }

// Begun reports whether a beginning of the text is at most changes away from the word.
func (d *Distances) Begun(changes int) bool {
	return slices.ContainsFunc(d.rows, func(row []int) bool { return row[len(row)-1] <= changes })
}

// Away reports whether every text that begins with this one is more than changes away from
// the word.
func (d *Distances) Away(changes int) bool {
	return slices.Min(d.rows[len(d.rows)-1]) > changes
}

// WordList is a list of distinct words in order.
type WordList interface {
	Len() int
	// At returns the i-th word. The caller does not keep it.
	At(i int) []byte
	// After returns the first place, at or after i, whose word is not before the text.
	After(i int, text []byte) int
}

// SimilarWords returns the places of the words that are at most changes away from word.
// With prefix, it is enough that a beginning of the listed word is. Words with the same
// beginning share a part of the comparison. All words with a beginning that is too far away
// are skipped at once.
func SimilarWords(list WordList, word string, changes int, prefix bool) []int {
	var found []int
	d := NewDistances(word)
	var before []byte
	for i := 0; i < list.Len(); {
		text := list.At(i)
		depth := d.Cut(common(before, text))
		before = text
		near, away := prefix && d.Begun(changes), false
		for depth < len(text) && !near && !away {
			d.Add(text[depth])
			depth++
			near, away = prefix && d.Changes() <= changes, d.Away(changes)
		}
		switch {
		case near || !away && d.Changes() <= changes && depth == len(text):
			found = append(found, i)
			i++
		case away:
			end := AfterPrefix(text[:depth])
			if end == nil {
				return found
			}
			i = list.After(i, end)
		default:
			i++
		}
	}
	return found
}

// AfterPrefix returns the smallest text that is after all texts with a prefix, or nil if
// there is none.
func AfterPrefix(text []byte) []byte {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] < 0xff {
			end := bytes.Clone(text[:i+1])
			end[i]++
			return end
		}
	}
	return nil
}

// common returns the length in bytes of the common beginning of two texts.
func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

package embedded

import (
	"bytes"
	"encoding/binary"
	"sort"

	"github.com/headwater-io/headwater/indexer"
)

// numberAt reads the i-th of a row of 32-bit numbers.
func numberAt(row []byte, i int) uint32 { return binary.LittleEndian.Uint32(row[4*i:]) }

// dictionary is a sorted list of distinct texts. The ordinal of a text is its place in the
// list. The bytes of all texts are stored one after the other; ends has the start of each
// text and, last, the end of the last text.
type dictionary struct {
	text, ends []byte
	n          int
}

// at returns the text of an ordinal. The caller must not use the text after it has released
// the segment.
func (d *dictionary) at(ord int) []byte {
	return d.text[numberAt(d.ends, ord):numberAt(d.ends, ord+1)]
}

// from returns the first ordinal whose text is not before the given text.
func (d *dictionary) from(text []byte) int {
	return sort.Search(d.n, func(i int) bool { return bytes.Compare(d.at(i), text) >= 0 })
}

// fromAfter is from for a text that is not before the text of ord. It is fast when the
// result is near ord.
func (d *dictionary) fromAfter(ord int, text []byte) int {
	step := 1
	for ord+step < d.n && bytes.Compare(d.at(ord+step), text) < 0 {
		ord += step
		step *= 2
	}
	end := min(ord+step, d.n)
	return ord + sort.Search(end-ord, func(i int) bool { return bytes.Compare(d.at(ord+i), text) >= 0 })
}

// find returns the ordinal of a text.
func (d *dictionary) find(text []byte) (int, bool) {
	i := d.from(text)
	return i, i < d.n && bytes.Equal(d.at(i), text)
}

// beginning returns the range of ordinals whose texts begin with the given text.
func (d *dictionary) beginning(text []byte) (from, to int) {
	from, to = d.from(text), d.n
	if end := indexer.AfterPrefix(text); end != nil {
		to = d.from(end)
	}
	return from, max(from, to)
}

// containing lists the ordinals of the texts that contain a text, which is not empty. It
// searches the bytes of all texts at once, and ignores a find that reaches over the end of
// a text. The library looks for the first byte before it compares the others, so containing
// searches for the rest of the text from its rarest byte on.
func (d *dictionary) containing(text []byte) []int {
	var found []int
	rare := d.rarest(text)
	ord := 0
	for at := rare; at < len(d.text); {
		i := bytes.Index(d.text[at:], text[rare:])
		if i < 0 {
			break
		}
		at += i
		ord = d.owner(ord, at)
		from, end := int(numberAt(d.ends, ord)), int(numberAt(d.ends, ord+1))
		if at-rare >= from && at-rare+len(text) <= end && bytes.Equal(d.text[at-rare:at], text[:rare]) {
			found = append(found, ord)
			at = end + rare
			continue
		}
		at++
	}
	return found
}

// folded returns the ordinals of the texts that equal the given one, ignoring case.
func (d *dictionary) folded(text []byte) []int {
	var found []int
	for ord := range d.n {
		if bytes.EqualFold(d.at(ord), text) {
			found = append(found, ord)
		}
	}
	return found
}

// sampled is how many bytes of a dictionary are counted to find rare bytes.
const sampled = 4096

// rarest returns the place in a text of the byte that is rarest in the dictionary.
func (d *dictionary) rarest(text []byte) int {
	var counts [256]int
	middle := len(d.text) / 2
	for _, b := range d.text[middle:min(middle+sampled, len(d.text))] {
		counts[b]++
	}
	rare := 0
	for i, b := range text {
		if counts[b] < counts[text[rare]] {
			rare = i
		}
	}
	return rare
}

// owner returns the ordinal of the text that contains a position. The result is at least
// ord.
func (d *dictionary) owner(ord, at int) int {
	within := func(i int) bool { return int(numberAt(d.ends, i+1)) > at }
	step := 1
	for ord+step < d.n && !within(ord+step) {
		ord += step
		step *= 2
	}
	end := min(ord+step, d.n-1)
	return ord + sort.Search(end-ord, func(i int) bool { return within(ord + i) })
}

// ending lists the ordinals of the texts that end with a text.
func (d *dictionary) ending(text []byte) []int {
	var found []int
	for ord := range d.n {
		if bytes.HasSuffix(d.at(ord), text) {
			found = append(found, ord)
		}
	}
	return found
}

// wordList is a dictionary as an [indexer.WordList].
type wordList struct{ *dictionary }

func (l wordList) Len() int                     { return l.n }
func (l wordList) At(i int) []byte              { return l.at(i) }
func (l wordList) After(i int, text []byte) int { return l.fromAfter(i, text) }

var _ indexer.WordList = wordList{}

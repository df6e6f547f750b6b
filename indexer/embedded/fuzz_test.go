package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/safely"
)

// seedSegment is the bytes of a segment with every kind of section.
func seedSegment(t testing.TB, documents int) []byte {
	t.Helper()
	var entries []entry
	for n := range documents {
		d := indexer.Document{
			URN: "urn:li:tag:" + string(rune('a'+n%26)) + string(rune('a'+n/26)), Type: "tag", Weight: 1 + float64(n%2),
			Values:      map[string][]string{"all": {"x", "y"}, "one": {string(rune('a' + n%26))}, indexer.FieldRemoved: {"false"}},
			Numbers:     map[string]int64{"n": int64(n)},
			Completions: map[string][]string{"name": {"a name"}},
		}
		if n%9 == 0 {
			d.Values["few"], d.Numbers["m"] = []string{"z"}, 5
		}
		d.Text[indexer.TextName] = []string{"a name", "another"}
		entries = append(entries, entry{&d, uint64(n)})
	}
	s, err := buildSegment(entries)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := (&merger{inputs: []part{{segment: s}}, stopped: func() bool { return false }}).merge(newEncoder(&out)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// FuzzSegment: reading a file of any content ends, and never ends the process. Only files
// that this package wrote have the right hash; the test leaves out the check of the hash.
func FuzzSegment(f *testing.F) {
	for _, documents := range []int{1, 20, 200} {
		text := seedSegment(f, documents)
		f.Add(text, uint32(0), byte(0))
		f.Add(text, uint32(len(text)/2), byte(0xff))
		f.Add(text, uint32(len(text)-segmentTrailer-5), byte(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, at uint32, change byte) {
		text = bytes.Clone(text)
		if len(text) > 0 {
			text[int(at)%len(text)] ^= change
		}
		s, err := parseSegment(text)
		if err != nil {
			if !errors.Is(err, errFormat) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		if s.docs > 10_000 {
			return // reading more documents takes too long
		}
		_ = safely.Do(func() error { return readEverything(s) })
	})
}

// readEverything reads a segment in every way.
func readEverything(s *segment) error {
	v := newView([]part{{segment: s}}, "")
	for name, f := range s.fields {
		for ord := range min(f.n, 1000) {
			f.docs(ord)
			f.find(f.at(ord))
		}
		f.column.all()
		indexer.SimilarWords(wordList{&f.dictionary}, "name", 1, true)
		f.containing([]byte("a"))
		if _, err := s.holds(indexer.Exists{Field: name}); err != nil {
			return err
		}
	}
	for doc := range uint32(s.docs) {
		located{&v.parts[0], doc}.hit(false)
	}
	words := []word{{text: "name"}, {text: "a", prefix: true}}
	docs, err := v.parts[0].matches(nil, words)
	if err != nil {
		return err
	}
	ranked([]match{{part: &v.parts[0], found: docs, count: int(docs.GetCardinality())}}, words, "a name", 0, 10)
	_, err = (&merger{inputs: []part{{segment: s, gone: roaring.BitmapOf(1)}}, stopped: func() bool { return false }}).merge(newEncoder(&bytes.Buffer{}))
	return err
}

// FuzzSnapshot: a snapshot of any content is decoded or refused.
func FuzzSnapshot(f *testing.F) {
	f.Add([]byte("0000000000000000\n{}"))
	f.Add([]byte("{\"Make\":\"2 \",\"Cursor\":\"7\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := parseSnapshot(text); err == nil && len(text) < 17 {
			t.Errorf("%q is taken for a snapshot", text)
		}
	})
}

// TestSegmentLargeCounts: numbers in the table of contents that are too large for the file
// are refused before memory of that size is allocated.
func TestSegmentLargeCounts(t *testing.T) {
	text := seedSegment(t, 3)
	at := binary.LittleEndian.Uint64(text[len(text)-segmentTrailer:])
	for i := at; i < uint64(len(text)-segmentTrailer); i++ {
		changed := bytes.Clone(text)
		for k := i; k < min(i+5, uint64(len(text)-segmentTrailer)); k++ {
			changed[k] = 0xff
		}
		if s, err := parseSegment(changed); err == nil && s.docs > 3 {
			t.Errorf("with large numbers from %d on it has %d documents", i, s.docs)
		}
	}
}

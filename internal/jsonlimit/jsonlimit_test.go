package jsonlimit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testseed"
)

func TestLimits(t *testing.T) {
	l := Limits{Depth: 4, Items: 12, List: 5}
	for text, says := range map[string]string{
		`{"a":[1,2,3,{"b":"c,{[\"]}"}]}`: "", `[]`: "", ``: "", `"[[[[[["`: "", `[[[[1]]]]`: "", `[1,2,3,4,5]`: "",
		`[[[[[1]]]]]`:                           "more than 4 lists and objects within each other",
		`[{},{},{},{},{},{}]`:                   "more than 5 items in one list or object",
		`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`: "more than 5 items in one list or object",
		`[[1,2,3],[1,2,3],[1,2,3],[1,2,3]]`:     "more than 12 values",
		`[[1,2,3,4],[1,2,3,4],[{},{}`:           "more than 12 values",
	} {
		_, err := Check([]byte(text), l)
		var limit *Error
		if says == "" && err != nil || says != "" && (!errors.As(err, &limit) || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

// count returns the number of values in a decoded text.
func count(tree any) int {
	n := 1
	switch tree := tree.(type) {
	case []any:
		for _, item := range tree {
			n += count(item)
		}
	case map[string]any:
		for _, item := range tree {
			n += count(item)
		}
	}
	return n
}

// TestItems compares the count with the decoder's, for every way to split the text into
// pieces.
func TestItems(t *testing.T) {
	for _, text := range []string{
		`{"a":[1,2.5e-3,true,null,"x"],"b":{"c":{}},"d":[]}`, `[]`, `5`, ` [ { "a" : 1 } , -1 ] `, `{"\"a\\":"\\\"","b,":[["]"]]}`,
		`{"proposals":[{"entityUrn":"urn:li:tag:x","aspect":{"value":"{\"a\":[1,2]}","contentType":"application/json"}},{}]}`,
	} {
		var tree any
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatal(err)
		}
		random := testseed.Rand(t, 1)
		for range 20 {
			var s Scanner
			s.Reset(Limits{Shallow: MaxDepth})
			for rest := []byte(text); len(rest) > 0; {
				n := 1 + random.IntN(len(rest))
				if err := s.Scan(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if s.Items() != count(tree) || s.ShallowItems() != count(tree) {
				t.Errorf("%s: %d values, shallow %d, want %d", text, s.Items(), s.ShallowItems(), count(tree))
			}
		}
	}
}

func TestShallowItems(t *testing.T) {
	var s Scanner
	s.Reset(Limits{Shallow: 2})
	if err := s.Scan([]byte(`{"proposals":[{"a":1,"b":[1,2,3]},{}],"async":true}`)); err != nil || s.ShallowItems() != 5 {
		t.Errorf("%d %v, want the text, its two members and two proposals", s.ShallowItems(), err)
	}
}

func TestValues(t *testing.T) {
	text := []byte(`{"a":"}"}[1,{}] {"b":{"c":1}}`)
	var got []string
	for len(text) > 0 {
		var s Scanner
		s.Reset(Limits{})
		n, done, err := s.ScanValue(text)
		if !done || err != nil {
			t.Fatalf("%s: %v %v", text, done, err)
		}
		got, text = append(got, string(text[:n])), text[n:]
	}
	if want := `{"a":"}"}|[1,{}]| {"b":{"c":1}}`; strings.Join(got, "|") != want {
		t.Errorf("%q, want %s", got, want)
	}
}

// TestNothingIsKept: measuring a text allocates no memory.
func TestNothingIsKept(t *testing.T) {
	text := bytes.Repeat([]byte(`[{"a":1},"b"]`), 1000)
	if n := testing.AllocsPerRun(10, func() { _, _ = Check(text, Limits{}) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2]}`, `[[[`, `]]}`, `"\u00`, `{"a"::1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		items, err := Check(text, Limits{})
		var tree any
		if json.Unmarshal(text, &tree) != nil || err != nil {
			return
		}
		// The decoder drops the first of two members with the same name.
		if n := count(tree); items < n {
			t.Fatalf("%s: %d values, want at least %d", text, items, n)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	text := bytes.Repeat([]byte(`{"fieldPath":"a.b.c","nullable":true,"type":{"type":{"x":{}}}},`), 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = Check(text, Limits{})
	}
}

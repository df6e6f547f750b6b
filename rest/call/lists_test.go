package call

import (
	"slices"
	"testing"
)

func TestParseList(t *testing.T) {
	for query, want := range map[string][]string{
		"": {}, "x=": {}, "x=List()": {}, "x=a": {"a"}, "x=a,b": {"a", "b"}, "x=List(a,b)": {"a", "b"}, "x=a&x=List(b)&y=c": {"a", "b"},
		"x=List%28a%2Cb%29": {"a", "b"}, "x=List(urn%3Ali%3Achart%3A%28a%2Cb%29,c)": {"urn:li:chart:(a,b)", "c"},
		"x=List(urn:li:chart:(a,b),c)": {"urn:li:chart:(a,b)", "c"}, "x=List(a%2528b)": {"a%28b"}, "x=List(a+b)": {"a+b"},
		"x=List%28urn%253Ali%253Atag%253Aa%252Cb%29": {"urn:li:tag:a,b"},
	} {
		got, err := parseList(query, "x")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q %v, want %q", query, got, err, want)
		}
	}
	for _, bad := range []string{"x=List(a", "x=List(%zz)"} {
		if got, err := parseList(bad, "x"); err == nil {
			t.Errorf("%q: %q", bad, got)
		}
	}
}

func FuzzParseList(f *testing.F) {
	for _, seed := range []string{"x=List(a,b)", "x=List%28a%29", "x=((,)", "x=%", "&&=x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		items, err := parseList(query, "x")
		if err == nil && slices.Contains(items, "") {
			t.Fatalf("%q has an empty item", query)
		}
	})
}

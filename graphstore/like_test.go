package graphstore_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/storetest"
)

func TestLike(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"%", "", true},
		{"%%%", "anything", true},
		{"a%", "abc", true},
		{"a%", "ba", false},
		{"%c", "abc", true},
		{"%b%", "abc", true},
		{"ab%ba", "aba", false}, // beginning and end may not overlap
		{"ab%ba", "abba", true},
		{"%ab%ab%", "ab ab", true},
		{"%ab%ab%", "aba", false},
		{"%ab%b", "ab", false},
		{"_", "é", true},
		{"__", "é", false},
		{"a_c%", "aécd", true},
		{"%a_c", "xaéc", true},
		{"%_b_%", "xbx", true},
		{"%_b_%", "bx", false},
		{"%a_%_c%", "abbc", true},
		{"%a_%_c%", "abc", false},
		{"A%", "abc", false},
		{`\%`, `\x`, true}, // there is no escape
		{"[a]*.", "[a]*.", true},
		{"[a]*.", "a", false},
		{"%" + strings.Repeat("a_", 200) + "b%", strings.Repeat("a", 399) + "_aab", true},
		{"%" + strings.Repeat("a_", 200) + "b%", strings.Repeat("a", 403), false},
		{"%" + strings.Repeat("a_", 100) + "b%", "z" + strings.Repeat("ax", 101) + "bz", true},
	} {
		if got := graphstore.ParseLike(c.pattern).Match(c.text); got != c.want {
			t.Errorf("%q like %q: %v", c.text, c.pattern, got)
		}
	}
}

func TestLikePlain(t *testing.T) {
	for pattern, want := range map[string]bool{
		"": false, "a": false, "_": false, "%": true, "a%": true, "%a": true, "%a%": true, "%%": true,
		"a%b": false, "%a%b%": false, "a_%": false, "a%%": true,
	} {
		if got := graphstore.ParseLike(pattern).Plain(); got != want {
			t.Errorf("%q is plain: %v", pattern, got)
		}
	}
}

// FuzzLike compares Match with a matcher that tries everything, and checks Prefix, Suffix and
// Contains.
func FuzzLike(f *testing.F) {
	f.Add("%a_b%", "xaéb")
	f.Add("a%b%c", "abbcc")
	f.Add("%aa_a%", "aaaaa")
	f.Add("é_%", "éé%_")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 24 || len(text) > 48 || !utf8.ValidString(pattern) || !utf8.ValidString(text) {
			t.Skip()
		}
		like := graphstore.ParseLike(pattern)
		got, want := like.Match(text), storetest.NaiveLike([]rune(pattern), []rune(text))
		if got != want {
			t.Fatalf("%q like %q: %v", text, pattern, got)
		}
		has := strings.HasPrefix(text, like.Prefix()) && strings.HasSuffix(text, like.Suffix()) && strings.Contains(text, like.Contains())
		if got && !has || like.Plain() && got != has {
			t.Fatalf("%q like %q: %v, but it has the texts: %v", text, pattern, got, has)
		}
	})
}

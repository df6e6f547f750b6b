package storetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// NaiveLike reports whether text matches an SQL LIKE pattern. NaiveLike tries every way in
// which the pattern may match, and so serves as the reference for faster matchers.
func NaiveLike(pattern, text []rune) bool {
	if len(pattern) == 0 {
		return len(text) == 0
	}
	if pattern[0] == '%' {
		return NaiveLike(pattern[1:], text) || len(text) > 0 && NaiveLike(pattern, text[1:])
	}
	return len(text) > 0 && (pattern[0] == '_' || pattern[0] == text[0]) && NaiveLike(pattern[1:], text[1:])
}

// testCountLike counts entities with random LIKE patterns. The patterns and URNs have few
// different letters, so that many URNs match.
func testCountLike(t *testing.T, s graphstore.Store) {
	ctx := context.Background()
	random := rand.New(rand.NewPCG(14, 4))
	word := func(letters []rune, most int) string {
		text := make([]rune, random.IntN(most+1))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		return string(text)
	}
	const begin = "urn:li:tag:"
	var batch graphstore.Batch
	urns := map[string]bool{}
	for range 300 {
		u := begin + word([]rune("aabbéB%_*?[]\\."), 8)
		if urns[u] {
			continue
		}
		urns[u] = true
		batch.Nodes = append(batch.Nodes, graphstore.NodeUpdate{URN: u, Type: "tag", Exists: true})
		batch.PutVersions = append(batch.PutVersions, graphstore.Aspect{URN: u, Name: "status", Seq: 1, Value: value(1), CreatedBy: actor, System: system("run")})
	}
	names := make([]string, 0, len(urns))
	for u := range urns {
		names = append(names, u)
	}
	write(t, s, names, batch)
	put(t, s, urn(1), "ownership", value(1))
	patterns := []string{"%", "%%", begin + "%", "%" + begin + "%", "%:tag%_", "nothing", "%]%", `%\%%`, begin, names[0]}
	for range 60 {
		patterns = append(patterns, "%"+word([]rune("aabé_%B["), 6), begin+word([]rune("aab_%é*"), 7))
	}
	matched := 0
	for _, pattern := range patterns {
		want := 0
		for u := range urns {
			if NaiveLike([]rune(pattern), []rune(u)) {
				want++
			}
		}
		if got := must[int64](t)(s.CountAspects(ctx, "status", pattern)); got != int64(want) {
			t.Errorf("%q counts %d, want %d", pattern, got, want)
		}
		matched += want
	}
	if matched == 0 {
		t.Error("no pattern matched anything")
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.CountAspects(ctx, "status", "%a%b%"); !errors.Is(err, context.Canceled) {
		t.Errorf("counting after the caller has gone: %v", err)
	}
}

package access_test

import (
	"context"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access"
)

// BenchmarkCaller measures how long the gate needs to find the caller of a request: with a token that was
// shown a moment ago, with a token that must be looked up in the store, and with a forged token.
func BenchmarkCaller(b *testing.B) {
	h := newHouse(b)
	token, _ := h.token(h.user("ada"), 0)
	run := func(name, header string, each func(), fails bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				each()
				if _, err := h.gate.Caller(context.Background(), access.Shown{Authorization: header}); (err != nil) != fails {
					b.Fatal(err)
				}
			}
		})
	}
	run("known", "Bearer "+token, func() {}, false)
	run("looked up", "Bearer "+token, func() { h.now = h.now.Add(time.Second) }, false)
	run("forged", "Bearer "+token+"x", func() {}, true)
}

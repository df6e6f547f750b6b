package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// reference is the expected content of a store, held in plain maps.
type reference struct {
	// versions holds the values of each aspect by version number. latest holds the number of the
	// latest version, 0 for no version.
	versions map[graphstore.AspectKey]map[int64]int
	latest   map[graphstore.AspectKey]int64
	next     map[graphstore.AspectKey]int64
	edges    map[graphstore.EdgeID]bool
}

// testRandomOperations applies random batches to the store and to the reference and then
// compares the two.
func testRandomOperations(t *testing.T, s graphstore.Store) {
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, 1))
	ref := &reference{
		versions: map[graphstore.AspectKey]map[int64]int{}, latest: map[graphstore.AspectKey]int64{},
		next: map[graphstore.AspectKey]int64{}, edges: map[graphstore.EdgeID]bool{},
	}
	for step := range testsize.Of(150, 1500) {
		ref.step(t, s, random, step)
	}
	ref.compare(t, s)
}

func (r *reference) step(t *testing.T, s graphstore.Store, random *rand.Rand, n int) {
	u := urn(random.IntN(4))
	k := key(u, []string{"ownership", "status"}[random.IntN(2)])
	switch operation := random.IntN(12); {
	case operation < 5:
		put(t, s, u, k.Name, value(n))
		if r.versions[k] == nil {
			r.versions[k] = map[int64]int{}
		}
		r.next[k] = r.highest(k) + 1
		r.versions[k][r.next[k]] = n
		r.latest[k] = r.next[k]
	case operation < 7:
		if r.latest[k] == 0 {
			return
		}
		write(t, s, []string{u}, graphstore.Batch{Archive: []graphstore.AspectKey{k}})
		r.latest[k] = 0
	case operation < 8:
		if to := int64(random.IntN(4)); to < r.latest[k] || r.latest[k] == 0 {
			write(t, s, []string{u}, graphstore.Batch{DeleteVersions: []graphstore.VersionRange{{Key: k, FromSeq: 1, ToSeq: to}}})
			for seq := int64(1); seq <= to; seq++ {
				delete(r.versions[k], seq)
			}
		}
	case operation < 11:
		r.toggleEdge(t, s, random, u)
	default:
		write(t, s, []string{u}, graphstore.Batch{DeleteEntities: []string{u}})
		for other := range r.versions {
			if other.URN == u {
				delete(r.versions, other)
				delete(r.latest, other)
			}
		}
		for id := range r.edges {
			if id.Owner == u {
				delete(r.edges, id)
			}
		}
	}
}

func (r *reference) highest(k graphstore.AspectKey) int64 {
	var highest int64
	for seq := range r.versions[k] {
		highest = max(highest, seq)
	}
	return highest
}

func (r *reference) toggleEdge(t *testing.T, s graphstore.Store, random *rand.Rand, u string) {
	e := statement(u, []string{"DownstreamOf", "OwnedBy"}[random.IntN(2)], urn(random.IntN(6)), "aspect", fmt.Sprint(random.IntN(2)), 1)
	if r.edges[e.EdgeID] {
		endEdge(t, s, e, 2)
		delete(r.edges, e.EdgeID)
		return
	}
	addEdges(t, s, u, e)
	r.edges[e.EdgeID] = true
}

func (r *reference) compare(t *testing.T, s graphstore.Store) {
	for k, versions := range r.versions {
		for seq, n := range versions {
			if seq == r.latest[k] {
				wantVersion(t, s, k.URN, k.Name, 0, 0, value(n))
			} else {
				wantVersion(t, s, k.URN, k.Name, seq, seq, value(n))
			}
		}
		if r.latest[k] == 0 {
			wantNoVersion(t, s, k.URN, k.Name, 0)
		}
	}
	for n := range 6 {
		out, in := map[string]bool{}, map[string]bool{}
		for id := range r.edges {
			if id.Source == urn(n) {
				out[id.Type+" "+id.Destination] = true
			}
			if id.Destination == urn(n) {
				in[id.Type+" "+id.Source] = true
			}
		}
		wantEqual(t, "out", ends(t, s, graphstore.EdgeQuery{URNs: []string{urn(n)}}), slices.Sorted(maps.Keys(out)))
		wantEqual(t, "in", ends(t, s, graphstore.EdgeQuery{URNs: []string{urn(n)}, Direction: graphstore.Incoming}), slices.Sorted(maps.Keys(in)))
	}
}

package write

import (
	"bytes"
	"sync"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/model"
)

// remembered keeps values that were written last and state many edges, with their edges: the next write of such an
// aspect compares its value with them. A remembered value is used only if the stored text equals its own, so it need
// not be forgotten. The values and edges are never changed.
type remembered struct {
	mu     sync.Mutex
	values *recent.Map[graphstore.AspectKey, statedValue]
}

type statedValue struct {
	value *model.Value
	edges []graphstore.EdgeStatement
}

// These bound the remembered values: manyEdges is the least number of edges, rememberedBytes the estimated memory of
// each of two generations. A decoded value takes about treeSize times the bytes of its text, an edge edgeSize bytes.
const (
	manyEdges       = 4
	rememberedBytes = 8 << 20
	treeSize        = 8
	edgeSize        = 400
)

func newRemembered() *remembered {
	return &remembered{values: recent.NewWeighed[graphstore.AspectKey](rememberedBytes, statedValue.size)}
}

func (v statedValue) size() int { return treeSize*len(v.value.JSON) + edgeSize*len(v.edges) }

// find returns the remembered value of an aspect with a text.
func (r *remembered) find(key graphstore.AspectKey, text []byte) (found statedValue, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok = r.values.Get(key)
	return found, ok && bytes.Equal(found.value.JSON, text)
}

func (r *remembered) put(key graphstore.AspectKey, v statedValue) {
	if v.value == nil || len(v.edges) < manyEdges || v.size() > rememberedBytes/8 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values.Put(key, v)
}

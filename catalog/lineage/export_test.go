package lineage

import "github.com/headwater-io/headwater/graphstore"

// These give the tests of this package what they look at inside.
const (
	HopEdges  = hopEdges
	MaxReport = maxReport
)

func (w *Walk) CutNow() graphstore.Cut { return w.cut }

package lineage

import "github.com/headwater-io/headwater/graphstore"

// These give the tests of this package what they look at inside.
const (
	HopEdges  = hopEdges
	MaxReport = maxReport
)

func (w *Walk) CutNow() graphstore.Cut { return w.cut }

// BoundDiff lowers the bounds of differences until undo is called.
func BoundDiff(nodes, edges int) (undo func()) {
	was, wasEdges := diffNodesMost, diffEdgesMost
	diffNodesMost, diffEdgesMost = nodes, edges
	return func() { diffNodesMost, diffEdgesMost = was, wasEdges }
}

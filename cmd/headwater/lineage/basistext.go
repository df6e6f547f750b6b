package lineage

import (
	"io"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
)

// writeBasis writes on which lineage an answer is based.
func writeBasis(w io.Writer, basis *lineage.Basis, width int) {
	if basis != nil {
		show.WriteFacts(w, []show.Fact{{Name: "Rests on", Values: []string{screen.Line(basis.Summary)}}}, width)
	}
}

package relational

import (
	"iter"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/model"
)

// Hidden returns a sequence whose error has no secret of the recipe, and removes the secrets from the report when the
// sequence ends: drivers may repeat a password in an error.
func Hidden(proposals iter.Seq2[*model.FileProposal, error], report *connectors.Report, r *settings.Reader) iter.Seq2[*model.FileProposal, error] {
	return func(yield func(*model.FileProposal, error) bool) {
		defer func() {
			for _, list := range [][]string{report.Warnings, report.Failures} {
				for i := range list {
					list[i] = r.Hidden(list[i])
				}
			}
		}()
		for p, err := range proposals {
			if !yield(p, r.Without(err)) {
				return
			}
		}
	}
}

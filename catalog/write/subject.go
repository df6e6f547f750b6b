package write

import (
	"context"

	"github.com/headwater-io/headwater/internal/requestinfo"
)

// noteChanged notes the entities of changes as those that a request changes.
func noteChanged(ctx context.Context, changes []*change) {
	subject := requestinfo.SubjectOf(ctx)
	for _, ch := range changes {
		if subject.Changes(ch.urn) {
			return
		}
	}
}

// nameProposals notes the entities of proposals, also of those that are refused.
func (w *Writer) nameProposals(ctx context.Context, proposals ...Proposal) {
	subject := requestinfo.SubjectOf(ctx)
	if subject == nil {
		return
	}
	for i := range proposals[:min(len(proposals), namedProposals)] {
		if u, _, err := w.EntityURN(proposals[i].EntityURN); err == nil {
			subject.Names(u)
		}
	}
}

// namedProposals is how many proposals of a batch are looked at for its line in the log.
const namedProposals = 2

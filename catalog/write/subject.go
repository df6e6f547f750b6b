package write

import (
	"context"

	"github.com/headwater-io/headwater/internal/requestinfo"
)

// noteChanged notes, for the log and the audit trail, the entities that a request changes.
func noteChanged(ctx context.Context, changes []*change) {
	if deed := requestinfo.DeedOf(ctx); deed != nil {
		for _, ch := range changes {
			if ch.aspect == nil {
				deed.Changes(ch.urn)
			} else {
				deed.Changes(ch.urn, ch.aspect.Name)
			}
		}
	}
	subject := requestinfo.SubjectOf(ctx)
	for _, ch := range changes {
		if subject.Changes(ch.urn) {
			return
		}
	}
}

// nameProposals notes, for the log, the entities that proposals name, also those of refused
// proposals.
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

// namedProposals is how many proposals of a batch nameProposals looks at.
const namedProposals = 2

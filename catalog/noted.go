package catalog

import "context"

// noteChanged notes the entities of changes as those that a request changes.
func noteChanged(ctx context.Context, changes []*change) {
	subject := SubjectOf(ctx)
	if subject == nil {
		return
	}
	for _, ch := range changes {
		subject.Changes(ch.urn)
	}
}

// nameProposals notes the entities of proposals, also of those that are refused.
func (c *Catalog) nameProposals(ctx context.Context, proposals ...Proposal) {
	subject := SubjectOf(ctx)
	if subject == nil {
		return
	}
	for i := range proposals[:min(len(proposals), namedProposals)] {
		if u, _, err := c.EntityURN(proposals[i].EntityURN); err == nil {
			subject.Names(u)
		}
	}
}

// namedProposals is how many proposals of a batch are looked at for its line in the log.
const namedProposals = 2

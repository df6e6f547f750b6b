package object

import (
	"context"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/internal/optional"
)

// Trail returns a page of the audit trail.
func (s *Session) Trail(ctx context.Context, in *AuditTrailInput) (*AuditTrail, error) {
	if in == nil {
		in = &AuditTrailInput{}
	}
	kinds, err := audit.ParseKinds(in.Kinds)
	if err != nil {
		return nil, err
	}
	q := audit.Search{Kinds: kinds, Allowed: in.Allowed, Since: optional.Or(in.Since, 0), Until: optional.Or(in.Until, 0), Limit: optional.Or(in.Limit, 0), Cursor: optional.Or(in.Cursor, "")}
	for from, to := range map[*string]*string{in.Actor: &q.Actor, in.Entity: &q.Entity} {
		if from == nil || *from == "" {
			continue
		}
		u, err := s.URN(*from)
		if err != nil {
			return nil, err
		}
		*to = u.String()
	}
	page, err := s.Audit.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	refs, trail := s.NewRefs(), &AuditTrail{Cursor: given(page.Cursor), LookedTo: moment(page.LookedTo), Entries: make([]*AuditEntry, len(page.Entries))}
	for i := range page.Entries {
		trail.Entries[i] = auditEntryOf(&page.Entries[i], refs)
	}
	return trail, refs.Read(ctx)
}

func auditEntryOf(e *audit.Entry, refs *Refs) *AuditEntry {
	shown := &AuditEntry{
		Time: e.Time, ID: e.ID, Kind: string(e.Kind), Actor: refs.Of(e.Actor), Means: given(string(e.Means)), Credential: given(e.Credential), Impersonator: given(e.Impersonator), Stated: refs.Of(e.Stated),
		Remote: given(e.Remote), Agent: given(e.Agent), RequestID: given(e.RequestID), Door: given(e.Door),
		Entities: []*EntityRef{}, EntityCount: e.EntityCount, Aspects: append([]string{}, e.Aspects...), Allowed: e.Allowed, Reason: given(e.Reason), Count: moment(e.Count),
	}
	if e.Status != 0 {
		shown.Status = &e.Status
	}
	for _, urn := range e.Entities {
		if ref := refs.Of(urn); ref != nil {
			shown.Entities = append(shown.Entities, ref)
		}
	}
	return shown
}

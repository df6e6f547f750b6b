package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog/announced"
)

// AnnouncedOf is an announced change with the names of the entities that it mentions.
func (s *Session) AnnouncedOf(ctx context.Context, c *announced.Change) (*AnnouncedChange, error) {
	refs := s.NewRefs()
	answer := announcedOf(refs, c)
	return answer, refs.Read(ctx)
}

// AnnouncedListOf is a part of the announced changes, with the names of the entities that they mention.
func (s *Session) AnnouncedListOf(ctx context.Context, l *announced.List) (*AnnouncedChanges, error) {
	refs := s.NewRefs()
	answer := &AnnouncedChanges{Start: l.Start, Total: l.Total, Changes: make([]*AnnouncedChange, len(l.Changes))}
	for i := range l.Changes {
		answer.Changes[i] = announcedOf(refs, &l.Changes[i])
	}
	return answer, refs.Read(ctx)
}

func announcedOf(refs *Refs, c *announced.Change) *AnnouncedChange {
	answer := &AnnouncedChange{
		Urn: c.URN, Title: c.Title, State: AnnouncedChangeState(c.State), Reason: given(c.Reason), PullRequest: given(c.PullRequest), Repository: given(c.Repository),
		Project: given(c.Project), Author: given(c.Author), AnnouncedAt: c.Created.Time, AnnouncedBy: refs.Of(c.Created.Actor), Changes: make([]*AnnouncedMember, len(c.Changes)),
		Certain: c.Certain, Possible: c.Possible, Refused: c.Refused, Exceptions: make([]*AnnouncedException, len(c.Exceptions)),
	}
	if c.ExpiresAt > 0 {
		answer.ExpiresAt = &c.ExpiresAt
	}
	for i := range c.Changes {
		m := &c.Changes[i]
		member := &AnnouncedMember{
			Kind: m.Kind, Datasets: make([]*EntityRef, len(m.Datasets)), Column: given(m.Column), NewName: given(m.NewName), OldType: given(m.OldType), NewType: given(m.NewType),
			Arrivals: make([]*AnnouncedArrival, len(m.Arrivals)),
		}
		for k, urn := range m.Datasets {
			member.Datasets[k] = refs.Of(urn)
		}
		for k := range m.Arrivals {
			a := &m.Arrivals[k]
			member.Arrivals[k] = &AnnouncedArrival{Dataset: refs.Of(a.Dataset), Time: a.Time, Actor: refs.Of(a.Actor), RunID: given(a.RunID), Description: a.Description}
		}
		answer.Changes[i] = member
	}
	for i := range c.Exceptions {
		x := &c.Exceptions[i]
		answer.Exceptions[i] = &AnnouncedException{Name: x.Name, Rule: x.Rule, Who: x.Who, Until: x.Until, Reason: x.Reason}
	}
	return answer
}

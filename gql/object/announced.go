package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog/announced"
	"github.com/headwater-io/headwater/internal/optional"
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
	answer.Effects = make([]*AnnouncedEffect, len(c.Effects))
	for i := range c.Effects {
		e := &c.Effects[i]
		answer.Effects[i] = &AnnouncedEffect{Urn: given(e.URN), Name: e.Name, Effect: e.Effect, Why: given(e.Why)}
	}
	for i := range c.Exceptions {
		x := &c.Exceptions[i]
		answer.Exceptions[i] = &AnnouncedException{Name: x.Name, Rule: x.Rule, Who: x.Who, Until: x.Until, Reason: x.Reason}
	}
	return answer
}

// AnnouncedDraft is the announcement of a request. datasets reads the URNs of datasets.
func AnnouncedDraft(input *AnnounceChangeInput, datasets func(urns []string) []string) *announced.Draft {
	draft := &announced.Draft{
		PullRequest: input.PullRequest, Project: optional.Or(input.Project, ""), Repository: optional.Or(input.Repository, ""), Author: optional.Or(input.Author, ""), Days: optional.Or(input.Days, 0),
	}
	draft.Certain, draft.Possible, draft.Refused = optional.Or(input.Certain, 0), optional.Or(input.Possible, 0), optional.Or(input.Refused, false)
	draft.Changes = make([]announced.Member, len(input.Changes))
	for i, m := range input.Changes {
		draft.Changes[i] = announced.Member{
			Kind: m.Kind, Datasets: datasets(m.Datasets), Column: optional.Or(m.Column, ""), Path: optional.Or(m.Path, ""), Sure: optional.Or(m.Sure, 1), How: optional.Or(m.How, ""),
			NewName: optional.Or(m.NewName, ""), OldType: optional.Or(m.OldType, ""), NewType: optional.Or(m.NewType, ""),
		}
	}
	for _, e := range input.Effects {
		draft.Effects = append(draft.Effects, announced.Effect{URN: optional.Or(e.Urn, ""), Name: e.Name, Effect: e.Effect, Why: optional.Or(e.Why, "")})
	}
	for _, x := range input.Exceptions {
		draft.Exceptions = append(draft.Exceptions, announced.Exception{URN: optional.Or(x.Urn, ""), Name: x.Name, Rule: x.Rule, Who: x.Who, Until: x.Until, Reason: x.Reason})
	}
	return draft
}

package mcp

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog/announced"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// ExpectedChange is a change of a dataset that was announced before it is merged, and that has not arrived, or only in part.
type ExpectedChange struct {
	URN         string `json:"urn"`
	PullRequest string `json:"pull_request,omitempty"`
	Author      string `json:"author,omitempty"`
	AnnouncedAt string `json:"announced_at"`
	// Until is the time from which the change is not expected any more.
	Until string `json:"until,omitempty"`
	// Refused: the policy of the project refused the change.
	Refused bool `json:"refused,omitempty"`
	// Changes are the changes of the dataset that have not arrived; MoreChanges counts further changes.
	Changes     []ExpectedMember `json:"changes"`
	MoreChanges int              `json:"more_changes,omitempty"`
}

// ExpectedMember is one change of a table, or of a column.
type ExpectedMember struct {
	Kind    string `json:"kind"`
	Column  string `json:"column,omitempty"`
	NewName string `json:"new_name,omitempty"`
	NewType string `json:"new_type,omitempty"`
}

const (
	// mostExpected is how many announced changes an answer has, mostMembers how many changes each of them lists, and
	// mostExpectedBytes how long all announced changes are together.
	mostExpected      = 5
	mostMembers       = 20
	mostExpectedBytes = limits.MaxAgentAnswer / 4
)

// expected returns the announced changes of a dataset, or of one of its columns, that have not arrived, and
// counts further changes.
func (h *Handler) expected(ctx context.Context, u model.URN, column string) (found []ExpectedChange, more int, err error) {
	if u.EntityType() != model.EntityDataset {
		return nil, 0, nil
	}
	list, err := h.catalog.Announced.List(ctx, announced.Request{States: []string{announced.StateAnnounced, announced.StatePartly}, Dataset: u, Count: limits.AnnouncedPage})
	if err != nil {
		return nil, 0, err
	}
	more = list.Total - len(list.Changes)
	for i := range list.Changes {
		c := &list.Changes[i]
		e := ExpectedChange{
			URN: c.URN, PullRequest: clip(c.PullRequest, limits.MaxAgentListedText), Author: clip(c.Author, limits.MaxAgentListedText),
			AnnouncedAt: shown(c.Created.Time), Until: shown(c.ExpiresAt), Refused: c.Refused, Changes: []ExpectedMember{},
		}
		for k := range c.Changes {
			m := &c.Changes[k]
			if len(m.Arrivals) > 0 || !m.IsAbout(u.String()) || column != "" && !strings.EqualFold(column, m.Column) && column != m.Path {
				continue
			}
			if len(e.Changes) == mostMembers {
				e.MoreChanges++
				continue
			}
			e.Changes = append(e.Changes, ExpectedMember{
				m.Kind, clip(m.Column, limits.MaxAgentListedText), clip(m.NewName, limits.MaxAgentListedText), clip(m.NewType, limits.MaxAgentListedText),
			})
		}
		switch {
		case len(e.Changes) == 0:
		case len(found) == mostExpected:
			more++
		default:
			found = append(found, e)
		}
	}
	fit := fitting(found, mostExpectedBytes)
	return fit, more + len(found) - len(fit), nil
}

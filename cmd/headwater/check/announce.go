package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog/announced"
	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/change/report"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// announcing are the flags of check about the announcement.
type announcing struct {
	on                  bool
	pullRequest, author string
	days                int
}

// check refuses flags that do not fit.
func (a *announcing) check(o *options) error {
	switch {
	case !a.on && (a.pullRequest != "" || a.author != "" || a.days != 0):
		return errors.New("--pull-request, --author and --days belong to --announce")
	case !a.on:
	case !o.asked || o.catalog != "":
		return errors.New("--announce needs a server: name it with --server")
	case a.pullRequest == "":
		return errors.New("--announce needs the address of the pull request: --pull-request")
	case a.days < 0 || a.days > limits.AnnouncedDays:
		return fmt.Errorf("--days is 1 to %d", limits.AnnouncedDays)
	}
	return nil
}

// announce announces the changes and effects of the report. It returns nil if there is nothing to announce, and nothing was announced before. left
// counts the changes that could not be announced, because no dataset of the catalog belongs to them or because there are too many.
func (a *announcing) announce(ctx context.Context, e *cli.Environment, r *report.Report, states ...*change.State) (made *announced.Change, left int, err error) {
	draft := announced.Draft{PullRequest: a.pullRequest, Project: r.Prefix, Author: a.author, Days: a.days}
	draft.Promise, left = promiseOf(r, states)
	body, err := json.Marshal(&draft)
	if err != nil {
		return nil, left, err
	}
	var answer struct {
		Announced *announced.Change `json:"announced"`
	}
	if err := e.Client().Post(ctx, "/announced-changes", body, &answer); err != nil {
		return nil, left, fmt.Errorf("the change could not be announced: %w", err)
	}
	return answer.Announced, left, nil
}

// promiseOf returns the parts of a report that the catalog keeps.
func promiseOf(r *report.Report, states []*change.State) (p announced.Promise, left int) {
	p.Changes = []announced.Member{}
	for i := range r.Changes {
		c := &r.Changes[i]
		if !slices.Contains(announced.Kinds(), c.Kind) {
			continue // it takes nothing away
		}
		datasets := datasetsOf(c, states)
		if len(datasets) == 0 || len(p.Changes) == limits.AnnouncedMembers {
			left++
			continue
		}
		p.Changes = append(p.Changes, announced.Member{
			Kind: c.Kind, Datasets: datasets, Table: cut(c.Table), Column: cut(c.Column), Path: cut(c.Path), Sure: c.Sure, How: cut(c.How),
			NewName: cut(c.NewName), OldType: cut(c.OldType), NewType: cut(c.NewType),
		})
	}
	p.Certain, p.Possible, p.Refused = len(r.Certain), len(r.Possible), r.Verdict.Refused
	for _, of := range []struct {
		effect string
		list   []change.Impact
	}{{change.Certain, r.Certain}, {change.Possible, r.Possible}} {
		for i := range of.list {
			if at := &of.list[i]; len(p.Effects) < limits.AnnouncedEffects {
				p.Effects = append(p.Effects, announced.Effect{URN: stated(at.URN), Name: cut(at.Name), Effect: of.effect, Why: cut(at.Why)})
			}
		}
	}
	for i := range r.Verdict.Excused {
		if x := &r.Verdict.Excused[i]; len(p.Exceptions) < limits.AnnouncedEffects {
			p.Exceptions = append(p.Exceptions, announced.Exception{
				URN: stated(x.URN), Name: cut(x.Name), Rule: string(x.Rule), Who: cut(x.Who), Until: x.Until, Reason: cut(x.Reason),
			})
		}
	}
	return p, left
}

// datasetsOf returns the datasets of the catalog that a change is about.
func datasetsOf(c *change.Change, states []*change.State) []string {
	var urns []string
	add := func(urn string) {
		if stated(urn) != "" && model.StoredURN(urn).EntityType() == model.EntityDataset && !slices.Contains(urns, urn) && len(urns) < limits.AnnouncedDatasets {
			urns = append(urns, urn)
		}
	}
	add(c.URN)
	for _, s := range states {
		if n := s.Nodes[c.Node()]; n != nil {
			for _, urn := range n.URNs {
				add(urn)
			}
		}
	}
	return urns
}

// stated returns a URN, "" for another text.
func stated(urn string) string {
	if _, err := model.ParseURN(urn); err != nil {
		return ""
	}
	return urn
}

// cut returns the beginning of a text that is as long as one of an announced change may be.
func cut(text string) string {
	if len(text) <= limits.AnnouncedText {
		return text
	}
	end := limits.AnnouncedText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSpace(text[:end])
}

package get

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/quality"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// checkable reports whether entities of a type can be fresh and have checks.
func checkable(entityType string) bool {
	return hasLineage(entityType) || entityType == model.EntityAssertion || entityType == model.EntitySchemaField
}

// qualityOf reads whether an entity is fresh and passes its checks. It returns nil if
// entities of its type have neither, or if an older server cannot answer.
func qualityOf(ctx context.Context, e *cli.Environment, entity *client.Entity) (*quality.State, error) {
	if !checkable(entity.EntityName) {
		return nil, nil
	}
	state := &quality.State{}
	_, err := e.Ask(ctx, "/quality/"+model.EncodeURN(entity.URN), state)
	var answer *client.Error
	if errors.As(err, &answer) && answer.Status == http.StatusNotFound {
		return nil, nil
	}
	return state, err
}

// qualityURNs returns the URNs in a quality state.
func qualityURNs(s *quality.State) []string {
	var urns []string
	if s == nil {
		return nil
	}
	if s.Updated != nil {
		urns = append(urns, s.Updated.Actor, s.Updated.Of)
	}
	if s.Profile != nil {
		urns = append(urns, s.Profile.Of)
	}
	for i := range s.Assertions {
		urns = append(urns, s.Assertions[i].Platform, s.Assertions[i].About)
	}
	return slices.DeleteFunc(urns, func(urn string) bool { return urn == "" })
}

// qualityFacts returns the lines about freshness and checks.
func (p *page) qualityFacts() []show.Fact {
	s := p.quality
	if s == nil {
		return nil
	}
	var facts []show.Fact
	if p.entity.EntityName == model.EntityAssertion {
		return p.assertionFacts()
	}
	if u := s.Updated; u != nil {
		did := strings.ToLower(u.Operation)
		if u.Rows != nil {
			did = strings.TrimSpace(did + " of " + wording.Counted(int(*u.Rows), "row", "rows"))
		}
		if u.Actor != "" {
			did = strings.TrimSpace(did + " by " + p.cards.NameOf(u.Actor))
		}
		facts = append(facts, show.Fact{Name: "Updated", Values: []string{momentAgo(u.Time, s.At) + after(": ", did) + p.sibling(u.Of)}})
	}
	if r := s.Profile; r != nil {
		var sizes []string
		if r.Rows != nil {
			sizes = append(sizes, wording.Counted(int(*r.Rows), "row", "rows"))
		}
		if r.Columns != nil {
			sizes = append(sizes, wording.Counted(int(*r.Columns), "column", "columns"))
		}
		if r.Bytes != nil {
			sizes = append(sizes, wording.Counted(int(*r.Bytes), "byte", "bytes"))
		}
		if r.Partition != "" {
			sizes = append(sizes, "of the partition "+r.Partition)
		}
		facts = append(facts, show.Fact{Name: "Profiled", Values: []string{momentAgo(r.Time, s.At) + after(": ", strings.Join(sizes, ", ")) + p.sibling(r.Of)}})
	}
	if len(s.Assertions) > 0 {
		facts = append(facts, show.Fact{Name: "Checks", Values: []string{countsOf(&s.Counts) + after("; ", s.Reason)}})
	}
	var incidents []string
	for _, i := range s.Incidents {
		incidents = append(incidents, i.Title+", since "+momentAgo(i.Since, s.At))
	}
	if len(incidents) > 0 {
		facts = append(facts, show.Fact{Name: "Incidents", Values: incidents})
	}
	return facts
}

// sibling returns a note that a fact comes from this sibling, "" without a sibling.
func (p *page) sibling(urn string) string {
	if urn == "" {
		return ""
	}
	at := show.PlaceOf(urn)
	return " (of " + strings.TrimSpace(at.Platform+" "+at.Path) + ")"
}

// assertionFacts returns the lines on the page of an assertion.
func (p *page) assertionFacts() []show.Fact {
	s := p.quality
	if len(s.Assertions) == 0 {
		return nil
	}
	a := &s.Assertions[0]
	var facts []show.Fact
	if a.About != "" {
		at := show.PlaceOf(a.About)
		about := p.cards.NameOf(a.About) + " (" + strings.TrimSpace(show.TypeWord(at.Type)+" "+at.Platform+" "+at.Path) + ")"
		facts = append(facts, show.Fact{Name: "About", Values: []string{about}})
	}
	if len(a.Columns) > 0 {
		columns := make([]string, len(a.Columns))
		for i, path := range a.Columns {
			columns[i] = model.PlainPath(path)
		}
		facts = append(facts, show.Fact{Name: "Columns", Values: columns})
	}
	if a.Platform != "" {
		facts = append(facts, show.Fact{Name: "Checked by", Values: []string{p.cards.NameOf(a.Platform)}})
	}
	if a.Note != "" {
		facts = append(facts, show.Fact{Name: "Note", Values: []string{a.Note}})
	}
	last := resultWord(a.Result.Result)
	if a.Time != 0 {
		last += " " + momentAgo(a.Time, s.At) + details(&a.Result)
	}
	facts = append(facts, show.Fact{Name: "Last result", Values: []string{last}})
	var before []string
	for i := 1; i < len(s.Results); i++ {
		r := &s.Results[i]
		before = append(before, resultWord(r.Result)+" "+show.TimeOf(r.Time)+details(r))
	}
	if len(before) > 0 {
		facts = append(facts, show.Fact{Name: "Before that", Values: before})
	}
	return facts
}

// details returns the figures of a result, and why there is no result.
func details(r *quality.Result) string {
	parts := slices.Clone(r.Figures)
	if r.Severity != "" {
		parts = append(parts, "severity "+strings.ToLower(r.Severity))
	}
	if r.Error != "" {
		parts = append(parts, r.Error)
	}
	return after(": ", strings.Join(parts, ", "))
}

// after returns a text with a separator before it, "" for an empty text.
func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

// resultWord returns a word for a result.
func resultWord(result string) string {
	switch result {
	case quality.Success:
		return "passed"
	case quality.Failure:
		return "failed"
	case quality.Error:
		return "could not run"
	}
	return "never ran"
}

// countsOf returns a text with the number of assertions by result.
func countsOf(c *quality.Counts) string {
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{c.Failed, "failed"}, {c.Errors, "could not run"}, {c.Never, "never ran"}, {c.Passed, "passed"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(parts, ", ")
}

// writeAssertions writes the assertions about an entity.
func (p *page) writeAssertions(w io.Writer, width int) error {
	if p.quality == nil || len(p.quality.Assertions) == 0 || p.entity.EntityName == model.EntityAssertion {
		return nil
	}
	all := p.quality.Assertions
	fmt.Fprintf(w, "\nAssertions (%d)\n", len(all))
	table := &screen.Table{Columns: []screen.Column{{}, {Least: 20}, {}, {}, {}}, Indent: 2}
	shown := all[:min(len(all), p.limit(2*pageItems))]
	for i := range shown {
		a, at := &shown[i], ""
		if a.Time != 0 {
			at = show.TimeOf(a.Time)
		}
		table.Add(resultWord(a.Result.Result), a.Name, at, show.PlaceOf(a.Platform).Path, "assertion:"+model.StoredURN(a.URN).Key())
	}
	if err := table.Write(w, width); err != nil {
		return err
	}
	if more := len(all) - len(shown); more > 0 {
		fmt.Fprintf(w, "  and %d more: headwater get %s --all\n", more, show.ShellWord(p.asked))
	}
	return nil
}

// momentAgo returns a moment and its distance before now, as text.
func momentAgo(at, now int64) string {
	if age := wording.Age(time.Duration(now-at) * time.Millisecond); age != "" && at > 0 {
		return show.TimeOf(at) + ", " + age
	}
	return show.TimeOf(at)
}

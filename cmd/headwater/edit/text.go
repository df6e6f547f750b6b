package edit

import (
	"context"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/screen"
)

// writeRevised shows a change, whether made or only planned.
func writeRevised(ctx context.Context, e *cli.Environment, done *edits.Revised) error {
	cards, err := show.ReadCards(ctx, e.Client(), append(statedURNs(&done.Before), statedURNs(&done.After)...))
	if err != nil {
		return err
	}
	what := screen.Line(done.URN)
	if done.Column != "" {
		what = screen.Line(done.Column) + " of " + what
	}
	switch {
	case !done.Changed:
		fmt.Fprintln(e.Stdout, "nothing changes: "+what)
	case done.DryRun:
		fmt.Fprintln(e.Stdout, "would change: "+what)
	default:
		fmt.Fprintln(e.Stdout, "changed: "+what)
	}
	after := statedFacts(cards, &done.After)
	for i, f := range statedFacts(cards, &done.Before) {
		if !done.Changed {
			writeStated(e, f.Name, f.Values)
			continue
		}
		writeStated(e, f.Name+" before", f.Values)
		writeStated(e, f.Name+" after", after[i].Values)
	}
	for _, note := range done.Notes {
		fmt.Fprintln(e.Stdout, screen.Line(note))
	}
	if done.DryRun {
		fmt.Fprintln(e.Stdout, "This is a dry run: nothing was written.")
	}
	return nil
}

// writeStated writes a name and its values, one value on each line.
func writeStated(e *cli.Environment, name string, values []string) {
	if len(values) == 0 {
		values = []string{"-"}
	}
	for i, value := range values {
		if i > 0 {
			name = ""
		}
		fmt.Fprintln(e.Stdout, strings.TrimRight(fmt.Sprintf("  %-18s  %s", name, value), " "))
	}
}

// statedFacts returns the lines about the parts of an entity or column that a change
// concerns.
func statedFacts(cards show.CardsByURN, s *edits.Stated) []show.Fact {
	var facts []show.Fact
	if s.Tags != nil {
		facts = append(facts, show.Fact{Name: "tags", Values: cards.NamesOf(s.Tags)})
	}
	if s.Terms != nil {
		facts = append(facts, show.Fact{Name: "terms", Values: cards.NamesOf(s.Terms)})
	}
	if s.Owners != nil {
		facts = append(facts, show.Fact{Name: "owners", Values: cards.Owners(jsontree.Object{"owners": ownerItems(s.Owners)})})
	}
	if s.Domains != nil {
		facts = append(facts, show.Fact{Name: "domain", Values: cards.NamesOf(s.Domains)})
	}
	if s.Description != nil {
		var lines []string
		if text := strings.TrimSpace(*s.Description); text != "" {
			lines = strings.Split(screen.Text(text), "\n")
		}
		facts = append(facts, show.Fact{Name: "description", Values: lines})
	}
	return facts
}

func ownerItems(owners []edits.StatedOwner) []any {
	items := make([]any, len(owners))
	for i, o := range owners {
		items[i] = map[string]any{"owner": o.Owner, "type": o.Type, "typeUrn": o.TypeURN}
	}
	return items
}

// statedURNs returns the URNs in these parts.
func statedURNs(s *edits.Stated) []string {
	var urns []string
	for _, list := range [][]string{s.Tags, s.Terms, s.Domains} {
		urns = append(urns, list...)
	}
	for _, o := range s.Owners {
		urns = append(urns, o.Owner)
		if o.TypeURN != "" {
			urns = append(urns, o.TypeURN)
		}
	}
	return urns
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/screen"
)

// writeRevised writes what a change did, or would do.
func (e *environment) writeRevised(ctx context.Context, done *edits.Revised) error {
	cards, err := readCards(ctx, e.client(), append(statedURNs(&done.Before), statedURNs(&done.After)...))
	if err != nil {
		return err
	}
	what := screen.Line(done.URN)
	if done.Column != "" {
		what = screen.Line(done.Column) + " of " + what
	}
	switch {
	case !done.Changed:
		fmt.Fprintln(e.stdout, "nothing changes: "+what)
	case done.DryRun:
		fmt.Fprintln(e.stdout, "would change: "+what)
	default:
		fmt.Fprintln(e.stdout, "changed: "+what)
	}
	after := statedFacts(cards, &done.After)
	for i, f := range statedFacts(cards, &done.Before) {
		if !done.Changed {
			e.writeStated(f.name, f.values)
			continue
		}
		e.writeStated(f.name+" before", f.values)
		e.writeStated(f.name+" after", after[i].values)
	}
	for _, note := range done.Notes {
		fmt.Fprintln(e.stdout, screen.Line(note))
	}
	if done.DryRun {
		fmt.Fprintln(e.stdout, "This is a dry run: nothing was written.")
	}
	return nil
}

// writeStated writes values on a line each.
func (e *environment) writeStated(name string, values []string) {
	if len(values) == 0 {
		values = []string{"-"}
	}
	for i, value := range values {
		if i > 0 {
			name = ""
		}
		fmt.Fprintln(e.stdout, strings.TrimRight(fmt.Sprintf("  %-18s  %s", name, value), " "))
	}
}

// statedFacts are the parts of an entity or column that a change names.
func statedFacts(cards cardsByURN, s *edits.Stated) []fact {
	var facts []fact
	if s.Tags != nil {
		facts = append(facts, fact{"tags", cards.namesOf(s.Tags)})
	}
	if s.Terms != nil {
		facts = append(facts, fact{"terms", cards.namesOf(s.Terms)})
	}
	if s.Owners != nil {
		facts = append(facts, fact{"owners", cards.owners(jsontree.Object{"owners": ownerItems(s.Owners)})})
	}
	if s.Domains != nil {
		facts = append(facts, fact{"domain", cards.namesOf(s.Domains)})
	}
	if s.Description != nil {
		var lines []string
		if text := strings.TrimSpace(*s.Description); text != "" {
			lines = strings.Split(screen.Text(text), "\n")
		}
		facts = append(facts, fact{"description", lines})
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

// statedURNs are the entities that the parts name.
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

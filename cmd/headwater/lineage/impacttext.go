package lineage

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// possibleShown is how many possible effects are listed. If there are more, they are
// counted by reason.
const possibleShown = 10

func writeImpact(ctx context.Context, e *cli.Environment, impact *lineage.Impact, all bool) error {
	name, err := subjectName(ctx, e, impact.URN)
	if err != nil {
		return err
	}
	w, width := e.Stdout, screen.WidthOf(e.Stdout)
	if impact.Total == 0 {
		fmt.Fprintf(w, "nothing depends on %s%s\n", name, effects(impact.ByEffect))
	} else {
		fmt.Fprintf(w, "%s on %s%s\n", wording.Counted(impact.Total, "entity depends", "entities depend"), name, effects(impact.ByEffect))
	}
	if impact.Partial {
		fmt.Fprintf(w, "this is incomplete: %s\n", screen.Line(impact.Reason))
	}
	if impact.Total == 0 {
		writeBasis(w, impact.Basis, width)
		return nil
	}
	var facts []show.Fact
	add := func(name string, groups []lineage.ImpactGroup, text func(g lineage.ImpactGroup) string) {
		texts := make([]string, len(groups))
		for i, g := range groups {
			texts[i] = text(g)
		}
		facts = append(facts, show.Fact{Name: name, Values: []string{strings.Join(texts, ", ")}})
	}
	add("By type", impact.ByType, func(g lineage.ImpactGroup) string { return pluralWord(g.Count, show.TypeWord(g.Value)) })
	add("By platform", impact.ByPlatform, func(g lineage.ImpactGroup) string {
		if g.Value == "" {
			return fmt.Sprintf("%d without one", g.Count)
		}
		return fmt.Sprintf("%d in %s", g.Count, show.LeafOf(g.Value))
	})
	add("By distance", impact.ByDegree, func(g lineage.ImpactGroup) string {
		hops, _ := strconv.Atoi(g.Value) // the server writes only numbers here
		return fmt.Sprintf("%d at %s", g.Count, wording.Counted(hops, "hop", "hops"))
	})
	fmt.Fprintln(w)
	show.WriteFacts(w, facts, width)
	certain, possible := byEffect(impact.Entities)
	folded := len(possible) > possibleShown && !all
	if !folded {
		certain = append(certain, possible...)
	}
	if err := writeImpacted(e, certain, width); err != nil {
		return err
	}
	if folded {
		if err := writeReasons(e, impact, len(possible), width); err != nil {
			return err
		}
	}
	if err := writeNotified(e, impact, width); err != nil {
		return err
	}
	fmt.Fprintln(w)
	writeBasis(w, impact.Basis, width)
	return nil
}

// effects returns a text with the numbers of certain and possible effects of a column's
// change.
func effects(groups []lineage.ImpactGroup) string {
	var texts []string
	for _, g := range groups {
		word := "possibly"
		if g.Value == lineage.EffectCertain {
			word = "certainly"
		}
		texts = append(texts, fmt.Sprintf("%d %s", g.Count, word))
	}
	if len(texts) == 0 {
		return ""
	}
	return ": " + strings.Join(texts, ", ")
}

// byEffect splits entities by their effect. An entity without an effect depends on the
// whole start entity, and counts as certain.
func byEffect(entities []lineage.ImpactedEntity) (certain, possible []lineage.ImpactedEntity) {
	for i := range entities {
		if entities[i].Effect == lineage.EffectPossible {
			possible = append(possible, entities[i])
		} else {
			certain = append(certain, entities[i])
		}
	}
	return certain, possible
}

// reasonTexts has texts for the reasons of possible effects.
var reasonTexts = map[string]string{
	lineage.BecauseColumns:        "lineage between columns leads there over several hops",
	lineage.BecauseNotStated:      "nobody states by which columns they derive",
	lineage.BecauseMayRead:        "they may join or filter on the column",
	lineage.BecauseBehindPossible: "they stand behind what is possibly affected",
}

// writeReasons writes the numbers of possible effects by reason and distance.
func writeReasons(e *cli.Environment, impact *lineage.Impact, possible, width int) error {
	fmt.Fprintf(e.Stdout, "\nPossibly affected (%d; --all lists them)\n", possible)
	table := &screen.Table{Columns: []screen.Column{{Right: true}, {Least: 24}, {Least: 16}}, Indent: 2}
	for _, r := range impact.ByReason {
		if r.Effect != lineage.EffectPossible {
			continue
		}
		distances := make([]string, len(r.ByDegree))
		for i, g := range r.ByDegree {
			hops, _ := strconv.Atoi(g.Value) // the server writes only numbers here
			distances[i] = fmt.Sprintf("%d at %s", g.Count, wording.Counted(hops, "hop", "hops"))
		}
		table.Add(strconv.Itoa(r.Count), reasonTexts[r.Because], strings.Join(distances, ", "))
	}
	return table.Write(e.Stdout, width)
}

func writeImpacted(e *cli.Environment, entities []lineage.ImpactedEntity, width int) error {
	if len(entities) == 0 {
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "HOPS", Right: true},
		{Head: "EFFECT"},
		{Head: "NAME", Least: 16},
		{Head: "TYPE"},
		{Head: "PLATFORM"},
		{Head: "PATH", Least: 16, Front: true},
		{Head: "NOTE"},
		{Head: "COLUMNS", Least: 16},
		{Head: "WHY", Least: 24},
	}, Below: true}
	for i := range entities {
		a := &entities[i]
		at := show.PlaceOf(a.URN)
		if at.Platform == "" && a.Platform != "" {
			at.Platform = show.LeafOf(a.Platform)
		}
		if at.Path == a.Name {
			at.Path = ""
		}
		columns := make([]string, len(a.Columns))
		for k, column := range a.Columns {
			columns[k] = show.ColumnOf(column)
		}
		table.Add(strconv.Itoa(a.Degree), a.Effect, a.Name, show.TypeWord(at.Type), at.Platform, at.Path, show.Unusual(&a.Entity), strings.Join(columns, ", "), a.Why)
	}
	fmt.Fprintln(e.Stdout)
	return table.Write(e.Stdout, width)
}

func writeNotified(e *cli.Environment, impact *lineage.Impact, width int) error {
	if len(impact.Owners) == 0 {
		return nil
	}
	fmt.Fprintf(e.Stdout, "\nWhom to notify (%d)\n", len(impact.Owners))
	table := &screen.Table{Columns: []screen.Column{{Least: 12}, {}, {Least: 12, Front: true}, {}}, Indent: 2}
	for _, o := range impact.Owners {
		at := show.PlaceOf(o.URN)
		owns := "owns " + wording.Counted(o.Count, "entity", "entities")
		if o.Possible > 0 {
			owns += fmt.Sprintf(": %d certainly, %d possibly", o.Certain, o.Possible)
		}
		table.Add(o.Name, show.TypeWord(at.Type), o.Email, owns)
	}
	return table.Write(e.Stdout, width)
}

// subjectName returns the name of an entity for people, or that of a column with its
// entity.
func subjectName(ctx context.Context, e *cli.Environment, urn string) (string, error) {
	of, column := urn, ""
	if u := model.StoredURN(urn); !u.IsZero() && u.EntityType() == model.EntitySchemaField {
		of, column = u.Parts()[0], "."+show.ColumnOf(urn)
	}
	cards, err := show.ReadCards(ctx, e.Client(), []string{of})
	return screen.Line(cards[of].Name + column), err
}

// pluralWord returns a number with a word, in the singular or in the regular plural.
func pluralWord(n int, word string) string {
	many := word + "s"
	if strings.HasSuffix(word, "y") {
		many = strings.TrimSuffix(word, "y") + "ies"
	}
	return wording.Counted(n, word, many)
}

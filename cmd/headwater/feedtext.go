package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/internal/screen"
)

// say writes a line about what was done.
func (e *environment) say(format string, args ...any) {
	fmt.Fprintln(e.stdout, screen.Line(fmt.Sprintf(format, args...)))
}

// feedIndent is how far what belongs to an item is to the right.
const feedIndent = 2

func (e *environment) writeFeed(items []feed.Item) error {
	w, width := bufio.NewWriter(e.stdout), screen.WidthOf(e.stdout)
	if width > 0 {
		width -= feedIndent
	}
	if len(items) == 0 {
		fmt.Fprintln(w, "nothing is told in this time")
	}
	for i := range items {
		item := &items[i]
		fmt.Fprintf(w, "%s  %s\n", timeOf(item.Time), screen.Line(shortURNs(item.Summary)))
		facts := []fact{{"changed", []string{leafOf(item.Entity) + ", by " + leafOf(item.ChangedBy)}}}
		for k := range item.Affected {
			facts = append(facts, affectedFact(&item.Affected[k]))
		}
		if more := item.Certain + item.Possible - len(item.Affected); more > 0 {
			facts = append(facts, fact{"", []string{fmt.Sprintf("and %d more", more)}})
		}
		if item.Partial {
			facts = append(facts, fact{"partial", []string{item.Reason}})
		}
		var text strings.Builder
		writeFacts(&text, facts, width)
		for line := range strings.Lines(text.String()) {
			fmt.Fprint(w, strings.Repeat(" ", feedIndent)+line)
		}
	}
	return w.Flush()
}

// becauseWords say why somebody is told of an entity.
var becauseWords = map[string]string{feed.BecauseOwner: "owned", feed.BecauseSubscription: "subscribed to"}

// affectedFact says how an entity is affected, and by which path.
func affectedFact(a *feed.Affected) fact {
	text := leafOf(a.URN) + " (" + becauseWords[a.Because] + ")"
	if a.Degree > 0 {
		steps := make([]string, len(a.Path))
		for i, urn := range a.Path {
			steps[i] = leafOf(urn)
		}
		text += ", " + catalog.Counted(a.Degree, "hop", "hops") + ": " + strings.Join(steps, " > ")
	}
	return fact{strings.ToLower(a.Effect), []string{text}}
}

func (e *environment) writeSubscriptions(list []feed.Subscription) error {
	if len(list) == 0 {
		fmt.Fprintln(e.stdout, "there are no subscriptions")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "NAME", Least: 16}, {Head: "TYPE"}, {Head: "PLATFORM"}, {Head: "CATEGORIES", Least: 10}, {Head: "UPSTREAM"},
	}}
	for i := range list {
		s := &list[i]
		categories, upstream := "all", "told of"
		if len(s.Categories) > 0 {
			categories = strings.ToLower(strings.Join(s.Categories, ", "))
		}
		if s.Direct {
			upstream = "not told of"
		}
		at := placeOf(s.Entity)
		table.Add(leafOf(s.Entity), typeWord(at.Type), at.Platform, categories, upstream)
	}
	return table.Write(e.stdout, screen.WidthOf(e.stdout))
}

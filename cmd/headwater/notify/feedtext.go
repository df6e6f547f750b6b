package notify

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// say writes a line about a finished change.
func say(e *cli.Environment, format string, args ...any) {
	fmt.Fprintln(e.Stdout, screen.Line(fmt.Sprintf(format, args...)))
}

// feedIndent is the indentation of the lines of an item.
const feedIndent = 2

func writeFeed(e *cli.Environment, items []feed.Item) error {
	w, width := bufio.NewWriter(e.Stdout), screen.WidthOf(e.Stdout)
	if width > 0 {
		width -= feedIndent
	}
	if len(items) == 0 {
		fmt.Fprintln(w, "nothing is told in this time")
	}
	for i := range items {
		item := &items[i]
		fmt.Fprintf(w, "%s  %s\n", show.TimeOf(item.Time), screen.Line(show.ShortURNs(item.Summary)))
		facts := []show.Fact{{Name: "changed", Values: []string{show.LeafOf(item.Entity) + ", by " + show.LeafOf(item.ChangedBy)}}}
		for k := range item.Affected {
			facts = append(facts, affectedFact(&item.Affected[k]))
		}
		if more := item.Certain + item.Possible - len(item.Affected); more > 0 {
			facts = append(facts, show.Fact{Name: "", Values: []string{fmt.Sprintf("and %d more", more)}})
		}
		if item.Partial {
			facts = append(facts, show.Fact{Name: "partial", Values: []string{item.Reason}})
		}
		var text strings.Builder
		show.WriteFacts(&text, facts, width)
		for line := range strings.Lines(text.String()) {
			fmt.Fprint(w, strings.Repeat(" ", feedIndent)+line)
		}
	}
	return w.Flush()
}

// becauseWords has the words for the reasons why an actor is told of an entity.
var becauseWords = map[string]string{feed.BecauseOwner: "owned", feed.BecauseSubscription: "subscribed to"}

// affectedFact says how an entity is affected, and by which path.
func affectedFact(a *feed.Affected) show.Fact {
	text := show.LeafOf(a.URN) + " (" + becauseWords[a.Because] + ")"
	if a.Degree > 0 {
		steps := make([]string, len(a.Path))
		for i, urn := range a.Path {
			steps[i] = show.LeafOf(urn)
		}
		text += ", " + wording.Counted(a.Degree, "hop", "hops") + ": " + strings.Join(steps, " > ")
	}
	return show.Fact{Name: strings.ToLower(a.Effect), Values: []string{text}}
}

func writeSubscriptions(e *cli.Environment, list []feed.Subscription) error {
	if len(list) == 0 {
		fmt.Fprintln(e.Stdout, "there are no subscriptions")
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
		at := show.PlaceOf(s.Entity)
		table.Add(show.LeafOf(s.Entity), show.TypeWord(at.Type), at.Platform, categories, upstream)
	}
	return table.Write(e.Stdout, screen.WidthOf(e.Stdout))
}

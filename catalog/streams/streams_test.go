package streams_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/model"
)

// letters derives one event from each letter of an aspect's value.
type letters struct{}

func (letters) Categories() []string { return []string{"A", "B"} }

func (letters) Of(_ context.Context, c *catalog.Change) ([]streams.DerivedEvent, error) {
	var events []streams.DerivedEvent
	for _, letter := range string(c.Value) {
		events = append(events, streams.DerivedEvent{Category: string(letter), Data: string(letter)})
	}
	return events, nil
}

var changes = []catalog.Change{
	{Cursor: "1", Kind: catalog.ChangeUpsert, URN: "urn:li:tag:a", EntityType: "tag", Aspect: "tagProperties", Value: []byte("AAB")},
	{Cursor: "2", Kind: catalog.ChangeDelete, URN: "urn:li:tag:ab", EntityType: "tag", Aspect: "status", Value: []byte("B")},
	{Cursor: "3", Kind: catalog.ChangeUpsert, URN: "urn:li:corpuser:a", EntityType: "corpuser", Aspect: "status"},
}

func TestOf(t *testing.T) {
	s := streams.New(model.Default(), letters{}, nil)
	for name, test := range map[string]struct {
		filter streams.Filter
		want   string
	}{
		"everything":           {streams.Filter{}, "1.0! 2.0! 3.0!"},
		"kinds":                {streams.Filter{Kinds: []string{"delete"}}, "2.0!"},
		"types and aspects":    {streams.Filter{EntityTypes: []string{"tag", "TAG"}, Aspects: []string{"status"}}, "2.0!"},
		"a urn":                {streams.Filter{URNs: []string{"urn:li:tag:a"}}, "1.0!"},
		"a beginning":          {streams.Filter{URNs: []string{"urn:li:tag:a*"}}, "1.0! 2.0!"},
		"several":              {streams.Filter{URNs: []string{"urn:li:tag:ab*", "urn:li:corpuser:a"}}, "2.0! 3.0!"},
		"derived":              {streams.Filter{Format: "entitychangeevent"}, "1.0 1.1 1.2! 2.0!"},
		"derived, by category": {streams.Filter{Format: streams.FormatEntityChange, Kinds: []string{"a"}}, "1.0 1.1!"},
	} {
		t.Run(name, func(t *testing.T) {
			selection, err := s.Select(test.filter)
			if err != nil {
				t.Fatal(err)
			}
			events, err := selection.Of(t.Context(), changes)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range events {
				text := e.Cursor + "." + string(rune('0'+e.Index))
				if e.Last {
					text += "!"
				}
				got = append(got, text)
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}

func TestNotDerived(t *testing.T) {
	s := streams.New(model.Default(), nil, nil)
	if _, err := s.Select(streams.Filter{Format: streams.FormatEntityChange}); catalog.CodeOf(err) != catalog.Invalid {
		t.Error(err)
	}
}

// told tells bo of every change, and the group of changes of tags.
type told struct{}

func (told) Told(_ context.Context, actors []string, changes []catalog.Change) ([][]feed.Told, error) {
	items := make([][]feed.Told, len(changes))
	for i := range changes {
		for _, actor := range actors {
			category := "TAG"
			if changes[i].EntityType != "tag" {
				category = "OWNER"
			}
			if actor == bo || category == "TAG" {
				items[i] = append(items[i], feed.Told{Size: 7, Item: feed.Item{Actor: actor, Events: []changeevents.Event{{Category: category}}}})
			}
		}
	}
	return items, nil
}

const (
	bo    = "urn:li:corpuser:bo"
	group = "urn:li:corpGroup:g"
)

func TestFeedFormat(t *testing.T) {
	s := streams.New(model.Default(), streams.EntityChanges(changeevents.New(model.Default())), told{})
	for name, test := range map[string]struct {
		filter streams.Filter
		want   string
	}{
		"one actor":     {streams.Filter{Actors: []string{bo}}, "1.0 bo! 2.0 bo! 3.0 bo!"},
		"two, in order": {streams.Filter{Actors: []string{group, bo, group}}, "1.0 g 1.1 bo! 2.0 g 2.1 bo! 3.0 bo!"},
		"categories":    {streams.Filter{Actors: []string{bo, group}, Kinds: []string{"owner"}}, "3.0 bo!"},
		"aspects":       {streams.Filter{Actors: []string{bo}, Aspects: []string{"status"}}, "2.0 bo! 3.0 bo!"},
		"no actor":      {streams.Filter{}, "1 to 100 actors"},
		"a tag":         {streams.Filter{Actors: []string{"urn:li:tag:x"}}, "not a user or a group"},
		"no urn":        {streams.Filter{Actors: []string{"bo"}}, "urn"},
	} {
		t.Run(name, func(t *testing.T) {
			test.filter.Format = "FEED"
			selection, err := s.Select(test.filter)
			if err != nil {
				if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), test.want) {
					t.Error(err)
				}
				return
			}
			events, err := selection.Of(t.Context(), changes)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range events {
				actor := e.Data.(feed.Item).Actor
				text := fmt.Sprintf("%s.%d %s", e.Cursor, e.Index, actor[strings.LastIndex(actor, ":")+1:])
				if e.Last {
					text += "!"
				}
				got = append(got, text)
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
	if _, err := s.Select(streams.Filter{Actors: []string{bo}}); catalog.CodeOf(err) != catalog.Invalid {
		t.Error(err)
	}
}

// away is a Feeds that fails, or returns one large item for each change.
type away struct {
	err   error
	size  int
	asked *[]int
}

func (a away) Told(_ context.Context, _ []string, changes []catalog.Change) ([][]feed.Told, error) {
	*a.asked = append(*a.asked, len(changes))
	items := make([][]feed.Told, len(changes))
	for i := range items {
		items[i] = []feed.Told{{Size: a.size, Item: feed.Item{Events: []changeevents.Event{{}}}}}
	}
	return items, a.err
}

// manyChanges is a log whose cursors are numbers.
type manyChanges int

func (n manyChanges) AwaitChanges(_ context.Context, from string, limit int, _ time.Duration) ([]catalog.Change, string, error) {
	var page []catalog.Change
	first := 0
	if from != "" {
		fmt.Sscan(from, &first)
	}
	for i := first; i < min(first+limit, int(n)); i++ {
		page = append(page, catalog.Change{Cursor: fmt.Sprint(i + 1), URN: "urn:li:tag:a", EntityType: "tag", Aspect: "status"})
	}
	return page, fmt.Sprint(first + len(page)), nil
}

// TestAwaitOfFeeds: the items of a page, and the lookups at once, are bounded. A page whose
// feeds could not be read is read again.
func TestAwaitOfFeeds(t *testing.T) {
	many := []string{}
	for i := range 100 {
		many = append(many, fmt.Sprintf("urn:li:corpuser:u%d", i))
	}
	for name, c := range map[string]struct {
		actors []string
		size   int
		err    error
		events int
		next   string
		asked  []int
	}{
		"small":       {[]string{bo}, 10, nil, 1000, "1000", []int{1000}},
		"many actors": {many, 10, nil, 1000, "1000", slices.Repeat([]int{50}, 20)},
		"large":       {many, 10 << 10, nil, 150, "150", []int{50, 50, 50}},
		"away":        {many, 10, context.Canceled, 0, "", []int{50}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []int
			s := streams.New(model.Default(), streams.EntityChanges(changeevents.New(model.Default())), away{c.err, c.size, &asked})
			selection, err := s.Select(streams.Filter{Format: streams.FormatFeed, Actors: c.actors})
			if err != nil {
				t.Fatal(err)
			}
			events, next, err := selection.Await(t.Context(), manyChanges(5000), "", 1000, 0)
			if !errors.Is(err, c.err) || len(events) != c.events || next != c.next || !slices.Equal(asked, c.asked) {
				t.Errorf("%d events, next %q, %v, asked for %v", len(events), next, err, asked)
			}
		})
	}
}

package streams_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// letters derive one event from each letter of an aspect's value.
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
	s := streams.New(model.Default(), letters{})
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
	s := streams.New(model.Default(), nil)
	if _, err := s.Select(streams.Filter{Format: streams.FormatEntityChange}); catalog.CodeOf(err) != catalog.Invalid {
		t.Error(err)
	}
}

// longLog has more changes than one request reads, none of them a deletion.
type longLog struct{}

func (longLog) AwaitChanges(_ context.Context, _ string, limit int, _ time.Duration) ([]catalog.Change, string, error) {
	return slices.Repeat(changes[:1], limit), "later", nil
}

// TestScanned: a request for what is rare ends, and says where to go on.
func TestScanned(t *testing.T) {
	selection, err := streams.New(model.Default(), nil).Select(streams.Filter{Kinds: []string{"DELETE"}})
	if err != nil {
		t.Fatal(err)
	}
	events, next, err := selection.Await(t.Context(), longLog{}, "", limits.MaxChanges, time.Hour)
	if err != nil || len(events) != 0 || next != "later" {
		t.Error(events, next, err)
	}
}

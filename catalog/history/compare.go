package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// semanticVersion is a version number such as 1.2.3.
type semanticVersion struct{ major, minor, patch int }

func (v *semanticVersion) raise(change string) {
	switch change {
	case ChangeMajor:
		*v = semanticVersion{v.major + 1, 0, 0}
	case ChangeMinor:
		*v = semanticVersion{v.major, v.minor + 1, 0}
	case ChangePatch:
		v.patch++
	}
}

func (v *semanticVersion) String() string {
	return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch)
}

// greatestChange returns the greatest change among the events, "" if there is none.
func greatestChange(events []ChangeEvent) string {
	greatest := ""
	order := []string{"", ChangePatch, ChangeMinor, ChangeMajor}
	for i := range events {
		if change := events[i].SemVerChange; slices.Index(order, change) > slices.Index(order, greatest) {
			greatest = change
		}
	}
	return greatest
}

// events returns the differences between two values of an aspect in a category, ordered by
// column and thing. A nil value has no facts.
func (t *timeline) events(k *category, before, after *model.Value) []ChangeEvent {
	var was, now facts
	if before != nil {
		was = k.facts(t, before)
	}
	if after != nil {
		now = k.facts(t, after)
	}
	was.rename(renamedColumns(before, after))
	was.sort()
	now.sort()
	events := make([]ChangeEvent, 0, max(len(was), len(now)))
	for len(was)+len(now) > 0 {
		key := firstKey(was, now)
		gone, come := unequal(was.take(key), now.take(key))
		for i := range max(len(gone), len(come)) {
			events = append(events, k.event(t, key, nth(gone, i), nth(come, i)))
		}
	}
	return events
}

// firstKey returns the smallest first key of two sorted lists, at least one of which is not
// empty.
func firstKey(was, now facts) factKey {
	if len(now) == 0 || len(was) > 0 && was[0].compare(now[0].factKey) < 0 {
		return was[0].factKey
	}
	return now[0].factKey
}

func nth(list facts, i int) *fact {
	if i < len(list) {
		return &list[i]
	}
	return nil
}

// unequal returns the facts of each list that have no equal in the other list. unequal compares
// all pairs: the lists are short, because they are about one thing.
func unequal(was, now facts) (gone, come facts) {
	if len(was) == 0 {
		return nil, now
	}
	come = slices.Clone(now)
	for i := range was {
		equal := slices.IndexFunc(come, func(f fact) bool { return f.content == was[i].content })
		if equal < 0 {
			gone = append(gone, was[i])
		} else {
			come = slices.Delete(come, equal, equal+1)
		}
	}
	return gone, come
}

// event describes the change from one fact to another. A nil fact stands for none.
func (k *category) event(t *timeline, key factKey, was, now *fact) ChangeEvent {
	f, operation := now, OperationModify
	switch {
	case was == nil:
		operation = OperationAdd
	case now == nil:
		f, operation = was, OperationRemove
	}
	e := ChangeEvent{
		EntityURN: cmp.Or(f.entity, t.urn.String()), Category: k.name, Operation: operation, Modifier: f.modifier,
		Parameters: f.parameters, SemVerChange: ChangeMinor, column: key.column,
	}
	e.Description = f.what + " " + operationWords[operation] + f.where
	switch {
	case operation == OperationModify:
		if f.patch {
			e.SemVerChange = ChangePatch
		}
		e.Description += fromTo(was.text, now.text)
	case f.quoted:
		e.Description += ": '" + shortened(f.text) + "'"
	}
	if k.adjust != nil {
		k.adjust(&e, was, now)
	}
	return e
}

var operationWords = map[string]string{OperationAdd: "was added", OperationRemove: "was removed", OperationModify: "was changed"}

// fromTo returns the words for the old and the new text of a fact, "" if both texts are empty.
func fromTo(was, now string) string {
	if was == "" && now == "" {
		return ""
	}
	return " from '" + shortened(was) + "' to '" + shortened(now) + "'"
}

// quotedCharacters bounds the characters of a text that the description of an event quotes.
const quotedCharacters = 200

func shortened(text string) string {
	characters, end := 0, 0
	for at := range text {
		switch characters++; characters {
		case quotedCharacters:
			end = at
		case quotedCharacters + 1:
			return text[:end] + "…"
		}
	}
	return text
}

// renamedColumns returns the new names of columns that were renamed from one schema to the
// next, by their former names. A column counts as renamed if it disappears and a new column has
// the same parent, type and non-empty description.
func renamedColumns(before, after *model.Value) map[string]string {
	if before == nil || after == nil || before.Aspect.Name != model.AspectSchemaMetadata {
		return nil
	}
	was, now := columnsByPath(before), columnsByPath(after)
	candidates := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(now)) {
		if mark := columnMark(path, now[path]); was[path] == nil && mark != "" {
			candidates[mark] = append(candidates[mark], path)
		}
	}
	renamed := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(was)) {
		mark := columnMark(path, was[path])
		if found := candidates[mark]; now[path] == nil && len(found) > 0 {
			renamed[path], candidates[mark] = found[0], found[1:]
		}
	}
	return renamed
}

func columnsByPath(v *model.Value) map[string]map[string]any {
	columns := map[string]map[string]any{}
	for _, column := range columnsIn(v) {
		columns[jsontree.Text(column, "fieldPath")] = column
	}
	return columns
}

// columnMark returns the properties by which a renamed column is recognised, "" if it cannot be
// recognised.
func columnMark(path string, column map[string]any) string {
	description := jsontree.Text(column, "description")
	if strings.TrimSpace(description) == "" {
		return ""
	}
	parent := path[:max(strings.LastIndexByte(path, '.'), 0)]
	return parent + "\x00" + jsontree.Text(column, "nativeDataType") + "\x00" + description
}

// Compare returns the events by which two values of an aspect differ, as in a timeline, ordered
// by category. A nil value stands for an absent aspect. The events have no audit stamp. Compare
// fails with Internal if the model cannot parse a value.
func Compare(registry *model.Registry, u model.URN, aspect string, before, after json.RawMessage) ([]ChangeEvent, error) {
	t := &timeline{c: &Service{registry: registry}, urn: u}
	looking := t.looking(aspect, categories)
	if len(looking) == 0 {
		return nil, nil
	}
	before, after = model.WithoutEqualColumns(aspect, before, after)
	var was, now *model.Value
	for _, side := range []struct {
		text   json.RawMessage
		parsed **model.Value
	}{{before, &was}, {after, &now}} {
		if side.text == nil {
			continue
		}
		var err error
		if *side.parsed, err = registry.ParseStored(aspect, side.text); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", aspect, u, err)
		}
	}
	var events []ChangeEvent
	for i := range looking {
		events = append(events, t.events(&looking[i], was, now)...)
	}
	return events, nil
}

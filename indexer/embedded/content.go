package embedded

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/sqlite"
)

// field returns the number of a field, and assigns one if it is new.
func (w *writer) field(name string) (int64, error) {
	if id := w.fields.find(name); id != 0 {
		return id, nil
	}
	id := w.fields.size() + 1
	if _, err := w.stmts.insertField.Run(id, name); err != nil {
		return 0, err
	}
	w.fields.add(name, id)
	w.named = append(w.named, name)
	return id, nil
}

// value returns the number of a value, and assigns one if it is new.
func (w *writer) value(field, text string) (int64, error) {
	fieldID, err := w.field(field)
	if err != nil {
		return 0, err
	}
	key := valueKey{fieldID, text}
	if id, ok := w.values.Get(key); ok {
		return id, nil
	}
	id := w.nextValue
	inserted, err := w.stmts.insertValue.Run(id, fieldID, text, len(text) >= longValue)
	if err != nil {
		return 0, err
	}
	if inserted > 0 {
		w.nextValue++
		if len(text) < longValue && !strings.HasPrefix(field, "^") {
			_, err = w.stmts.insertGram.Run(id, text)
		}
	} else {
		err = w.stmts.findValue.QueryRowContext(background, fieldID, text).Scan(&id)
	}
	if err != nil {
		return 0, err
	}
	if len(text) < longValue {
		w.values.Put(key, id)
	}
	return id, nil
}

// valuesOf numbers the values of a document, ordered.
func (w *writer) valuesOf(d *indexer.Document) ([]fieldValue, error) {
	var values []fieldValue
	for name, texts := range d.Values {
		if _, number := d.Numbers[name]; number {
			continue
		}
		for _, text := range texts {
			id, err := w.value(name, text)
			if err != nil {
				return nil, err
			}
			values = append(values, fieldValue{w.fields.find(name), id})
		}
	}
	return values, nil
}

// moveValues writes the difference between the values of two states and
// reports whether there is any.
func (w *writer) moveValues(old, next *stored) (changed bool, err error) {
	gone := make(map[fieldValue]bool, len(old.values))
	for _, v := range old.values {
		gone[v] = true
	}
	for _, v := range next.values {
		if gone[v] {
			delete(gone, v)
			continue
		}
		changed = true
		if _, err := w.stmts.insertDocValue.Run(next.id, v.field, v.value); err != nil {
			return changed, err
		}
	}
	for v := range gone {
		changed = true
		if _, err := w.stmts.deleteDocValue.Run(next.id, v.field, v.value); err != nil {
			return changed, err
		}
		w.dropped[v.value] = true
	}
	return changed, nil
}

// putBody stores the part of a document that is returned with hits.
func (w *writer) putBody(d *indexer.Document, id int64) error {
	public := make(map[string][]string, len(d.Values))
	for name, values := range d.Values {
		if !strings.HasPrefix(name, "^") {
			public[name] = values
		}
	}
	text, err := json.Marshal(public)
	if err != nil {
		return err
	}
	_, err = w.stmts.putBody.Run(id, string(text))
	return err
}

// count starts tallies for the facets of a document, including what is already
// stored.
func (w *writer) count(d *indexer.Document) error {
	for _, names := range [][]string{d.Facets, {indexer.FieldAncestors, indexer.FieldAncestorsV2, indexer.FieldType}} {
		for _, name := range names {
			id, err := w.field(name)
			if err != nil {
				return err
			}
			if w.fields.isCounted(id) {
				continue
			}
			w.fields.count(id)
			w.newlyCounted = append(w.newlyCounted, id)
			if _, err := w.stmts.countField.Run(id); err != nil {
				return err
			}
			if _, err := w.stmts.countStored.Run(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// tally records that a document has, or no longer has, its counted values.
func (w *writer) tally(s *stored, by int64) {
	for _, v := range s.values {
		if w.fields.isCounted(v.field) {
			w.tallies[tallyKey{v.field, v.value, s.docType, s.removed}] += by
		}
	}
}

// settle writes the tallies and drops the values that no document has any longer.
func (w *writer) settle() error {
	for key, by := range w.tallies {
		if by == 0 {
			continue
		}
		if _, err := w.stmts.addTally.Run(key.field, key.value, key.docType, key.removed, by); err != nil {
			return err
		}
		if by < 0 {
			if _, err := w.stmts.deleteTally.Run(key.value); err != nil {
				return err
			}
		}
	}
	for value := range w.dropped {
		var used bool
		if err := w.stmts.used.QueryRowContext(background, value).Scan(&used); err != nil {
			return err
		}
		if used {
			continue
		}
		var key valueKey
		if err := w.stmts.deleteValue.QueryRowContext(background, value).Scan(&key.field, &key.text); err != nil {
			return err
		}
		if _, err := w.stmts.deleteGram.Run(value); err != nil {
			return err
		}
		w.values.Forget(key)
	}
	return nil
}

// contentOf is a hash, never 0, of what the text, completion and number tables
// hold of a document.
func contentOf(d *indexer.Document) int64 {
	h := xxhash.New()
	for class, texts := range d.Text {
		fmt.Fprint(h, class, len(texts))
		for _, text := range texts {
			_, _ = h.WriteString(text + "\x00") // a hash takes everything
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Completions)) {
		_, _ = h.WriteString(name + "\x00" + strings.Join(d.Completions[name], "\x00") + "\x01")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Numbers)) {
		_, _ = h.WriteString(name)
		_, _ = h.WriteString(strconv.FormatInt(d.Numbers[name], 10) + "\x02")
	}
	_, _ = h.WriteString(d.Type)
	return max(int64(h.Sum64()>>1), 1)
}

// putContent writes the text, completions and numbers of a document.
func (w *writer) putContent(d *indexer.Document, old, next *stored) error {
	if old.content != 0 {
		if err := w.dropContent(old); err != nil {
			return err
		}
	}
	for name, n := range d.Numbers {
		field, err := w.field(name)
		if err != nil {
			return err
		}
		if _, err := w.stmts.insertNumber.Run(next.id, field, n); err != nil {
			return err
		}
	}
	var completions []string
	var rows []completion
	for name, texts := range d.Completions {
		field, err := w.field(name)
		if err != nil {
			return err
		}
		for _, text := range texts {
			tokens := indexer.Tokens(text)
			completions = append(completions, indexer.IndexTokens(text)...)
			rows = append(rows, completionsOf(next.docType, field, tokens)...)
		}
	}
	if err := w.putCompletions(next.id, rows); err != nil {
		return err
	}
	columns := []any{next.id}
	for _, texts := range d.Text {
		columns = append(columns, strings.Join(texts, " "))
	}
	if _, err := w.stmts.insertText.Run(columns...); err != nil {
		return err
	}
	_, err := w.stmts.insertWords.Run(next.id, strings.Join(completions, " "))
	return err
}

// Bounds of one completion in the completion table.
const (
	maxCompletionWords = 6
	maxCompletionBytes = 64
)

// completion is a row of the completion table.
type completion struct {
	Type, Place int64
	Text        string
	Field       int64
}

// completionsOf lists a completion from its beginning and from each of its
// first words.
func completionsOf(docType, field int64, tokens []string) []completion {
	var rows []completion
	for i := range tokens[:min(len(tokens), maxCompletionWords)] {
		text := strings.Join(tokens[i:], " ")
		if len(text) > maxCompletionBytes {
			text = text[:maxCompletionBytes]
		}
		rows = append(rows, completion{docType, int64(min(i, 1)), text, field})
	}
	return rows
}

func (w *writer) putCompletions(doc int64, rows []completion) error {
	for _, row := range rows {
		if _, err := w.stmts.insertCompletion.Run(row.Field, row.Type, row.Place, row.Text, doc); err != nil {
			return err
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	_, err = w.stmts.setCompletions.Run(doc, string(text))
	return err
}

func (w *writer) dropContent(old *stored) error {
	for _, command := range []*sqlite.Command{w.stmts.deleteText, w.stmts.deleteWords, w.stmts.deleteNumbers} {
		if _, err := command.Run(old.id); err != nil {
			return err
		}
	}
	if old.completions == "" {
		return nil
	}
	var rows []completion
	if err := json.Unmarshal([]byte(old.completions), &rows); err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := w.stmts.deleteCompletion.Run(row.Type, row.Place, row.Text, row.Field, old.id); err != nil {
			return err
		}
	}
	return nil
}

// delete removes a document.
func (w *writer) delete(urn string) error {
	old, err := w.find(urn)
	if err != nil || old == nil {
		return err
	}
	w.tally(old, -1)
	for _, v := range old.values {
		w.dropped[v.value] = true
	}
	if _, err := w.stmts.deleteAllDocValues.Run(old.id); err != nil {
		return err
	}
	if err := w.dropContent(old); err != nil {
		return err
	}
	if _, err := w.stmts.deleteBody.Run(old.id); err != nil {
		return err
	}
	_, err = w.stmts.deleteDoc.Run(old.id)
	return err
}

type valueKey struct {
	field int64
	text  string
}

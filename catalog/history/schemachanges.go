package history

import (
	"cmp"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// These are the things of a schema's facts.
const (
	columnItself = "column"
	primaryKey   = "primary key"
)

func schemaFacts(t *timeline, v *model.Value) facts {
	found := facts{}
	for _, column := range jsontree.Items(v.Tree, "fields") {
		path, kind := jsontree.Text(column, "fieldPath"), jsontree.Text(column, "nativeDataType")
		nullable, _ := column["nullable"].(bool)
		parameters := map[string]any{"fieldPath": path, "fieldUrn": t.columnURN(path), "nullable": nullable, "nativeDataType": kind}
		found.add(path, columnItself, fact{modifier: t.columnURN(path), what: "Column " + model.PlainPath(path), content: path + "\x00" + kind, text: kind, parameters: parameters})
	}
	seen := map[string]bool{}
	for _, path := range jsontree.Texts(v.Tree, "primaryKeys") {
		if seen[path] {
			continue
		}
		seen[path] = true
		parameters := map[string]any{"fieldPath": path, "fieldUrn": t.columnURN(path)}
		found.add(path, primaryKey, fact{modifier: t.columnURN(path), what: "Column " + model.PlainPath(path), content: primaryKey, parameters: parameters})
	}
	return found
}

// adjustSchema marks changes that break readers of the data: a removed column, another type,
// another primary key. A renamed column counts as the same column.
func adjustSchema(e *ChangeEvent, was, now *fact) {
	switch {
	case cmp.Or(now, was).content == primaryKey:
		words := " was made part of the primary key"
		if now == nil {
			words = " is not part of the primary key any more"
		}
		e.Operation, e.SemVerChange, e.Description = OperationModify, ChangeMajor, cmp.Or(now, was).what+words
		e.Modification = ModificationOther
	case e.Operation == OperationRemove:
		e.SemVerChange = ChangeMajor
	case e.Operation == OperationModify && was.modifier != now.modifier:
		e.Modifier, e.Parameters = was.modifier, was.parameters
		e.Description = was.what + " was renamed to " + model.PlainPath(e.column)
		e.Modification, e.RenamedTo = ModificationRename, e.column
	case e.Operation == OperationModify:
		e.SemVerChange, e.Modification = ChangeMajor, ModificationType
		e.Description = "The type of column " + model.PlainPath(e.column) + " was changed" + fromTo(was.text, now.text)
	}
}

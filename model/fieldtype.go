package model

import "strings"

// kindNames has the names of kinds of types.
var kindNames = map[kind]string{
	kindString: "string", kindBoolean: "boolean", kindInt: "int", kindLong: "long", kindFloat: "float", kindDouble: "double",
	kindBytes: "bytes", kindURN: "string", kindEnum: "enum", kindArray: "array", kindMap: "map", kindRecord: "record", kindUnion: "union",
}

// FieldKind returns the kind of a field of an aspect, such as long, string, array or
// record. The path has dots between its steps. A step into an array of records continues in
// its items; collection is then the first step of the path, otherwise "". ok reports
// whether the field exists.
func (a *Aspect) FieldKind(path string) (kind, collection string, ok bool) {
	t := a.typ
	steps := strings.Split(path, ".")
	for i, step := range steps {
		if t.kind == kindArray && t.elem.kind == kindRecord && i == 1 {
			t, collection = t.elem, steps[0]
		}
		if t.kind != kindRecord || t.byName[step] == nil {
			return "", "", false
		}
		t = t.byName[step].typ
	}
	return kindNames[t.kind], collection, true
}

// IsListOfRecords reports whether a member of an aspect is a list of records.
func (a *Aspect) IsListOfRecords(member string) bool {
	f := a.typ.byName[member]
	return f != nil && f.typ.kind == kindArray && f.typ.elem.kind == kindRecord
}

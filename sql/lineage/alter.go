package lineage

import (
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// The actions of alterations.
const (
	AddColumn    = "add column"
	DropColumn   = "drop column"
	RenameColumn = "rename column"
	// ChangeType states the type of a column alone. ChangeColumn states the name, the type and whether it may be null.
	ChangeType   = "change type"
	ChangeColumn = "change column"
	SetNotNull   = "set not null"
	DropNotNull  = "drop not null"
	RenameTable  = "rename table"
	// OtherAlteration is an action of which nothing is known.
	OtherAlteration = "other"
)

// Alteration is one action of ALTER TABLE or ALTER VIEW.
type Alteration struct {
	// Action is one of the constants. Table is the name of the table, as in Statement.Writes.
	Action, Table string
	// Definition is the column as it is after the action, under its former name. Type is "" where the action states none.
	Definition
	// NewName is the new name of a column or of a table.
	NewName string
}

// harmless are the actions that change neither names nor types, nor whether a column may be null.
var harmless = map[string]bool{"AddConstraint": true, "DropConstraint": true, "SetDefault": true, "DropDefault": true}

// alter reads ALTER TABLE or ALTER VIEW. Statements of the script after it read the columns that it leaves.
func (a *analyzer) alter(m map[string]any) {
	parts := tableParts(object(m["name"]))
	if len(parts) == 0 {
		return
	}
	t := a.table(parts)
	for _, v := range list(m["actions"]) {
		action, isObject := v.(map[string]any)
		if !isObject || len(action) != 1 {
			a.alters = append(a.alters, Alteration{Action: OtherAlteration, Table: t.name})
			continue
		}
		for kind, members := range action {
			for _, one := range alterationsOf(kind, object(members)) {
				one.Table = t.name
				a.alters = append(a.alters, one)
			}
		}
	}
	a.script.alter(t, a.alters)
}

// alter changes the columns of a table that the script made.
func (s *script) alter(t *table, alters []Alteration) {
	names, made := s.defined[keyOf(t.parts)]
	if !made {
		return
	}
	names = slices.Clone(names)
	for i := range alters {
		one := &alters[i]
		at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, one.Name) })
		switch {
		case one.Action == AddColumn && at < 0:
			paths := columnPaths{names: names}
			paths.add(one.Definition)
			names = paths.names
		case one.Action == DropColumn && at >= 0:
			names = slices.DeleteFunc(names, func(name string) bool { return strings.EqualFold(columnOf(name), one.Name) })
		case at >= 0 && one.NewName != "":
			for i, name := range names {
				if column := columnOf(name); strings.EqualFold(column, one.Name) {
					names[i] = one.NewName + name[len(column):]
				}
			}
		case one.Action == RenameTable:
			s.forget(t)
			renamed := strings.Split(one.NewName, ".")
			if len(renamed) < len(t.parts) {
				renamed = append(slices.Clone(t.parts[:len(t.parts)-len(renamed)]), renamed...)
			}
			s.defined[keyOf(renamed)] = names
			return
		}
	}
	s.defined[keyOf(t.parts)] = names
}

// alterationsOf returns the alterations of an action of a tree; none for an action that changes no column.
func alterationsOf(kind string, m map[string]any) []Alteration {
	name := Definition{Name: identifier(m["name"])}
	switch kind {
	case "AddColumn":
		return []Alteration{{Action: AddColumn, Definition: definitionOf(m["column"])}}
	case "DropColumn":
		return []Alteration{{Action: DropColumn, Definition: name}}
	case "RenameColumn":
		return []Alteration{{Action: RenameColumn, Definition: Definition{Name: identifier(m["old_name"])}, NewName: identifier(m["new_name"])}}
	case "RenameTable", "Rename":
		return []Alteration{{Action: RenameTable, NewName: strings.Join(tableParts(object(m["name"])), ".")}}
	case "AlterColumn":
		return columnAlteration(name, m["action"])
	case "AddConstraint":
		var all []Alteration
		for _, column := range identifiers(object(m["PrimaryKey"])["columns"]) {
			all = append(all, Alteration{Action: SetNotNull, Definition: Definition{Name: column}})
		}
		return all
	case "Raw":
		if one, ok := modified(text(m["sql"])); ok {
			return []Alteration{one}
		}
	}
	if harmless[kind] {
		return nil
	}
	return []Alteration{{Action: OtherAlteration}}
}

// columnAlteration reads an action of ALTER COLUMN, which is a word or an object.
func columnAlteration(name Definition, action any) []Alteration {
	word := text(action)
	for kind := range object(action) {
		word = kind
	}
	switch {
	case word == "SetNotNull":
		return []Alteration{{Action: SetNotNull, Definition: name}}
	case word == "DropNotNull":
		return []Alteration{{Action: DropNotNull, Definition: name}}
	case word == "SetDataType":
		name.Type = typeText(object(object(action)["SetDataType"])["data_type"])
		return []Alteration{{Action: ChangeType, Definition: name}}
	case harmless[word]:
		return nil
	}
	return []Alteration{{Action: OtherAlteration, Definition: name}}
}

// modifies matches MODIFY and CHANGE of MySQL, which the parser leaves as text.
var (
	modifies = regexp.MustCompile("(?is)^(modify|change)\\s+(?:column\\s+)?`?(\\w+)`?\\s+(?:`?(\\w+)`?\\s+)??(\\w+(?:\\s*\\([^)]*\\))?)(\\s.*)?$")
	notNulls = regexp.MustCompile(`(?i)\bnot\s+null\b|\bprimary\s+key\b`)
)

// modified reads MODIFY, as in MODIFY COLUMN id bigint NOT NULL, and CHANGE, which names the column twice.
func modified(sql string) (Alteration, bool) {
	found := modifies.FindStringSubmatch(sql)
	if found == nil {
		return Alteration{}, false
	}
	verb, name, kind, rest := strings.ToLower(found[1]), found[2], found[4], found[5]
	one := Alteration{Action: ChangeColumn, Definition: Definition{Name: name}}
	if verb == "change" {
		modified := modifies.FindStringSubmatch("modify " + kind + rest)
		if modified == nil {
			return Alteration{}, false
		}
		one.NewName, kind, rest = kind, modified[4], modified[5]
	}
	one.Type, one.NotNull = strings.ToLower(strings.ReplaceAll(kind, " ", "")), notNulls.MatchString(rest)
	return one, true
}

// isAlter reports whether a tree is a statement that alters a table or a view.
func isAlter(tree parser.Node) bool { return tree.Kind == "alter_table" || tree.Kind == "alter_view" }

package lineage

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// meaning is the operation of an expression, so that two texts can be compared.
type meaning struct {
	// form is equal for expressions that differ only in comments, letter case, aliases and layout. "" means the value of the
	// column itself.
	form string
	// kind is the type that a cast gives the value, "" for none.
	kind string
}

// both returns the meaning of a column that has two meanings.
func (m meaning) both(other meaning) meaning {
	if m == other {
		return m
	}
	joint := meaning{form: m.form}
	if m.form != other.form {
		two := []string{m.form, other.form}
		slices.Sort(two)
		joint.form = digest(strings.Join(two, "|"))
	}
	if m.kind == other.kind {
		joint.kind = m.kind
	}
	return joint
}

// with gives all columns the meaning of the expression whose sources they are.
func (r refs) with(m meaning) refs {
	changed := make(refs, len(r))
	for i, one := range r {
		one.meaning = m
		changed[i] = one
	}
	return changed
}

// named returns the columns as columns that a name means, and not a star.
func (r refs) named() refs {
	if !slices.ContainsFunc(r, func(one ref) bool { return one.star }) {
		return r
	}
	changed := slices.Clone(r)
	for i := range changed {
		changed[i].star = false
	}
	return changed
}

// spelled returns the text by which a form names a column and its meaning.
func (r ref) spelled() string {
	return cmp.Or(r.form, r.table.form(r.column))
}

// form returns how forms name a column of the table itself.
func (t *table) form(column string) string {
	if formed, ok := t.forms[strings.ToLower(column)]; ok {
		return formed
	}
	return strings.ToLower(t.name + "." + column)
}

// formOf returns the form of the sources of an output. alone is the form of an output that has no sources.
func formOf(columns refs, alone string) string {
	if len(columns) == 0 {
		return alone
	}
	var forms []string
	for _, one := range columns {
		if form := one.spelled(); !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	slices.Sort(forms)
	if len(forms) == 1 {
		return forms[0]
	}
	return digest(strings.Join(forms, "|"))
}

// kindOf returns the type that all sources of an output are cast to.
func kindOf(columns refs, alone string) string {
	for i, one := range columns {
		if i == 0 {
			alone = one.kind
		} else if one.kind != alone {
			return ""
		}
	}
	return alone
}

// meaningOf returns the meaning of an expression, whose names were read from a place of the trace on. A name alone has
// the meaning of its column.
func (a *analyzer) meaningOf(v any, columns refs, from int) (refs, meaning) {
	node, ok := parser.NodeOf(v)
	for ok && node.Kind == "paren" {
		v = node.Members["this"]
		node, ok = parser.NodeOf(v)
	}
	if ok && (node.Kind == "column" || node.Kind == "dot" && len(columns) == 1 && columns[0].how == Identity) {
		return columns, meaning{}
	}
	m := meaning{form: a.formOf(v, from)}
	if ok && (node.Kind == "cast" || node.Kind == "try_cast" || node.Kind == "safe_cast") {
		m.kind = typeText(node.Members["to"])
	}
	return columns.with(m), m
}

// formOf returns the form of a tree, whose names were read from a place of the trace on.
func (a *analyzer) formOf(v any, from int) string {
	var b strings.Builder
	plain(&b, v)
	for _, name := range a.trace[from:] {
		b.WriteByte('|')
		b.WriteString(name)
	}
	return digest(b.String())
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// layout are the members of trees that say nothing of the meaning.
var layout = map[string]bool{
	"span": true, "comments": true, "leading_comments": true, "trailing_comments": true, "operator_comments": true, "double_colon_syntax": true,
	"integer_spelling": true, "alias": true, "alias_explicit_as": true, "quoted": true, "inferred_type": true, "catalog": true, "schema": true, "pre_alias_comments": true,
}

// plain writes a tree without layout and without the names of columns, which the trace has.
func plain(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString(strings.ToLower(v))
	case float64:
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	case bool:
		if v {
			b.WriteByte('+')
		}
	case []any:
		b.WriteByte('[')
		for _, one := range v {
			plain(b, one)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case map[string]any:
		if node, ok := parser.NodeOf(v); ok && (node.Kind == "column" || node.Kind == "dot" && partsOf(v) != nil) {
			b.WriteByte('#')
			return
		}
		b.WriteByte('{')
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch value := v[key].(type) {
			case nil:
			case string:
				if key == "value" { // a literal, whose letter case counts
					b.WriteString("value=" + value + ";")
					continue
				}
				plainMember(b, key, value)
			case bool:
				if value {
					plainMember(b, key, value)
				}
			case []any:
				if len(value) > 0 {
					plainMember(b, key, value)
				}
			default:
				plainMember(b, key, value)
			}
		}
		b.WriteByte('}')
	}
}

func plainMember(b *strings.Builder, key string, value any) {
	if !layout[key] {
		b.WriteString(key + "=")
		plain(b, value)
		b.WriteByte(';')
	}
}

// rowsBy notes that a clause decides which rows a query gives.
func (a *analyzer) rowsBy(key string, v any, from int) {
	if v != nil && (list(v) == nil || len(list(v)) > 0) && v != false {
		a.rows = append(a.rows, key+"="+a.formOf(v, from))
	}
}

// Definition is a column that a CREATE TABLE or an ALTER TABLE states. Type is "" if it states none.
type Definition struct {
	Name, Type string
	NotNull    bool
}

// definitionOf returns a column as a tree defines it.
func definitionOf(v any) Definition {
	m := object(v)
	if inner := object(m["column_def"]); inner != nil {
		m = inner
	}
	d := Definition{Name: identifier(m["name"]), Type: typeText(m["data_type"])}
	for _, c := range list(m["constraint_order"]) {
		d.NotNull = d.NotNull || text(c) == "NotNull" || text(c) == "PrimaryKey"
	}
	return d
}

// typeText writes a type as SQL does, in lower case.
func typeText(v any) string {
	m := object(v)
	if inner := object(m["data_type"]); inner != nil {
		m = inner
	}
	name := strings.ReplaceAll(text(m["data_type"]), "_", "")
	number := func(key string) string {
		if n, ok := m[key].(float64); ok {
			return strconv.Itoa(int(n))
		}
		return ""
	}
	switch name {
	case "array", "list":
		return typeText(m["element_type"]) + "[]"
	case "custom":
		if name = identifier(m["name"]); strings.Contains(name, "(") {
			return name // in Tuple(City String), names keep their letter case
		}
		return strings.ToLower(name)
	case "struct", "object":
		return name + fieldsText(list(m["fields"]))
	case "map":
		return "map<" + typeText(m["key_type"]) + "," + typeText(m["value_type"]) + ">"
	case "nullable":
		return "nullable(" + typeText(m["inner"]) + ")"
	}
	switch length, precision, scale := number("length"), number("precision"), number("scale"); {
	case precision != "" && scale != "":
		name += "(" + precision + "," + scale + ")"
	case precision != "":
		name += "(" + precision + ")"
	case length != "":
		name += "(" + length + ")"
	}
	if isTrue(m["timezone"]) {
		name += " with time zone"
	}
	return name
}

// fieldsText writes the fields of a struct, as in <city:text,geo:struct<lat:double>>.
func fieldsText(fields []any) string {
	var parts []string
	for _, v := range fields {
		name, kind := object(v)["name"], object(v)["data_type"]
		if pair := list(v); len(pair) > 1 { // Snowflake's OBJECT
			name, kind = pair[0], pair[1]
		}
		written := typeText(kind)
		if known := strings.Trim(identifier(name), "\"`"); known != "" {
			written = "`" + known + "`:" + written
		}
		parts = append(parts, written)
	}
	if parts == nil {
		return ""
	}
	return "<" + strings.Join(parts, ",") + ">"
}

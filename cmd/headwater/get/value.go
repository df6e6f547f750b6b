package get

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// writeValue writes the value of an aspect for people: members with their names, lists of
// objects as tables.
func writeValue(w io.Writer, value jsontree.Object, width int) error {
	var (
		lines  []show.Fact
		tables []rowsOf
	)
	eachLeaf(value, "", func(name string, leaf any) {
		if rows := objectsIn(leaf); len(rows) > 0 {
			tables = append(tables, rowsOf{name, rows})
			return
		}
		if texts := textsIn(name, leaf); len(texts) > 0 {
			lines = append(lines, show.Fact{Name: screen.Line(name), Values: texts})
		}
	})
	if len(lines) == 0 && len(tables) == 0 {
		fmt.Fprintln(w, "  (empty)")
	}
	indented := &indent{w: w}
	show.WriteFacts(indented, lines, max(width-len(margin), 0))
	for i := range tables {
		if len(lines) > 0 || i > 0 {
			fmt.Fprintln(w)
		}
		if err := tables[i].write(w, width); err != nil {
			return err
		}
	}
	return indented.err
}

// margin is the indentation of each line of a value.
const margin = "  "

// indent is a writer that adds the margin to each line.
type indent struct {
	w   io.Writer
	err error
}

func (i *indent) Write(line []byte) (int, error) {
	_, i.err = fmt.Fprintf(i.w, "%s%s", margin, line)
	return len(line), i.err
}

// rowsOf is a list of objects in a value.
type rowsOf struct {
	name string
	rows []jsontree.Object
}

func (l *rowsOf) write(w io.Writer, width int) error {
	var names []string
	cells := make([]map[string]string, len(l.rows))
	for i, row := range l.rows {
		cells[i] = map[string]string{}
		eachLeaf(row, "", func(name string, leaf any) {
			text := strings.Join(textsIn(name, leaf), ", ")
			if rows := objectsIn(leaf); len(rows) > 0 {
				text = inWords(rows)
			}
			if text == "" {
				return
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			cells[i][name] = text
		})
	}
	slices.SortStableFunc(names, func(a, b string) int { return rankOfMember(a) - rankOfMember(b) })
	table := &screen.Table{Indent: len(margin) + 2}
	for _, name := range names {
		table.Columns = append(table.Columns, screen.Column{Head: name, Least: 12})
	}
	for i := range cells {
		row := make([]string, len(names))
		for k, name := range names {
			row[k] = cells[i][name]
		}
		table.Add(row...)
	}
	fmt.Fprintf(w, "%s%s (%d)\n", margin, screen.Line(l.name), len(l.rows))
	return table.Write(w, width)
}

// rankOfMember orders the columns of a table. Members that name a row come first.
func rankOfMember(name string) int {
	if at := slices.Index([]string{"fieldPath", "owner", "tag", "urn", "name", "dataset"}, name); at >= 0 {
		return at
	}
	return 99
}

// eachLeaf calls visit for each scalar or list in an object. The names of members of inner
// objects are joined with dots, without the names of unions and records.
func eachLeaf(value jsontree.Object, before string, visit func(name string, leaf any)) {
	for _, member := range show.SortedKeys(value) {
		name := before + member
		if strings.Contains(member, ".") { // the member is the name of a record
			name = strings.TrimSuffix(before, ".")
		}
		inner, isObject := value[member].(jsontree.Object)
		switch {
		case isObject && len(inner) == 0 && name != before+member:
			visit(name, member[strings.LastIndexByte(member, '.')+1:]) // an empty record is the type of a column
		case isObject:
			eachLeaf(inner, strings.TrimPrefix(name+".", "."), visit)
		default:
			visit(name, value[member])
		}
	}
}

// objectsIn returns the objects in a list.
func objectsIn(leaf any) []jsontree.Object {
	items, _ := leaf.([]any)
	var objects []jsontree.Object
	for _, item := range items {
		if object, ok := item.(jsontree.Object); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// textsIn returns the texts of a scalar or of a list of scalars.
func textsIn(name string, leaf any) []string {
	switch v := leaf.(type) {
	case nil:
		return nil
	case []any:
		var texts []string
		for _, item := range v {
			texts = append(texts, textsIn(name, item)...)
		}
		return texts
	case string:
		if strings.TrimSpace(v) == "" {
			return nil
		}
		return []string{screen.Text(v)}
	}
	if at := jsontree.Integer(leaf); at > 1e11 && isMoment(name) {
		return []string{show.TimeOf(at)}
	}
	return []string{jsontree.ScalarText(leaf)}
}

// isMoment reports, by the name of a member, whether its value is in epoch milliseconds.
func isMoment(name string) bool {
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return slices.ContainsFunc([]string{"time", "millis", "timestamp", "at", "observed"}, func(end string) bool { return strings.HasSuffix(last, end) })
}

// inWords returns a text for a list within a list: the texts of its objects if each has
// exactly one, otherwise the number of objects.
func inWords(objects []jsontree.Object) string {
	var texts []string
	for _, object := range objects {
		n := 0
		eachLeaf(object, "", func(name string, leaf any) {
			if text := textsIn(name, leaf); len(text) > 0 {
				texts, n = append(texts, text...), n+1
			}
		})
		if n != 1 {
			return wording.Counted(len(objects), "item", "items")
		}
	}
	return strings.Join(texts, ", ")
}

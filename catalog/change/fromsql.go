package change

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql/lineage"
)

// File is a text of SQL.
type File struct{ Name, Text string }

// Names are how tables are named where a name is incomplete, and in the catalog.
type Names struct {
	Dialect, Database, Schema string
	// URN returns the URN of a table in the catalog; nil for a state without a catalog.
	URN      func(table string) string
	Platform string
}

// FromSQL returns the state of files of SQL. tables are the tables that the files read and do not make, nil for none.
func FromSQL(ctx context.Context, by SQLReader, files []File, names Names, tables *State) (*State, error) {
	s := newState(names.Dialect)
	s.database, s.schema = names.Database, names.Schema
	if tables != nil {
		for _, id := range tables.ids() {
			n := tables.Nodes[id]
			s.add(n, n.table)
		}
	}
	seen := map[string]int{}
	for _, f := range files {
		statements, err := by.Read(ctx, f.Text, lineage.Settings{Dialect: names.Dialect, Database: names.Database, Schema: names.Schema})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		u := &unit{file: f.Name, code: f.Text}
		for i := range statements {
			n := s.statementNode(f.Name, &statements[i], names, seen)
			u.nodes = append(u.nodes, n)
			s.migrate(n, &statements[i], names)
			u.needs = append(u.needs, statements[i].Reads...)
		}
		s.units = append(s.units, u)
	}
	s.settle()
	for _, u := range s.units {
		for i, name := range u.needs {
			if n := s.find(strings.Split(name, ".")); n != nil {
				u.needs[i] = n.ID
			}
		}
	}
	return s, nil
}

// statementNode returns the node of a statement: the table that it makes, or the statement itself.
func (s *State) statementNode(file string, st *lineage.Statement, names Names, seen map[string]int) *Node {
	if strings.HasPrefix(st.Kind, "create") && len(st.Writes) == 1 {
		name := st.Writes[0]
		n := &Node{ID: strings.ToLower(name), Name: name, Type: "table", Platform: names.Platform, File: file, Line: st.Line, hasSQL: true, code: st.Text}
		if strings.Contains(st.Kind, "view") {
			n.Type = "view"
		}
		if names.URN != nil {
			n.URNs = []string{names.URN(name)}
		}
		if s.Nodes[n.ID] != nil { // made twice: the last one counts
			s.byName = without(s.byName, s.Nodes[n.ID])
		}
		s.add(n, strings.Split(name, "."))
		return n
	}
	id := file + " " + st.Kind + " " + strings.ToLower(strings.Join(st.Writes, ","))
	seen[id]++
	n := &Node{
		ID: fmt.Sprintf("%s #%d", id, seen[id]), Name: fmt.Sprintf("%s:%d", file, st.Line), Type: "statement", Platform: names.Platform, File: file, Line: st.Line, hasSQL: true, code: st.Text,
	}
	s.add(n, nil)
	return n
}

func without(by map[string][]*Node, gone *Node) map[string][]*Node {
	last := strings.ToLower(gone.table[len(gone.table)-1])
	by[last] = slices.DeleteFunc(by[last], func(n *Node) bool { return n == gone })
	return by
}

// FromSchema returns the state of a list of tables, as {"schema.table": {"column": "type"}}. A type may end with "not
// null". An error names the table that is wrong.
func FromSchema(r io.Reader, names Names) (*State, error) {
	text, err := io.ReadAll(io.LimitReader(r, limits.MaxSQLScriptBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > limits.MaxSQLScriptBytes {
		return nil, fmt.Errorf("the schema has more than %d bytes", limits.MaxSQLScriptBytes)
	}
	s := newState(names.Dialect)
	d := json.NewDecoder(bytes.NewReader(text))
	err = jsontree.EachMember(d, func(table string) error {
		n := &Node{ID: strings.ToLower(table), Name: table, Type: "table", Platform: names.Platform, Known: true}
		if names.URN != nil {
			n.URNs = []string{names.URN(table)}
		}
		err := jsontree.EachMember(d, func(column string) error {
			var kind string
			if err := d.Decode(&kind); err != nil {
				return fmt.Errorf("the type of %q must be a text", column)
			}
			plain, notNull := cutNotNull(kind)
			n.Columns = append(n.Columns, Column{Name: column, Type: plain, NotNull: notNull})
			return nil
		})
		if err != nil {
			return fmt.Errorf("table %q: %w", table, err)
		}
		s.add(n, strings.Split(table, "."))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf(`the schema must be {"schema.table": {"column": "type"}}: %w`, err)
	}
	return s, nil
}

func cutNotNull(kind string) (string, bool) {
	kind = strings.TrimSpace(kind)
	if lower := strings.ToLower(kind); strings.HasSuffix(lower, " not null") {
		return strings.TrimSpace(kind[:len(kind)-len(" not null")]), true
	}
	return kind, false
}

// Table is a table as a catalog tells it.
type Table struct {
	URN     string
	Columns []Column
	// Fields are the columns, the fields inside them, and the fields of message keys.
	Fields []Column
}

// FromTables returns a catalog's part of a state: the nodes of which known returns a table. Code is not
// known, so that changes of expressions are not found. Tables that the head only alters or drops get the columns of
// the catalog.
func FromTables(head *State, known func(n *Node) *Table) *State {
	s := newState(head.Dialect)
	for _, id := range head.ids() {
		n := head.Nodes[id]
		if !n.isTable() || len(n.URNs) == 0 {
			continue
		}
		if t := known(n); t != nil {
			was := &Node{ID: n.ID, Name: n.Name, Type: n.Type, URNs: n.URNs, Platform: n.Platform, Owners: n.Owners, Columns: t.columnsFor(n), nested: n.nested, keys: n.keys}
			was.Known = len(was.Columns) > 0
			was.made.materialized = n.made.materialized
			s.add(was, n.table)
			if n.assumed && was.Known {
				n.Columns, n.Known = afterAll(was.Columns, n.alters), true
			}
		}
	}
	for _, n := range head.dropped {
		if t := known(n); t != nil && s.Nodes[n.ID] == nil {
			s.add(&Node{ID: n.ID, Name: n.Name, Type: n.Type, URNs: n.URNs, Platform: n.Platform, File: n.File, Line: n.Line, Columns: t.Columns, Known: true}, n.table)
		}
	}
	return s
}

// columnsFor returns the columns of a table that are compared with those of a node. The schema of a file
// has fields at any depth, so the fields inside columns are compared too.
func (t *Table) columnsFor(n *Node) []Column {
	if !n.nested {
		return t.Columns
	}
	return slices.DeleteFunc(slices.Clone(t.Fields), func(c Column) bool { return strings.Contains(c.Path, keyStep) != n.keys })
}

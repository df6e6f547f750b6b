package change

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/lineage"
)

// alteration is the effect of a script's statement on a table, and its place.
type alteration struct {
	lineage.Alteration
	file string
	line int
}

// URNs returns the names in the catalog of all nodes, and of the tables that scripts drop.
func (s *State) URNs() []string {
	var all []string
	for _, id := range s.ids() {
		all = append(all, s.Nodes[id].URNs...)
	}
	for _, n := range s.dropped {
		all = append(all, n.URNs...)
	}
	return all
}

// migrate applies a statement of a script to the tables of the state: it alters, renames or drops them. by
// is the node of the statement.
func (s *State) migrate(by *Node, st *lineage.Statement, names Names) {
	switch st.Kind {
	case "drop table", "drop view":
		for _, name := range st.Writes {
			s.drop(s.tableOr(name, by, names))
		}
	case "alter table", "alter view":
		for _, one := range st.Alters {
			n := s.tableOr(one.Table, by, names)
			switch {
			case one.Action == lineage.RenameTable:
				s.rename(n, one.NewName, by, names)
			case s.Nodes[n.ID] == nil:
				n.assumed = true
				s.add(n, n.table)
				fallthrough
			default:
				n.alters = append(n.alters, alteration{one, by.File, by.Line})
			}
		}
	case "create table":
		if s.Nodes[by.ID] == by && len(st.Defines) > 0 && len(st.Columns) == 0 {
			by.define(st.Defines)
		}
	}
}

// tableOr returns the node of a table, or one that is not in the state if no script made the table.
func (s *State) tableOr(name string, by *Node, names Names) *Node {
	parts := strings.Split(name, ".")
	if n := s.find(parts); n != nil && n.isTable() {
		return n
	}
	n := &Node{ID: strings.ToLower(name), Name: name, Type: "table", Platform: names.Platform, File: by.File, Line: by.Line, table: parts}
	if names.URN != nil {
		n.URNs = []string{names.URN(name)}
	}
	return n
}

// drop takes a table out of the state. The statement that made it stays, and makes nothing.
func (s *State) drop(n *Node) {
	if s.Nodes[n.ID] != n {
		s.dropped = append(s.dropped, n)
		return
	}
	delete(s.Nodes, n.ID)
	s.byName = without(s.byName, n)
	if n.assumed || !n.hasSQL { // others made it
		s.dropped = append(s.dropped, &Node{ID: n.ID, Name: n.Name, Type: n.Type, URNs: n.URNs, Platform: n.Platform, File: n.File, Line: n.Line, table: n.table})
		return
	}
	n.gone, n.Type, n.URNs = true, "statement", nil
	n.ID = n.File + " dropped " + n.ID
	s.add(n, nil)
}

// rename gives a table another name. Readers of the former name fail.
func (s *State) rename(n *Node, name string, by *Node, names Names) {
	parts := strings.Split(name, ".")
	if len(parts) < len(n.table) {
		parts = append(slices.Clone(n.table[:len(n.table)-len(parts)]), parts...)
	}
	if s.Nodes[n.ID] == n {
		delete(s.Nodes, n.ID)
		s.byName = without(s.byName, n)
	}
	if !n.hasSQL {
		s.dropped = append(s.dropped, &Node{ID: n.ID, Name: n.Name, Type: n.Type, URNs: n.URNs, Platform: n.Platform, File: by.File, Line: by.Line, table: n.table})
	}
	n.Name = strings.Join(parts, ".")
	n.ID = strings.ToLower(n.Name)
	if names.URN != nil {
		n.URNs = []string{names.URN(n.Name)}
	}
	s.add(n, parts)
}

// settle alters the tables whose columns are known without reading their SQL, and forgets drops of tables that are made
// afterwards.
func (s *State) settle() {
	for _, n := range s.Nodes {
		if n.Known && !n.hasSQL {
			n.Columns = afterAll(n.Columns, n.alters)
		}
	}
	s.dropped = slices.DeleteFunc(s.dropped, func(n *Node) bool { return s.Nodes[n.ID] != nil })
}

// define gives a node the columns that its statement defines, as scripts altered them.
func (n *Node) define(columns []lineage.Definition) {
	n.Columns, n.Known = nil, true
	for _, d := range columns {
		n.Columns = append(n.Columns, Column{Name: d.Name, Type: d.Type, NotNull: d.NotNull})
	}
	n.Columns = afterAll(n.Columns, n.alters)
}

// afterAll returns columns as scripts leave them. A column that is not there is not altered.
func afterAll(columns []Column, alters []alteration) []Column {
	if len(alters) == 0 {
		return columns
	}
	columns = slices.Clone(columns)
	for i := range alters {
		one := &alters[i]
		at := slices.IndexFunc(columns, func(c Column) bool { return strings.EqualFold(c.Name, one.Name) })
		switch {
		case one.Action == lineage.AddColumn && at < 0:
			columns = append(columns, Column{Name: one.Name, Type: one.Type, NotNull: one.NotNull})
		case at < 0:
		case one.Action == lineage.DropColumn:
			columns = slices.Delete(columns, at, at+1)
		default:
			columns[at] = columns[at].after(one)
		}
	}
	return columns
}

// after returns a column after an action.
func (c Column) after(one *alteration) Column {
	switch one.Action {
	case lineage.ChangeType:
		c.Type = one.Type
	case lineage.ChangeColumn:
		c.Type, c.NotNull = one.Type, one.NotNull
	case lineage.SetNotNull:
		c.NotNull = true
	case lineage.DropNotNull:
		c.NotNull = false
	}
	if one.NewName != "" {
		c.formerly, c.Name = append(slices.Clone(c.formerly), strings.ToLower(c.Name)), one.NewName
	}
	return c
}

// alteredAt puts a change of a column at the statement that alters it, the last one if there are several.
func (n *Node) alteredAt(change *Change) {
	for i := range n.alters {
		one := &n.alters[i]
		for _, name := range []string{one.Name, one.NewName} {
			if name != "" && (strings.EqualFold(name, change.Column) || strings.EqualFold(name, change.NewName)) {
				change.File, change.Line = one.file, one.line
			}
		}
	}
}

// understoodAlters reports whether a statement consists of understood alterations only.
func understoodAlters(st *lineage.Statement) bool {
	return strings.HasPrefix(st.Kind, "alter ") && !slices.ContainsFunc(st.Alters, func(one lineage.Alteration) bool { return one.Action == lineage.OtherAlteration })
}

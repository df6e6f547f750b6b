package change

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// altered is a column whose values are others now. The column is in lower case, "" for all columns of the node.
type altered struct{ node, column string }

// flows follows changed values from column to column, and notes the columns that may be affected.
func (c *comparison) flows() {
	type step struct {
		altered
		change *Change
		via    []string
	}
	var queue []step
	seen := map[altered]bool{}
	for _, id := range slices.Sorted(maps.Keys(c.changed)) {
		for _, column := range slices.Sorted(maps.Keys(c.changed[id])) {
			change := c.changed[id][column]
			if change.Because != "" {
				continue // the column upstream leads here
			}
			at := altered{id, column}
			seen[at] = true
			name := change.Table
			if column != "" {
				name += "." + change.Column
			}
			queue = append(queue, step{at, change, []string{name}})
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, id := range c.dependents[s.node] {
			n := c.head.Nodes[id]
			via := append(slices.Clone(s.via), n.Name)
			if n.statement == nil {
				if n.Type == "exposure" {
					c.mayChange(n, s.change, via, "it depends on "+c.head.Nodes[s.node].Name)
				}
				continue
			}
			for _, column := range n.derived(s.altered) {
				c.mayChange(n, s.change, append(slices.Clone(s.via), n.Name+"."+column), "its column "+column+" derives from it")
				at := altered{id, strings.ToLower(column)}
				if !seen[at] {
					seen[at] = true
					queue = append(queue, step{at, s.change, append(slices.Clone(s.via), n.Name+"."+column)})
				}
			}
			if clause := n.reads(s.altered); clause != "" {
				c.mayChange(n, s.change, via, "it reads it in "+strings.ToUpper(clause))
				if at := (altered{id, ""}); !seen[at] && n.isTable() {
					seen[at] = true
					queue = append(queue, step{at, s.change, via})
				}
			}
		}
	}
}

// derived returns the columns of a node that take values from a column.
func (n *Node) derived(from altered) []string {
	var names []string
	for i := range n.Columns {
		if slices.ContainsFunc(n.Columns[i].sources, func(s source) bool {
			return s.Table == from.node && (from.column == "" || strings.EqualFold(s.Column, from.column))
		}) {
			names = append(names, n.Columns[i].Name)
		}
	}
	return names
}

// reads returns the clause in which the statement of a node reads a column, "" if it does not.
func (n *Node) reads(column altered) string {
	for _, r := range n.statement.ColumnsRead {
		if r.Table == column.node && (column.column == "" || strings.EqualFold(r.Column, column.column)) {
			return r.Clause
		}
	}
	return ""
}

// verbs name the change of a column, by its kind.
var verbs = map[string]string{
	ColumnRetyped: "the type of %s changed", MeaningChanged: "the meaning of %s changed", LineageLost: "%s lost its sources", RowsChanged: "the rows of %s changed",
}

// mayChange notes that values of a node may be others.
func (c *comparison) mayChange(n *Node, change *Change, via []string, how string) {
	if c.possible[n.ID] != nil || c.certain[n.ID] != nil {
		return
	}
	name := change.Table
	if change.Column != "" {
		name += "." + change.Column
	}
	c.possible[n.ID] = n.impact(&Impact{Column: name, Via: via, Why: fmt.Sprintf(verbs[change.Kind], name) + ", and " + how})
}

// result puts the findings in order: the nearest first.
func (c *comparison) result(personal []Personal) *Result {
	r := &Result{Changes: []Change{}, Certain: []Impact{}, Possible: []Impact{}, Contracts: c.contracts, Assertions: []Hurt{}, NewPersonalData: personal, NotUnderstood: slices.Clone(c.head.Notes), Forms: []Hurt{}, Properties: []Hurt{}, Unused: c.unused()}
	for _, change := range c.changes {
		if n := c.head.Nodes[change.node]; n != nil && change.Line == 0 {
			change.Line = max(1, n.Line)
		}
		r.Changes = append(r.Changes, *change)
	}
	for _, id := range slices.Sorted(maps.Keys(c.certain)) {
		n, i := c.head.Nodes[id], c.certain[id]
		if n.Type == "test" {
			r.Assertions = append(r.Assertions, c.hurtTest(n, i, Certain))
			if i.Clause == behindClause {
				continue
			}
		}
		r.Certain = append(r.Certain, *i)
	}
	for _, id := range slices.Sorted(maps.Keys(c.possible)) {
		n := c.head.Nodes[id]
		if c.certain[id] != nil {
			continue
		}
		if n.Type == "test" {
			r.Assertions = append(r.Assertions, c.hurtTest(n, c.possible[id], Possible))
			continue
		}
		r.Possible = append(r.Possible, *c.possible[id])
	}
	for _, id := range c.head.ids() {
		r.NotUnderstood = append(r.NotUnderstood, c.head.note(c.head.Nodes[id])...)
	}
	nearest := func(a, b Impact) int {
		return cmp.Or(cmp.Compare(len(a.Via), len(b.Via)), strings.Compare(a.Name, b.Name))
	}
	slices.SortStableFunc(r.Certain, nearest)
	slices.SortStableFunc(r.Possible, nearest)
	slices.SortStableFunc(r.Changes, func(a, b Change) int { return cmp.Compare(kindOrder[a.Kind], kindOrder[b.Kind]) })
	if r.Contracts == nil {
		r.Contracts = []Hurt{}
	}
	if r.NotUnderstood == nil {
		r.NotUnderstood = []NotUnderstood{}
	}
	return r
}

var kindOrder = map[string]int{
	TableRemoved: 0, ColumnDropped: 1, ColumnRenamed: 2, ColumnRetyped: 3, Nullability: 4, LineageLost: 5, MeaningChanged: 6, RowsChanged: 7, TableAdded: 8, ColumnAdded: 9, Reordered: 10,
}

func (c *comparison) hurtTest(n *Node, i *Impact, effect string) Hurt {
	table := ""
	if len(n.Upstreams) > 0 {
		if from := c.head.Nodes[n.Upstreams[len(n.Upstreams)-1]]; from != nil {
			table = from.Name
		}
	}
	return Hurt{URN: i.URN, Name: n.Name, Table: table, Column: n.made.tested, Owners: i.Owners, Effect: effect, Why: i.Why, File: i.File, Line: i.Line}
}

package change

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/lineage"
)

// breaks finds the statements of a unit that read tables or columns that the head has lost.
func (c *comparison) breaks(ctx context.Context, u *unit) error {
	reads := map[string]bool{}
	for _, n := range u.nodes {
		for _, id := range n.Upstreams {
			reads[id] = true
		}
	}
	losing := false
	for id := range reads {
		losing = losing || len(c.lost[id]) > 0
	}
	var overlay []lineage.Statement
	if losing {
		var err error
		if overlay, err = c.engine.read(ctx, c.head, u, c.head.tables(c.lost, c.forms)); err != nil {
			return err
		}
		if u.last && len(overlay) > 0 {
			overlay = overlay[len(overlay)-1:]
		}
	}
	for i, n := range u.nodes {
		if i < len(overlay) && n.statement != nil {
			c.lostReads(n, &overlay[i])
		}
		c.goneTables(n)
		c.newProblems(n)
		c.unsure(n)
	}
	return nil
}

// reading is a place that reads a lost column.
type reading struct {
	lost     loss
	from     *Node
	clause   string
	line     int
	possible bool
}

// lostReads finds which lost columns a statement reads. overlay is the statement, read as if its tables still had them.
func (c *comparison) lostReads(n *Node, overlay *lineage.Statement) {
	understood := len(n.statement.NotUnderstood) == 0
	take := func(r reading) {
		switch {
		case !r.possible && !r.lost.doubt:
			c.fails(n, &r)
		case !r.possible || !understood: // a name that may mean several columns means another one if the head is understood
			c.mayFail(n, r.lost.change, fmt.Sprintf("it may read %s.%s (%s)", r.from.Name, r.lost.change.Column, r.clause), r.line)
		}
	}
	for _, r := range overlay.ColumnsRead {
		if lost, ok := c.lost[r.Table][strings.ToLower(r.Column)]; ok && !r.Star {
			take(reading{lost, c.head.Nodes[r.Table], r.Clause, n.lineOf(r.Column, r.Line), r.Possible})
		}
	}
	stars := map[*Change]bool{}
	for _, out := range overlay.Columns {
		for _, s := range out.Sources {
			lost, ok := c.lost[s.Table][strings.ToLower(s.Column)]
			switch {
			case !ok:
			case s.Star:
				stars[lost.change] = true
			default:
				take(reading{lost, c.head.Nodes[s.Table], "select", n.lineOf(s.Column, 0), s.Possible})
			}
		}
	}
	for _, lost := range c.lostIn(n) {
		if stars[lost.change] || c.opens(overlay, lost.change.node) {
			c.mayFail(n, lost.change, fmt.Sprintf("it takes %s.%s by *, and what reads it there loses it", lost.change.Table, lost.change.Column), 0)
		}
	}
}

// lostIn returns the lost columns of the tables that a node reads.
func (c *comparison) lostIn(n *Node) []loss {
	var all []loss
	for _, id := range n.Upstreams {
		all = append(all, c.lost[id].sorted()...)
	}
	return all
}

// opens reports whether a statement takes the columns of a table that are not known.
func (c *comparison) opens(st *lineage.Statement, id string) bool {
	for _, out := range st.Columns {
		if slices.ContainsFunc(out.Sources, func(s source) bool { return s.Table == id && s.Column == "*" }) {
			return true
		}
	}
	return false
}

// fails notes that a node fails, because it reads a lost column.
func (c *comparison) fails(n *Node, r *reading) {
	change := r.lost.change
	verb := "drops"
	if change.Kind == ColumnRenamed {
		verb = "renames to " + change.NewName
	}
	where := map[string]string{"select": "in its select list", lineage.ClauseStar: "by *"}[r.clause]
	if where == "" {
		where = "in " + strings.ToUpper(r.clause)
	}
	c.fail(n, &Impact{
		Column: change.Table + "." + change.Column, Clause: r.clause, Line: r.line, Via: []string{change.Table + "." + change.Column, n.Name},
		Why: fmt.Sprintf("it reads %s %s, which the change %s", change.Table+"."+change.Column, where, verb),
	})
}

// fail notes that a node fails, with the first reason that is found.
func (c *comparison) fail(n *Node, i *Impact) {
	if c.certain[n.ID] == nil {
		c.certain[n.ID] = n.impact(i)
	}
}

// mayFail notes that a node may fail because of a change.
func (c *comparison) mayFail(n *Node, change *Change, why string, line int) {
	if c.possible[n.ID] != nil {
		return
	}
	via := change.Table
	if change.Column != "" {
		via += "." + change.Column
	}
	c.possible[n.ID] = n.impact(&Impact{Column: via, Line: line, Via: []string{via, n.Name}, Why: why})
}

// impact completes an impact with the facts of the node.
func (n *Node) impact(i *Impact) *Impact {
	i.URN, i.Name, i.Type, i.Platform, i.File, i.node = n.URN(), n.Name, n.Type, n.Platform, n.File, n.ID
	if i.Line == 0 {
		i.Line = max(1, n.Line)
	}
	i.Owners = []Owner{}
	for _, urn := range n.Owners {
		i.Owners = append(i.Owners, Owner{URN: urn, Name: urn[strings.LastIndexByte(urn, ':')+1:]})
	}
	return i
}

// goneTables finds tables that the base defines and the head does not.
func (c *comparison) goneTables(n *Node) {
	if n.statement == nil {
		return
	}
	for _, name := range n.statement.Reads {
		if c.head.Nodes[name] != nil {
			continue
		}
		if was := c.base.find(strings.Split(name, ".")); was != nil && c.removed[was.ID] != nil {
			c.fail(n, &Impact{Via: []string{was.Name, n.Name}, Line: n.lineOf(name, 0), Why: "it reads " + was.Name + ", which the change removes"})
		}
	}
}

// newProblems finds names in a changed statement that none of its tables has.
func (c *comparison) newProblems(n *Node) {
	was := c.base.Nodes[n.ID]
	if n.statement == nil || was == nil || was.statement == nil || c.certain[n.ID] != nil {
		return
	}
	known := map[string]bool{}
	for _, p := range was.statement.NotUnderstood {
		known[strings.ToLower(p.Text)] = true
	}
	complete := true
	for _, name := range n.statement.Reads {
		from := c.head.Nodes[name]
		complete = complete && from != nil && from.Known
	}
	for _, p := range n.statement.NotUnderstood {
		if known[strings.ToLower(p.Text)] || !p.LacksColumn() {
			continue
		}
		name := p.Text[strings.LastIndexByte(p.Text, '.')+1:]
		if lost := c.lostIn(n); complete { // a script knows the tables that it makes itself, and reads no overlay of them
			if at := slices.IndexFunc(lost, func(l loss) bool { return !l.doubt && strings.EqualFold(l.change.Column, name) }); at >= 0 {
				c.fails(n, &reading{lost: lost[at], from: c.head.Nodes[lost[at].change.node], clause: "select", line: n.lineOf(p.Text, p.Line)})
				return
			}
		}
		i := &Impact{Via: []string{n.Name}, Column: p.Text, Line: n.lineOf(p.Text, p.Line), Why: fmt.Sprintf("it reads %s, which none of its tables has", p.Text)}
		if complete {
			c.fail(n, i)
		} else if c.possible[n.ID] == nil {
			c.possible[n.ID] = n.impact(i)
		}
	}
}

// unsure finds the nodes that may read a lost column because their SQL was not understood, and the nodes that need
// columns for another reason than their SQL.
func (c *comparison) unsure(n *Node) {
	if n.statement != nil && len(n.statement.NotUnderstood) > 0 {
		for _, lost := range c.lostIn(n) {
			c.mayFail(n, lost.change, fmt.Sprintf("its SQL is not understood, and it may read %s.%s", lost.change.Table, lost.change.Column), n.lineOf(n.statement.NotUnderstood[0].Text, n.statement.NotUnderstood[0].Line))
			break
		}
	}
	c.settings(n)
}

// seed finds a seed of which the database keeps a table with other columns.
func (c *comparison) seed(was, n *Node) {
	if n.Type != "seed" || !was.Known || !n.Known {
		return
	}
	lost := c.lost[n.ID].sorted()
	added := slices.ContainsFunc(n.Columns, func(column Column) bool { return was.column(column.Name) == nil })
	why := "its table is kept with the columns that it had; only a full refresh loads others"
	switch {
	case added || len(lost) > 0 && c.head.Dialect == "duckdb":
		c.fail(n, &Impact{Clause: "seed", Column: n.Name, Via: []string{n.Name}, Why: why})
	case len(lost) > 0: // other databases leave the column empty
		c.mayFail(n, lost[0].change, why, 1)
	}
}

// settings finds configurations of dbt that need a column which the node does not have any more.
func (c *comparison) settings(n *Node) {
	was := c.base.Nodes[n.ID]
	if was == nil || !n.Known {
		return
	}
	for _, key := range n.made.keys {
		if was.column(key[1]) != nil && n.column(key[1]) == nil {
			c.fail(n, &Impact{Column: n.Name + "." + key[1], Clause: key[0], Via: []string{n.Name + "." + key[1], n.Name}, Line: n.lineOf(key[1], 0), Why: fmt.Sprintf("its setting %s names %s, which it does not have any more", key[0], key[1])})
		}
	}
	tableStays := n.Type == "snapshot" || n.made.materialized == "incremental" && was.made.materialized == "incremental" && n.made.onSchemaChange != "append_new_columns" && n.made.onSchemaChange != "sync_all_columns"
	for _, key := range n.made.keys {
		if tableStays && was.Known && was.column(key[1]) == nil && n.column(key[1]) != nil {
			c.fail(n, &Impact{Column: n.Name + "." + key[1], Clause: key[0], Via: []string{n.Name + "." + key[1], n.Name}, Line: n.lineOf(key[1], 0), Why: fmt.Sprintf("its setting %s names %s, which its table, that is kept, does not have", key[0], key[1])})
		}
	}
	keeps := n.made.onSchemaChange == "" || n.made.onSchemaChange == "ignore" || n.made.onSchemaChange == "fail"
	if n.made.materialized == "incremental" && was.made.materialized == "incremental" && keeps {
		for _, lost := range c.lost[n.ID].sorted() {
			c.fail(n, &Impact{
				Column: n.Name + "." + lost.change.Column, Clause: "on_schema_change", Via: []string{n.Name + "." + lost.change.Column, n.Name}, Line: n.lineOf("incremental", 0),
				Why: fmt.Sprintf("it is incremental: its table keeps %s, which its query does not give any more; only a full refresh builds it", lost.change.Column),
			})
		}
	}
	c.promise(was, n)
}

// promise compares a node with its contract.
func (c *comparison) promise(was, n *Node) {
	if !n.made.contract {
		return
	}
	broken := func(column, why string) {
		c.contracts = append(c.contracts, n.hurt(n.Name, column, Certain, why))
		c.fail(n, &Impact{Column: n.Name + "." + column, Clause: "contract", Via: []string{n.Name + "." + column, n.Name}, Line: n.lineOf(column, 0), Why: "its contract " + why})
	}
	for _, p := range n.made.promised {
		now, before := n.column(p.Name), was.column(p.Name)
		switch {
		case now == nil && before != nil:
			broken(p.Name, "promises "+p.Name+", which it does not give any more")
		case now != nil && before != nil && p.Type != "" && now.Type != "" && !sameType(p.Type, now.Type) && (before.Type == "" || sameType(p.Type, before.Type)):
			broken(p.Name, fmt.Sprintf("promises %s as %s, and it is %s now", p.Name, p.Type, now.Type))
		}
	}
	for i := range n.Columns {
		name := n.Columns[i].Name
		if was.column(name) == nil && !slices.ContainsFunc(n.made.promised, func(p Column) bool { return strings.EqualFold(p.Name, name) }) {
			broken(name, "does not promise "+name+", which it gives now")
		}
	}
}

func (n *Node) hurt(table, column, effect, why string) Hurt {
	i := n.impact(&Impact{})
	return Hurt{URN: i.URN, Name: n.Name, Table: table, Column: column, Owners: i.Owners, Effect: effect, Why: why, File: i.File, Line: n.lineOf(column, 0)}
}

// withoutCode finds nodes that depend on a table with lost columns, and have no SQL that names the columns: exposures, models in Python, tests and
// models that were not compiled.
func (c *comparison) withoutCode(n *Node) {
	if n.statement != nil || n.Type == "statement" {
		return
	}
	for _, id := range n.Upstreams {
		from, was := c.head.Nodes[id], c.base.Nodes[id]
		if from == nil && was != nil && c.removed[id] != nil {
			c.fail(n, &Impact{Via: []string{was.Name, n.Name}, Why: "it reads " + was.Name + ", which the change removes"})
		}
	}
	for _, lost := range c.lostIn(n) {
		change := lost.change
		switch {
		case n.made.tested != "" && strings.EqualFold(n.made.tested, change.Column) && !lost.doubt && c.onlyOne(n, change.Column):
			c.fails(n, &reading{lost: lost, from: c.head.Nodes[change.node], clause: "test"})
		case n.made.tested != "" && !strings.EqualFold(n.made.tested, change.Column):
		case n.Type == "exposure":
			c.mayFail(n, change, fmt.Sprintf("it depends on %s, and nobody states on which of its columns", change.Table), 0)
		default:
			c.mayFail(n, change, fmt.Sprintf("it depends on %s, and its code does not tell whether it reads %s", change.Table, change.Column), 0)
		}
	}
}

// onlyOne reports whether just one node that a test depends on had a column.
func (c *comparison) onlyOne(n *Node, column string) bool {
	count := 0
	for _, id := range n.Upstreams {
		if was := c.base.Nodes[id]; was != nil && was.column(column) != nil {
			count++
		}
	}
	return count == 1
}

// behind notes that everything behind a node that fails is not built either.
func (c *comparison) behind() {
	var queue []string
	for _, id := range c.head.ids() {
		if c.certain[id] != nil {
			queue = append(queue, id)
		}
	}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		for _, next := range c.dependents[id] {
			n, before := c.head.Nodes[next], c.certain[id]
			if c.certain[next] != nil {
				continue
			}
			c.certain[next] = n.impact(&Impact{Column: before.Column, Clause: behindClause, Via: append(slices.Clone(before.Via), n.Name), Why: "it stands behind " + c.head.Nodes[id].Name + ", which fails"})
			queue = append(queue, next)
		}
	}
}

// behindClause marks nodes that fail because a node before them fails.
const behindClause = "behind"

// lineOf returns the line of the node's file on which a name is. line is the line of the code that was read, 0 if it is not
// known.
func (n *Node) lineOf(name string, line int) int {
	if line > 0 && (n.raw == "" || n.raw == n.code) {
		return line
	}
	text, first := cmp.Or(n.raw, n.code), 1
	if n.raw == "" {
		first = max(1, n.Line)
	}
	name = name[strings.LastIndexByte(name, '.')+1:]
	if name != "" {
		if word, err := regexp.Compile(`(?i)(^|[^\w])` + regexp.QuoteMeta(name) + `($|[^\w])`); err == nil {
			if at := word.FindStringIndex(text); at != nil {
				begin := at[0]
				if text[begin] == '\n' {
					begin++
				}
				return first + strings.Count(text[:begin], "\n")
			}
		}
	}
	return max(1, n.Line)
}

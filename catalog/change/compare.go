package change

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/lineage"
)

// loss is a column that a node of the head does not have any more.
type loss struct {
	change *Change
	// doubt: the node may still have the column.
	doubt bool
}

// losses are the lost columns of a node, by name in lower case.
type losses map[string]loss

func (l losses) sorted() []loss {
	var all []loss
	for _, name := range slices.Sorted(maps.Keys(l)) {
		all = append(all, l[name])
	}
	return all
}

// comparison is a comparison of two states while it is made.
type comparison struct {
	engine     *engine
	base, head *State
	changes    []*Change
	// lost are the lost columns, and forms the forms of renamed columns, both by node of the head. changed are the changes of
	// values by node and column in lower case, "" for all columns of the node.
	lost    map[string]losses
	forms   map[string]map[string]string
	changed map[string]map[string]*Change
	removed map[string]*Change
	// certain and possible are the breaks, by node.
	certain, possible map[string]*Impact
	dependents        map[string][]string
	contracts         []Hurt
}

// Options are the inputs of a comparison besides the states.
type Options struct {
	// Labels returns the tags and terms of personal data that a catalog has of the columns of a node, by the names of columns in
	// lower case; nil for none.
	Labels func(n *Node) map[string][]string
	// Memory has earlier readings of texts, and gets the new ones; nil for none.
	Memory *Memory
}

// Compare says how head differs from base, and which nodes of head that breaks. Both states are read here, and may be used once. An
// error is one of the reader.
func Compare(ctx context.Context, by SQLReader, base, head *State, o Options) (*Result, error) {
	c := &comparison{
		engine: &engine{by: by, memo: map[string][]memo{}, memory: o.Memory}, base: base, head: head, lost: map[string]losses{}, forms: map[string]map[string]string{},
		changed: map[string]map[string]*Change{}, removed: map[string]*Change{}, certain: map[string]*Impact{}, possible: map[string]*Impact{},
	}
	units := base.ordered()
	for i, u := range units {
		c.engine.soon(base, units[i+1:])
		statements, err := c.engine.read(ctx, base, u, base.tables(nil, nil))
		if err != nil {
			return nil, err
		}
		base.fill(u, statements)
	}
	if err := c.readHead(ctx); err != nil {
		return nil, err
	}
	c.dependents = head.dependents()
	c.behind()
	c.flows()
	personal := c.personal(o.Labels)
	return c.result(personal), nil
}

// readHead reads the head, and compares each node with that of base before the nodes after it are read.
func (c *comparison) readHead(ctx context.Context) error {
	inUnit := map[string]bool{}
	for _, u := range c.head.units {
		for _, n := range u.nodes {
			inUnit[n.ID] = true
		}
	}
	for _, id := range c.base.ids() {
		if was := c.base.Nodes[id]; c.head.Nodes[id] == nil && was.isTable() {
			change := c.add(was, Change{Kind: TableRemoved, Sure: 1, How: "the head does not have it"})
			c.removed[id] = change
		}
	}
	for _, id := range c.head.ids() {
		if !inUnit[id] {
			c.node(c.head.Nodes[id])
		}
	}
	units := c.head.ordered()
	for i, u := range units {
		c.engine.soon(c.head, units[i+1:])
		statements, err := c.engine.read(ctx, c.head, u, c.head.tables(nil, c.forms))
		if err != nil {
			return err
		}
		c.head.fill(u, statements)
		for _, n := range u.nodes {
			c.node(n)
		}
		if err := c.breaks(ctx, u); err != nil {
			return err
		}
		for _, n := range u.nodes {
			c.meaning(n)
		}
	}
	for _, id := range c.head.ids() {
		c.withoutCode(c.head.Nodes[id])
	}
	return nil
}

// add adds a change of a node.
func (c *comparison) add(n *Node, change Change) *Change {
	change.Table, change.URN, change.node = n.Name, n.URN(), n.ID
	change.Path = pathOf(change.Column, c.base.Nodes[n.ID], n)
	if change.File == "" {
		change.File, change.Line = n.File, n.Line
	}
	n.alteredAt(&change)
	c.changes = append(c.changes, &change)
	return &change
}

// pathOf returns the path of a column in the catalog, "" if it is the name.
func pathOf(column string, nodes ...*Node) string {
	for _, n := range nodes {
		if n == nil || column == "" {
			continue
		}
		if c := n.column(column); c != nil && c.Path != column {
			return c.Path
		}
	}
	return ""
}

// node compares a node of the head with that of base.
func (c *comparison) node(n *Node) {
	was := c.base.Nodes[n.ID]
	if !n.isTable() {
		return
	}
	if was == nil && n.assumed {
		return // note warns that the columns of the node are not known
	}
	if was == nil {
		c.add(n, Change{Kind: TableAdded, Sure: 1, How: "the base does not have it"})
		return
	}
	c.columns(was, n)
	c.seed(was, n)
}

// meaning compares the expressions and the rows of a node that does not fail. A change that follows from other columns upstream is
// no change of the node.
func (c *comparison) meaning(n *Node) {
	was := c.base.Nodes[n.ID]
	if was == nil || !n.isTable() || was.statement == nil || n.statement == nil || was.code == n.code && n.code != "" || c.certain[n.ID] != nil || unknownNames(was) {
		return
	}
	c.values(was, n)
	c.rows(was, n)
}

// unknownNames reports whether a statement has names that none of its tables has.
func unknownNames(n *Node) bool {
	return slices.ContainsFunc(n.statement.NotUnderstood, func(p lineage.Problem) bool { return p.LacksColumn() })
}

// columns compares the names, orders and types of the columns.
func (c *comparison) columns(was, n *Node) {
	if !was.Known && !was.Described && was.statement == nil {
		return
	}
	if n.statement == nil && n.hasSQL || !n.Known && len(n.Columns) == 0 && len(was.Columns) > 0 && !n.Described {
		return // nothing is known of the columns now
	}
	var dropped, added []int
	for i := range was.Columns {
		if n.column(was.Columns[i].Name) == nil {
			dropped = append(dropped, i)
		}
	}
	for i := range n.Columns {
		if was.column(n.Columns[i].Name) == nil {
			added = append(added, i)
		}
	}
	if !was.Known && !was.Described { // a column with a new name may be one of the unknown columns of base
		added = slices.DeleteFunc(added, func(i int) bool { return n.Columns[i].star })
	}
	doubt := !n.Known
	for _, pair := range c.renames(was, n, dropped, added) {
		from, to := &was.Columns[pair.from], &n.Columns[pair.to]
		change := c.add(n, Change{Kind: ColumnRenamed, Column: from.Name, NewName: to.Name, Sure: pair.sure, How: pair.how, Line: n.lineOf(to.Name, 0), File: n.File})
		c.lose(n, change, doubt)
		if c.forms[n.ID] == nil {
			c.forms[n.ID] = map[string]string{}
		}
		c.forms[n.ID][strings.ToLower(to.Name)] = strings.ToLower(n.ID + "." + from.Name)
		dropped = slices.DeleteFunc(dropped, func(i int) bool { return i == pair.from })
		added = slices.DeleteFunc(added, func(i int) bool { return i == pair.to })
		c.typed(n, from, to)
	}
	for _, i := range dropped {
		change := Change{Kind: ColumnDropped, Column: was.Columns[i].Name, Sure: 1, How: "the head does not have it"}
		if doubt {
			change.Sure, change.How = 0.8, "the head does not name it, and not all of its columns are known"
		}
		if n.Described {
			change.Sure, change.How = 0.5, "the head does not describe it any more"
		}
		change.Because = c.because(&was.Columns[i])
		if change.Because != "" && !doubt {
			change.How = "it was taken by * from " + change.Because
		}
		c.lose(n, c.add(n, change), doubt)
	}
	for _, i := range added {
		c.add(n, Change{Kind: ColumnAdded, Column: n.Columns[i].Name, Sure: 1, How: "the base does not have it", Line: n.lineOf(n.Columns[i].Name, 0), File: n.File})
	}
	for i := range was.Columns {
		if now := n.column(was.Columns[i].Name); now != nil {
			c.typed(n, &was.Columns[i], now)
		}
	}
	c.order(was, n)
}

func (c *comparison) lose(n *Node, change *Change, doubt bool) {
	if c.lost[n.ID] == nil {
		c.lost[n.ID] = losses{}
	}
	c.lost[n.ID][strings.ToLower(change.Column)] = loss{change, doubt}
}

// because returns the lost column upstream that a star has taken.
func (c *comparison) because(was *Column) string {
	if !was.star {
		return ""
	}
	for _, from := range was.sources {
		if _, ok := c.lost[from.Table][strings.ToLower(from.Column)]; ok {
			return c.head.Nodes[from.Table].Name + "." + from.Column
		}
	}
	return ""
}

// order tells that columns have other places.
func (c *comparison) order(was, n *Node) {
	if !was.Known || !n.Known || n.nested {
		return
	}
	var before, after []string
	for i := range was.Columns {
		if n.column(was.Columns[i].Name) != nil {
			before = append(before, strings.ToLower(was.Columns[i].Name))
		}
	}
	for i := range n.Columns {
		if was.column(n.Columns[i].Name) != nil {
			after = append(after, strings.ToLower(n.Columns[i].Name))
		}
	}
	if !slices.Equal(before, after) {
		c.add(n, Change{Kind: Reordered, Sure: 1, How: "the columns are in another order: " + strings.Join(after, ", ")})
	}
}

// typed compares the types of a column, and whether it may be null.
func (c *comparison) typed(n *Node, was, now *Column) {
	if was.NotNull != now.NotNull {
		word := map[bool]string{true: "not null", false: "null"}
		c.add(n, Change{
			Kind: Nullability, Column: now.Name, Sure: 1, OldType: word[was.NotNull], NewType: word[now.NotNull], How: "it is stated so", Narrowed: now.NotNull, File: n.File, Line: n.lineOf(now.Name, 0),
		})
	}
	if was.Type == "" || now.Type == "" || sameType(was.Type, now.Type) {
		c.valued(n, was, now)
		return
	}
	change := Change{
		Kind: ColumnRetyped, Column: now.Name, Sure: 1, OldType: was.Type, NewType: now.Type, Narrowed: narrower(was.Type, now.Type),
		How: fmt.Sprintf("%s became %s", was.Type, now.Type), File: n.File, Line: n.lineOf(now.Name, 0),
	}
	if now.cast == "" && len(now.sources) == 1 && now.sources[0].Table != n.ID {
		if up := c.changed[now.sources[0].Table][strings.ToLower(now.sources[0].Column)]; up != nil && up.Kind == ColumnRetyped {
			change.Because = up.Table + "." + up.Column
			change.How += ", as " + change.Because + " did"
		}
	}
	c.alter(n, now.Name, c.add(n, change))
}

// valued compares the values of an enumeration.
func (c *comparison) valued(n *Node, was, now *Column) {
	lost := slices.DeleteFunc(slices.Clone(was.values), func(v string) bool { return slices.Contains(now.values, v) })
	added := slices.DeleteFunc(slices.Clone(now.values), func(v string) bool { return slices.Contains(was.values, v) })
	if was.values == nil || now.values == nil || len(lost)+len(added) == 0 {
		return
	}
	var how []string
	if len(lost) > 0 {
		how = append(how, "it may no longer be "+strings.Join(lost, ", "))
	}
	if len(added) > 0 {
		how = append(how, "it may be "+strings.Join(added, ", ")+" now")
	}
	c.alter(n, now.Name, c.add(n, Change{
		Kind: ColumnRetyped, Column: now.Name, Sure: 1, OldType: was.Type, NewType: now.Type, Narrowed: len(lost) > 0, How: strings.Join(how, ", and "), File: n.File, Line: n.lineOf(now.Name, 0),
	}))
}

// alter notes that the values of a column are others.
func (c *comparison) alter(n *Node, column string, change *Change) {
	if c.changed[n.ID] == nil {
		c.changed[n.ID] = map[string]*Change{}
	}
	if column = strings.ToLower(column); c.changed[n.ID][column] == nil {
		c.changed[n.ID][column] = change
	}
}

// values compares the expressions of columns that both have.
func (c *comparison) values(was, n *Node) {
	for i := range n.Columns {
		now := &n.Columns[i]
		before := was.column(now.Name)
		if before == nil || before.form == "" || now.form == "" || before.form == now.form {
			continue
		}
		if retyped := c.changed[n.ID][strings.ToLower(now.Name)]; retyped != nil && c.sameSources(before, now) {
			continue // the cast is the change
		}
		change := Change{Kind: MeaningChanged, Column: now.Name, Sure: 1, How: "its expression is another one", File: n.File, Line: n.lineOf(now.Name, 0)}
		if gone := c.missing(before, now); len(gone) > 0 && len(now.sources) < len(before.sources) {
			change.Kind, change.How = LineageLost, "its values no longer come from "+strings.Join(gone, ", ")
		}
		c.alter(n, now.Name, c.add(n, change))
	}
}

func (c *comparison) sameSources(before, now *Column) bool {
	return len(before.sources) == len(now.sources) && len(c.missing(before, now)) == 0
}

// missing returns the sources of a column that it does not have any more. A renamed source is the same one.
func (c *comparison) missing(before, now *Column) []string {
	var gone []string
	for _, from := range before.sources {
		if !slices.ContainsFunc(now.sources, func(s source) bool {
			if s.Table != from.Table {
				return false
			}
			lost, ok := c.lost[s.Table][strings.ToLower(from.Column)]
			return strings.EqualFold(s.Column, from.Column) || ok && strings.EqualFold(lost.change.NewName, s.Column)
		}) {
			name := from.Table
			if n := cmp.Or(c.head.Nodes[from.Table], c.base.Nodes[from.Table]); n != nil {
				name = n.Name
			}
			gone = append(gone, name+"."+from.Column)
		}
	}
	return gone
}

// rows compares the joins, filters, groups and limits.
func (c *comparison) rows(was, n *Node) {
	if len(was.statement.Columns) == 0 || len(n.statement.Columns) == 0 {
		return
	}
	if was.raw == n.raw && n.made.materialized == "incremental" && was.code != n.code {
		return // dbt compiles an incremental model in another way if its table exists
	}
	if was.statement.Rows == n.statement.Rows && c.sameReads(was, n) {
		return
	}
	change := c.add(n, Change{Kind: RowsChanged, Sure: 1, How: "its tables, joins, filters, groups or limits are others"})
	c.alter(n, "", change)
}

func (c *comparison) sameReads(was, n *Node) bool {
	return slices.Equal(was.statement.Reads, n.statement.Reads)
}

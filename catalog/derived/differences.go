package derived

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// A client that reads SQL itself states its lineage of columns with a confidence below 1 (DataHub's client: 0.9, or 0.2 to
// 0.5 if it did not know all tables). Statements of people, databases and other tools have no confidence or 1.

// byParser reports whether an entry of fineGrainedLineages is a statement of a client's SQL parser.
func byParser(entry catalog.Tree) bool {
	confidence, given := jsontree.Number(entry["confidenceScore"])
	return given && confidence < 1
}

// isWhole reports whether statements were understood completely, and read known tables only. Otherwise they contradict
// nobody.
func isWhole(all []lineage.Statement) bool {
	for i := range all {
		s := &all[i]
		if len(s.NotUnderstood) > 0 || slices.ContainsFunc(s.Reads, func(table string) bool { return !strings.HasPrefix(table, "urn:") }) {
			return false
		}
		for k := range s.Columns {
			if s.Columns[k].Output == "*" {
				return false
			}
		}
	}
	return true
}

// claim is one side's sources of a downstream column.
type claim struct {
	sources []string
	// how is the transformOperation, and confidence the lowest one; nil if none is stated.
	how        string
	confidence any
}

// claims are one side's sources by downstream column, in the side's order.
type claims struct {
	of    map[string]*claim
	order []string
	// near has the columns by the first names of their paths, in lower case.
	near map[string][]string
}

func newClaims() claims { return claims{of: map[string]*claim{}, near: map[string][]string{}} }

// firstName returns the first name of a column's path, in lower case.
func firstName(column string) string {
	_, path, _ := model.ColumnOf(model.StoredURN(column))
	first, _, _ := strings.Cut(strings.ToLower(model.PlainPath(path)), ".")
	return first
}

func (c *claims) add(entry catalog.Tree, urns func([]string) []string) {
	for _, down := range urns(jsontree.Texts(entry, "downstreams")) {
		one := c.of[down]
		if one == nil {
			one = &claim{}
			c.of[down] = one
			c.order, c.near[firstName(down)] = append(c.order, down), append(c.near[firstName(down)], down)
		}
		for _, up := range urns(jsontree.Texts(entry, "upstreams")) {
			if !slices.Contains(one.sources, up) {
				one.sources = append(one.sources, up)
			}
		}
		if one.how == "" {
			one.how = jsontree.Text(entry, "transformOperation")
		}
		stated, given := jsontree.Number(entry["confidenceScore"])
		if lowest, known := jsontree.Number(one.confidence); given && (!known || stated < lowest) {
			one.confidence = entry["confidenceScore"]
		}
	}
}

// find returns the claim of a column, also if its URN is spelled differently.
func (c *claims) find(column string) *claim {
	if one := c.of[column]; one != nil {
		return one
	}
	for _, down := range c.near[firstName(column)] {
		if sameColumn(down, column) {
			return c.of[down]
		}
	}
	return &claim{}
}

// comparison compares the statements of a client's SQL parser with the reading of the same SQL.
type comparison struct {
	d *derivation
	// client and own are the flow of values by the two sides. others are the pairs, downstream and upstream, that
	// people, databases and other tools state, or that are only read.
	client, own claims
	others      map[model.EdgeEnds]bool
	// tables are the tables that the SQL reads.
	tables      []string
	differences []catalog.Tree
	disputed    map[model.EdgeEnds]bool
}

// compare returns the differences between a client's SQL parser and the reading of the same SQL, and the upstream columns that
// only disputed statements name.
func (d *derivation) compare(tables []string, entries []any, stated catalog.Tree) *comparison {
	c := &comparison{
		d: d, client: newClaims(), own: newClaims(), others: map[model.EdgeEnds]bool{},
		tables: tables, disputed: map[model.EdgeEnds]bool{},
	}
	for _, entry := range jsontree.Items(stated, "fineGrainedLineages") {
		if byParser(entry) && !isRead(entry) {
			c.client.add(entry, d.urns)
			continue
		}
		for _, down := range d.urns(jsontree.Texts(entry, "downstreams")) {
			for _, up := range d.urns(jsontree.Texts(entry, "upstreams")) {
				c.others[model.EdgeEnds{Source: down, Destination: up}] = true
			}
		}
	}
	if len(c.client.order) == 0 {
		return c
	}
	for _, e := range entries {
		if entry, _ := e.(catalog.Tree); !isRead(entry) {
			c.own.add(entry, d.urns)
		}
	}
	for _, down := range c.client.order {
		c.column(down, c.client.of[down], c.own.find(down))
	}
	for _, down := range c.own.order {
		if len(c.client.find(down).sources) == 0 {
			c.column(down, &claim{}, c.own.of[down])
		}
	}
	if d.urn.EntityType() == model.EntityDataset {
		c.ofTables(stated)
	}
	return c
}

// urns returns URNs in the graph's spelling.
func (d *derivation) urns(texts []string) []string {
	urns := make([]string, 0, len(texts))
	for _, text := range texts {
		if u, err := d.Registry.ReadURN(text); err == nil {
			urns = append(urns, u.String())
		}
	}
	return urns
}

// column compares the two sides' sources of one column.
func (c *comparison) column(down string, client, own *claim) {
	var disputed []string
	for _, up := range client.sources {
		pair := model.EdgeEnds{Source: down, Destination: up}
		if !c.others[pair] && !slices.ContainsFunc(own.sources, func(ours string) bool { return sameColumn(up, ours) }) {
			disputed = append(disputed, up)
		}
	}
	lacks := slices.ContainsFunc(own.sources, func(ours string) bool {
		return !slices.ContainsFunc(client.sources, func(up string) bool { return sameColumn(up, ours) })
	})
	if len(disputed) > 0 || lacks {
		c.add(down, client, own, disputed)
	}
}

func (c *comparison) add(down string, client, own *claim, disputed []string) {
	if len(c.differences) >= limits.MaxLineageDifferences {
		return
	}
	difference := catalog.Tree{"downstream": down, "stated": list(client.sources), "read": list(own.sources)}
	if client.how != "" {
		difference["statedOperation"] = client.how
	}
	if client.confidence != nil {
		difference["confidenceScore"] = client.confidence
	}
	if own.how != "" {
		difference["readOperation"] = own.how
	}
	if len(disputed) > 0 {
		difference["disputed"] = list(disputed)
	}
	for _, up := range disputed {
		c.disputed[model.EdgeEnds{Source: down, Destination: up}] = true
	}
	c.differences = append(c.differences, difference)
}

// ofTables adds the tables that only the client's SQL parser names: everything stated about their columns is disputed,
// nobody drew their edges by hand, and the SQL does not read them.
func (c *comparison) ofTables(stated catalog.Tree) {
	named, undisputed := map[string]bool{}, map[string]bool{}
	for _, down := range c.client.order {
		for _, up := range c.client.of[down].sources {
			if named[tableOf(up)] = true; !c.disputed[model.EdgeEnds{Source: down, Destination: up}] {
				undisputed[tableOf(up)] = true
			}
		}
	}
	for pair := range c.others {
		undisputed[tableOf(pair.Destination)] = true
	}
	var tables, disputed []string
	for _, u := range jsontree.Items(stated, "upstreams") {
		for _, table := range c.d.urns([]string{jsontree.Text(u, "dataset")}) {
			tables = append(tables, table)
			byHand := jsontree.Text(jsontree.Member(u, "properties"), "source") == statements.ManualSource
			reads := slices.ContainsFunc(c.tables, func(ours string) bool { return sameTable(table, ours) })
			if named[table] && !undisputed[table] && !byHand && !reads {
				disputed = append(disputed, table)
			}
		}
	}
	if len(disputed) > 0 {
		c.add(c.d.urn.String(), &claim{sources: tables}, &claim{sources: c.tables}, disputed)
	}
}

// unread returns the upstream columns that only disputed statements name.
func (c *comparison) unread() []string {
	still := map[string]bool{}
	for pair := range c.others {
		still[pair.Destination] = true
	}
	var columns []string
	for _, only := range []bool{false, true} {
		for _, down := range c.client.order {
			for _, up := range c.client.of[down].sources {
				switch disputed := c.disputed[model.EdgeEnds{Source: down, Destination: up}]; {
				case !only && !disputed:
					still[up] = true
				case only && disputed && !still[up]:
					still[up] = true
					columns = append(columns, up)
				}
			}
		}
	}
	return columns
}

// agreed returns stated lineage without the pairs that are disputed, so that the SQL's other facts about these pairs, such as
// that it filters by the column, is not taken for stated.
func (c *comparison) agreed(known *stated) {
	for pair := range c.disputed {
		delete(known.flows, [2]string{pair.Source, pair.Destination})
	}
}

func list(urns []string) []any {
	items := make([]any, len(urns))
	for i, urn := range urns {
		items[i] = urn
	}
	return items
}

// tableOf returns the entity of a column.
func tableOf(column string) string { return model.HolderOf(model.StoredURN(column)) }

// sameColumn reports whether two URNs mean one column: of the same table, with the same path apart from letter case and
// types, or one is a part of the other.
func sameColumn(a, b string) bool {
	if a == b {
		return true
	}
	tableA, pathA, okA := model.ColumnOf(model.StoredURN(a))
	tableB, pathB, okB := model.ColumnOf(model.StoredURN(b))
	if !okA || !okB || !sameTable(tableA.String(), tableB.String()) {
		return false
	}
	pathA, pathB = strings.ToLower(model.PlainPath(pathA)), strings.ToLower(model.PlainPath(pathB))
	return pathA == pathB || strings.HasPrefix(pathA, pathB+".") || strings.HasPrefix(pathB, pathA+".")
}

// sameTable reports whether two URNs mean one table: they differ in letter case at most, or they are a dataset of a platform
// and its twin of the same name on another, such as the dbt model of a table.
func sameTable(a, b string) bool {
	return strings.EqualFold(a, b) || platformOf(a) != platformOf(b) && endsAlike(partsOf(a), partsOf(b))
}

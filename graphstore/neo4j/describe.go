package neo4j

import (
	"maps"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// describe returns what people see of an entity, as far as its URN tells.
func (s *Store) describe(urn string) graphstore.Description {
	if s.people.Describe == nil {
		return graphstore.Description{}
	}
	return s.people.Describe(urn)
}

// describedRow is a row of a node with what people see of it by its URN.
func (s *Store) describedRow(urn string) row {
	d := s.describe(urn)
	shown := row{}
	if d.QualifiedName != "" {
		shown["qualifiedName"] = d.QualifiedName
	}
	if d.Platform != "" {
		shown["platformId"] = d.Platform
	}
	return row{"urn": urn, "name": orNil(d.Name), "fieldPath": orNil(d.FieldPath), "shown": shown}
}

// columnRows gather columns by the entities that they belong to.
type columnRows struct {
	s *Store
	// holders has the columns of each entity, with the properties that they get; nil for
	// one that is removed.
	holders map[string]map[string]row
	// loose are columns that may be left over: their schema, a label or somebody who wrote
	// about them may have been the last that spoke of them.
	loose map[string]bool
	// labels has whether each label of a column is lost.
	labels map[graphstore.ColumnLabel]bool
}

func (s *Store) newColumnRows() columnRows {
	return columnRows{s, map[string]map[string]row{}, map[string]bool{}, map[graphstore.ColumnLabel]bool{}}
}

// hang adds a URN if it is that of a column.
func (c columnRows) hang(urn string) {
	if holder := c.s.describe(urn).Holder; holder != "" {
		c.show(holder, urn, nil)
	}
}

// show adds a column with properties that it gets.
func (c columnRows) show(holder, urn string, properties row) {
	columns := c.holders[holder]
	if columns == nil {
		columns = map[string]row{}
		c.holders[holder] = columns
	}
	if columns[urn] == nil {
		columns[urn] = row{}
	}
	maps.Copy(columns[urn], properties)
}

// addNodes adds what nodes show of columns, the last word about each counts, and the
// entities that are columns themselves.
func (c columnRows) addNodes(nodes []graphstore.NodeUpdate) {
	for i := range nodes {
		c.hang(nodes[i].URN)
		c.addShown(nodes[i].URN, &nodes[i].Shown)
	}
}

func (c columnRows) addShown(holder string, shown *graphstore.Shown) {
	for _, urn := range shown.LostColumns {
		c.show(holder, urn, row{"inSchema": nil, "dataType": nil, "nativeType": nil, "nullable": nil, "description": nil})
		c.loose[urn] = true
	}
	for i := range shown.Columns {
		column := &shown.Columns[i]
		c.show(holder, column.URN, row{
			"inSchema": true, "dataType": orNil(column.DataType), "nativeType": orNil(column.NativeType), "nullable": column.Nullable,
			"description": orNil(column.Description),
		})
	}
	for _, edited := range shown.Edited {
		c.show(holder, edited.URN, row{"editedDescription": orNil(edited.Description)})
		if edited.Description == "" {
			c.loose[edited.URN] = true
		}
	}
	for _, label := range shown.Labels {
		c.hang(label.Column)
		if label.Lost {
			c.loose[label.Column] = true
		}
		lost := label.Lost
		label.Lost = false
		c.labels[label] = lost
	}
}

// rows are the rows of write/columns in the order of their locks, a row with at most
// rowsAtOnce columns.
func (c columnRows) rows() (rows []row) {
	for _, holder := range slices.Sorted(maps.Keys(c.holders)) {
		columns := c.holders[holder]
		list := make([]row, 0, len(columns))
		for _, urn := range slices.Sorted(maps.Keys(columns)) {
			r := c.s.describedRow(urn)
			r["label"], r["shown"] = c.s.label(graphstore.TypeOf(urn)), columns[urn]
			list = append(list, r)
		}
		for part := range slices.Chunk(list, rowsAtOnce) {
			r := c.s.describedRow(holder)
			r["label"], r["columns"] = c.s.label(graphstore.TypeOf(holder)), part
			rows = append(rows, r)
		}
	}
	return rows
}

// labelRows are the rows of labels that columns gain and lose, in the order of their locks.
func (c columnRows) labelRows() (gained, lost []row) {
	for label, isLost := range c.labels {
		r := row{"column": label.Column, "label": label.Label, "term": label.Term, "owner": label.Owner, "aspect": label.Aspect}
		if isLost {
			lost = append(lost, r)
		} else {
			gained = append(gained, r)
		}
	}
	for _, rows := range [][]row{gained, lost} {
		sortBy(rows, "label", "column")
	}
	return gained, lost
}

// looseRows are the URNs of columns that may be left over.
func (c columnRows) looseRows() []string { return slices.Sorted(maps.Keys(c.loose)) }

// portions parts rows of write/columns, so that a part has at most rowsAtOnce columns.
func portions(rows []row) (parts [][]row) {
	begin, columns := 0, 0
	for i, r := range rows {
		n := len(r["columns"].([]row))
		if i > begin && columns+n > rowsAtOnce {
			parts = append(parts, rows[begin:i])
			begin, columns = i, 0
		}
		columns += n
	}
	if begin < len(rows) {
		parts = append(parts, rows[begin:])
	}
	return parts
}

// putColumns hangs columns on the entities that they belong to.
func (t *tx) putColumns(c columnRows) error {
	for _, part := range portions(c.rows()) {
		if err := execRows(t, "write/columns", part); err != nil {
			return err
		}
	}
	return nil
}

// putLabels puts labels on columns, whose nodes and whose own are there, and removes
// columns that are left over.
func (t *tx) putLabels(b *graphstore.Batch) error {
	columns := t.s.newColumnRows()
	columns.addNodes(b.Nodes)
	gained, lost := columns.labelRows()
	if err := execRows(t, "write/drop_labels", lost); err != nil {
		return err
	}
	if err := execRows(t, "write/add_labels", gained); err != nil {
		return err
	}
	return execRows(t, "write/drop_columns", columns.looseRows())
}

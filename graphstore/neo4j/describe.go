package neo4j

import (
	"maps"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// describe returns the description of an entity for people, as far as it follows from the URN.
func (s *Store) describe(urn string) graphstore.Description {
	if s.people.Describe == nil {
		return graphstore.Description{}
	}
	return s.people.Describe(urn)
}

// describedRow returns a row of a node with the description that follows from its URN.
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

// columnRows collects columns by the entities to which they belong.
type columnRows struct {
	s *Store
	// holders has the columns of each entity, with the properties that each column gets. A
	// property with the value nil is removed.
	holders map[string]map[string]row
	// loose are columns that may have to be deleted: their schema, a label or an edited
	// description may have been the last statement about them.
	loose map[string]bool
	// labels tells for each label of a column whether the column loses it.
	labels map[graphstore.ColumnLabel]bool
}

func (s *Store) newColumnRows() columnRows {
	return columnRows{s, map[string]map[string]row{}, map[string]bool{}, map[graphstore.ColumnLabel]bool{}}
}

// hang adds a URN if it names a column.
func (c columnRows) hang(urn string) {
	if holder := c.s.describe(urn).Holder; holder != "" {
		c.show(holder, urn, nil)
	}
}

// show adds a column with properties that it gets. A later call overrides the properties of an
// earlier one.
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

// addNodes adds the columns that nodes show, and the entities that are columns themselves. For
// each column, the last node counts.
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

// rows returns the rows of write/columns in the order of their locks. A row has at most
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

// labelRows returns the rows of labels that columns gain and lose, in the order of their locks.
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

// looseRows returns the URNs of columns that may have to be deleted.
func (c columnRows) looseRows() []string { return slices.Sorted(maps.Keys(c.loose)) }

// portions divides rows of write/columns into parts of at most rowsAtOnce columns.
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

// putColumns creates columns, and connects them to the entities to which they belong.
func (t *tx) putColumns(c columnRows) error {
	for _, part := range portions(c.rows()) {
		if err := execRows(t, "write/columns", part); err != nil {
			return err
		}
	}
	return nil
}

// putLabels adds and removes labels of columns, whose nodes and whose own nodes must exist, and
// deletes columns about which nothing is stated any more.
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

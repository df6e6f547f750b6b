package neo4j

import (
	"maps"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
)

// describe returns what people see of an entity, as far as its URN tells.
func (s *Store) describe(urn string) graphstore.Description {
	if s.description == nil {
		return graphstore.Description{}
	}
	return s.description(urn)
}

// describedRow is a row of a node with what people see of it.
func (s *Store) describedRow(urn string) row {
	d := s.describe(urn)
	return row{"urn": urn, "name": orNil(d.Name), "fieldPath": orNil(d.FieldPath)}
}

// columnRows gather columns by the entities that they belong to.
type columnRows struct {
	s *Store
	// holders has the columns of each entity, and whether its schema lists them; nil
	// if nothing is known of that.
	holders map[string]map[string]any
}

func (s *Store) newColumnRows() columnRows {
	return columnRows{s, map[string]map[string]any{}}
}

// hang adds a URN if it is that of a column.
func (c columnRows) hang(urn string) {
	holder := c.s.describe(urn).Holder
	if holder == "" {
		return
	}
	if _, known := c.of(holder)[urn]; !known {
		c.of(holder)[urn] = nil
	}
}

func (c columnRows) of(holder string) map[string]any {
	columns := c.holders[holder]
	if columns == nil {
		columns = map[string]any{}
		c.holders[holder] = columns
	}
	return columns
}

// addNodes adds the columns that entities gain and lose, the last word of each counts,
// and the entities that are columns themselves.
func (c columnRows) addNodes(nodes []graphstore.NodeUpdate) {
	for i := range nodes {
		n := &nodes[i]
		c.hang(n.URN)
		for _, column := range n.LostColumns {
			c.of(n.URN)[column] = false
		}
		for _, column := range n.GainedColumns {
			c.of(n.URN)[column] = true
		}
	}
}

// rows are the rows of write/columns in the order of their locks, a row with at most
// rowsAtOnce columns, and the columns that a schema has lost.
func (c columnRows) rows() (rows []row, lost []string) {
	for _, holder := range slices.Sorted(maps.Keys(c.holders)) {
		columns := c.holders[holder]
		list := make([]row, 0, len(columns))
		for _, urn := range slices.Sorted(maps.Keys(columns)) {
			r := c.s.describedRow(urn)
			r["label"], r["listed"] = c.s.label(graphstore.TypeOf(urn)), columns[urn]
			list = append(list, r)
			if columns[urn] == false {
				lost = append(lost, urn)
			}
		}
		for part := range slices.Chunk(list, rowsAtOnce) {
			r := c.s.describedRow(holder)
			r["label"], r["columns"] = c.s.label(graphstore.TypeOf(holder)), part
			rows = append(rows, r)
		}
	}
	return rows, lost
}

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

// putColumns hangs columns on the entities that they belong to, and removes those that
// are left over.
func (t *tx) putColumns(c columnRows) error {
	rows, lost := c.rows()
	for _, part := range portions(rows) {
		if err := t.execRows("write/columns", part); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(lost, rowsAtOnce) {
		if err := t.exec("write/drop_columns", map[string]any{"rows": part}); err != nil {
			return err
		}
	}
	return nil
}

package lineage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
)

// Schema is a list of known tables.
type Schema struct {
	// byName has the tables by the last part of their names, in lower case.
	byName map[string][]schemaTable
}

type schemaTable struct {
	parts []string
	table Table
}

// ReadSchema reads a schema of the form {"database.schema.table": {"column": "type"}}. The columns of a table are in
// the order of the text. The fields inside a column are the fields that its type names, as in STRUCT<city STRING>, and
// the columns whose names continue its name, as in address.city. An error names the table that is wrong.
func ReadSchema(r io.Reader) (*Schema, error) {
	d := json.NewDecoder(io.LimitReader(r, limits.MaxSQLScriptBytes+1))
	s := &Schema{byName: map[string][]schemaTable{}}
	if err := jsontree.EachMember(d, func(table string) error {
		var columns []string
		err := jsontree.EachMember(d, func(column string) error {
			var kind any
			if err := d.Decode(&kind); err != nil {
				return err
			}
			named, _ := kind.(string)
			columns = append(columns, column)
			for _, field := range Fields(named) {
				columns = append(columns, column+"."+field)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("table %q: %w", table, err)
		}
		s.Add(Table{Name: table, Columns: columns})
		return nil
	}); err != nil {
		return nil, fmt.Errorf("the schema must be {\"schema.table\": {\"column\": \"type\"}}: %w", err)
	}
	return s, nil
}

// Add adds a table. The dots of its name separate database, schema and table.
func (s *Schema) Add(t Table) {
	parts := strings.Split(t.Name, ".")
	last := strings.ToLower(parts[len(parts)-1])
	s.byName[last] = append(s.byName[last], schemaTable{parts, t})
}

// Tables finds a table by the parts of its name, ignoring letter case. A name with fewer parts
// finds the one table whose name ends with these parts. A name with more parts finds the one table
// whose name is the end of it.
func (s *Schema) Tables(_ context.Context, parts []string) (*Table, error) {
	var found *Table
	best := 0
	for i := range s.byName[strings.ToLower(parts[len(parts)-1])] {
		t := &s.byName[strings.ToLower(parts[len(parts)-1])][i]
		n := min(len(parts), len(t.parts))
		if !strings.EqualFold(strings.Join(parts[len(parts)-n:], "."), strings.Join(t.parts[len(t.parts)-n:], ".")) {
			continue
		}
		switch {
		case n > best:
			found, best = &t.table, n
		case n == best:
			found = nil // the name may mean this table or another
		}
	}
	return found, nil
}

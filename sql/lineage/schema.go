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

// ReadSchema reads a schema of the form {"database.schema.table": {"column": "type"}}. The columns
// of a table are in the order of the text. An error names the table that is wrong.
func ReadSchema(r io.Reader) (*Schema, error) {
	d := json.NewDecoder(io.LimitReader(r, limits.MaxSQLScriptBytes+1))
	s := &Schema{byName: map[string][]schemaTable{}}
	if err := jsontree.EachMember(d, func(table string) error {
		var columns []string
		err := jsontree.EachMember(d, func(column string) error {
			columns = append(columns, column)
			var kind any
			return d.Decode(&kind)
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

// Tables finds a table by the parts of its name, ignoring letter case. A name with fewer parts than
// the table's name finds it if no other table ends like that; so does one with more parts.
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
			found = nil // it may be this one or another
		}
	}
	return found, nil
}

package dbt

import (
	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/connectors/internal/settings"
)

// patterns reads which nodes become entities.
func patterns(r *settings.Reader) dbt.Patterns {
	read := func(from *settings.Reader, name string) dbt.Names { return from.Pattern(name, settings.Pattern{}) }
	place := r.Section("materialized_node_pattern")
	return dbt.Patterns{
		Nodes:     read(r, "node_name_pattern"),
		Databases: read(place, "database_pattern"), Schemas: read(place, "schema_pattern"), Tables: read(place, "table_pattern"),
	}
}

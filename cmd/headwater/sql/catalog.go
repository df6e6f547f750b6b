package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// platforms are the platforms of dialects whose name is not the platform's.
var platforms = map[string]string{
	"postgresql": "postgres", "tsql": "mssql", "sqlserver": "mssql", "greenplum": "postgres",
}

// catalogTables are the tables that a server knows.
type catalogTables struct {
	client                  *client.Client
	platform, instance, env string
	// found are the answers so far, by the name that was asked for.
	found map[string]*lineage.Table
	// urns are the URNs of the tables that were found, by their names in the catalog.
	urns map[string]string
}

// urn returns the URN of a table by its name in the catalog.
func (c *catalogTables) urn(name string) string {
	if c.instance != "" {
		name = c.instance + "." + name
	}
	return "urn:li:dataset:(urn:li:dataPlatform:" + c.platform + "," + name + "," + c.env + ")"
}

// find asks the server for a table: by its name as it is written, in lower case, and in upper case.
func (c *catalogTables) find(ctx context.Context, parts []string) (*lineage.Table, error) {
	name := strings.Join(parts, ".")
	if t, known := c.found[name]; known {
		return t, nil
	}
	names := []string{name, strings.ToLower(name), strings.ToUpper(name)}
	urns := make([]string, len(names))
	for i, n := range names {
		urns[i] = c.urn(n)
		if !isURN(urns[i]) { // no dataset can have this name
			c.found[name] = nil
			return nil, nil
		}
	}
	entities, err := c.client.Entities(ctx, urns, existing)
	if err != nil {
		return nil, err
	}
	c.found[name] = nil
	for i, urn := range urns {
		if !exists(entities[urn]) {
			continue
		}
		t := &lineage.Table{Name: names[i]}
		if stored, ok := entities[urn].Aspects[model.AspectSchemaMetadata]; ok {
			if t.Columns, err = columnsOf(stored.Value); err != nil {
				return nil, fmt.Errorf("schemaMetadata of %s: %w", urn, err)
			}
		}
		c.found[name], c.urns[t.Name] = t, urn
		break
	}
	return c.found[name], nil
}

func isURN(text string) bool {
	_, err := model.ParseURN(text)
	return err == nil
}

// existing are the aspects of which a dataset of the catalog has at least one.
var existing = []string{
	model.AspectSchemaMetadata, model.AspectDatasetProperties, model.AspectUpstreamLineage, model.AspectViewProperties, model.AspectStatus,
}

func exists(e client.Entity) bool {
	return slices.ContainsFunc(existing, func(name string) bool { _, ok := e.Aspects[name]; return ok })
}

// columnsOf returns the columns of a schema, without the fields inside columns.
func columnsOf(schema json.RawMessage) ([]string, error) {
	paths, err := statements.FieldPathsOf(schema)
	if err != nil {
		return nil, err
	}
	columns := []string{}
	for _, p := range paths {
		if path := model.PlainPath(p); !strings.Contains(path, ".") {
			columns = append(columns, path)
		}
	}
	return columns, nil
}

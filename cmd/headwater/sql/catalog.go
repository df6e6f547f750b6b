package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// catalogTables are the tables that a server knows.
type catalogTables struct {
	client *client.Client
	sqllineage.Place
	// found are the answers so far, by the name that was asked for.
	found map[string]*lineage.Table
	// urns are the URNs of the tables that were found, by their names in the catalog.
	urns map[string]string
}

// find asks the server for a table, by the names that sqllineage.Place.Candidates gives.
func (c *catalogTables) find(ctx context.Context, parts []string) (*lineage.Table, error) {
	name := strings.Join(parts, ".")
	if t, known := c.found[name]; known {
		return t, nil
	}
	candidates := c.Candidates(parts)
	urns := make([]string, len(candidates))
	for i := range candidates {
		urns[i] = candidates[i].URN
	}
	if len(urns) == 0 {
		c.found[name] = nil
		return nil, nil
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
		t := &lineage.Table{Name: candidates[i].Name}
		if stored, ok := entities[urn].Aspects[model.AspectSchemaMetadata]; ok {
			if t.Columns, err = sqllineage.ColumnsIn(stored.Value); err != nil {
				return nil, fmt.Errorf("schemaMetadata of %s: %w", urn, err)
			}
		}
		c.found[name], c.urns[t.Name] = t, urn
		break
	}
	return c.found[name], nil
}

// existing are the aspects of which a dataset of the catalog has at least one.
var existing = []string{
	model.AspectSchemaMetadata, model.AspectDatasetProperties, model.AspectUpstreamLineage, model.AspectViewProperties, model.AspectStatus,
}

func exists(e client.Entity) bool {
	return slices.ContainsFunc(existing, func(name string) bool { _, ok := e.Aspects[name]; return ok })
}

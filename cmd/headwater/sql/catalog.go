package sql

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/internal/limits"
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
	// schemas are the moments since which tables have their columns, by the names of the tables; past are their former
	// columns.
	schemas map[string]time.Time
	past    map[string][]formerColumns
	// asked counts the questions about former columns.
	asked int
}

// formerColumns are the columns that a table had from a moment to another one, as far as is known.
type formerColumns struct {
	from, to time.Time
	columns  []string
}

// findAt finds a table with the columns that it had at a moment. If the server does not know the former columns of a
// table, the table has its columns of today. So does each table after limits.SQLPastSchemas questions.
func (c *catalogTables) findAt(ctx context.Context, parts []string, at time.Time) (*lineage.Table, error) {
	t, err := c.find(ctx, parts)
	if err != nil || t == nil || t.Columns == nil || !at.Before(c.schemas[t.Name]) {
		return t, err
	}
	changed := *t
	for _, former := range c.past[t.Name] {
		if !at.Before(former.from) && !at.After(former.to) {
			changed.Columns = former.columns
			return &changed, nil
		}
	}
	if c.asked >= limits.SQLPastSchemas {
		return t, nil
	}
	c.asked++
	var past struct {
		Aspects map[string]client.Aspect `json:"aspects"`
	}
	path := "/entity-at/" + model.EncodeURN(c.urns[t.Name]) + "?asOf=" + strconv.FormatInt(at.UnixMilli(), 10) + "&aspects=List(" + model.AspectSchemaMetadata + ")"
	var refused *client.Error
	if err := c.client.Get(ctx, path, &past); errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		past.Aspects = nil // the catalog knew nothing of the table then
	} else if err != nil {
		return nil, err
	}
	former := formerColumns{to: at, columns: t.Columns} // the columns of that time and before are not known
	if stored, had := past.Aspects[model.AspectSchemaMetadata]; had {
		if former.columns, err = sqllineage.ColumnsIn(stored.Value); err != nil {
			return nil, fmt.Errorf("schemaMetadata of %s: %w", c.urns[t.Name], err)
		}
		former.from = time.UnixMilli(stored.Created.Time)
	}
	c.past[t.Name] = append(c.past[t.Name], former)
	changed.Columns = former.columns
	return &changed, nil
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
			c.schemas[t.Name] = time.UnixMilli(stored.Created.Time)
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

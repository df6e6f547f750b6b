package sql

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// systemActor states the lineage of SQL if nobody else is named.
const systemActor = "urn:li:corpuser:__datahub_system"

// state writes what follows from statements to the catalog.
func (o *options) state(ctx context.Context, e *cli.Environment, tables *catalogTables, statements []lineage.Statement) error {
	now, actor := time.Now(), systemActor
	if e.ActorIs != "" {
		actor = e.ActorIs
	}
	result, err := sqllineage.Of(statements, sqllineage.Given{
		URN: func(table string) (string, bool) {
			if urn, known := tables.urns[table]; known {
				return urn, true
			}
			return tables.urn(table), false
		},
		Stored: func(urn string) (catalog.Tree, error) { return storedLineage(ctx, tables.client, urn) },
		Actor:  actor, Now: now,
	})
	if err != nil {
		return err
	}
	if o.runID == "" {
		o.runID = "sql-" + now.UTC().Format("20060102T150405") + "-" + rand.Text()[:6]
	}
	for some := range slices.Chunk(result.Proposals, limits.DefaultBatch) {
		if err := send(ctx, tables.client, some, o.runID, now); err != nil {
			return err
		}
	}
	return told(e.Stderr, result, o.runID)
}

// storedLineage returns the stored upstreamLineage of a dataset; nil if there is none.
func storedLineage(ctx context.Context, c *client.Client, urn string) (catalog.Tree, error) {
	entity, err := c.Entity(ctx, urn, []string{model.AspectUpstreamLineage})
	var refused *client.Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stored, ok := entity.Aspects[model.AspectUpstreamLineage]
	if !ok {
		return nil, nil
	}
	var tree catalog.Tree
	return tree, json.Unmarshal(stored.Value, &tree)
}

func send(ctx context.Context, c *client.Client, proposals []sqllineage.Proposal, runID string, now time.Time) error {
	bodies := make([]json.RawMessage, len(proposals))
	for i := range proposals {
		body, err := proposals[i].JSON(runID, now)
		if err != nil {
			return err
		}
		bodies[i] = body
	}
	request, err := json.Marshal(map[string]any{"proposals": bodies})
	if err != nil {
		return err
	}
	return c.PostPatiently(ctx, "/aspects?action=ingestProposalBatch", request, nil)
}

// told says what was written.
func told(w io.Writer, result *sqllineage.Result, runID string) error {
	entities := map[string]bool{}
	for i := range result.Proposals {
		entities[result.Proposals[i].URN] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s written in run %s\n", wording.Counted(len(result.Proposals), "aspect", "aspects"),
		wording.Counted(len(entities), "entity", "entities"), runID)
	if len(result.Unknown) > 0 {
		fmt.Fprintf(&b, "not in the catalog, and left out: %s\n", strings.Join(result.Unknown, ", "))
	}
	_, err := io.WriteString(w, screen.Text(b.String()))
	return err
}

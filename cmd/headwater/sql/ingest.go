package sql

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/sending"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// systemActor states the lineage of SQL if nobody else is named, and logActor runs the queries of which a log does not
// say who ran them. Clients name the latter, too.
const (
	systemActor = "urn:li:corpuser:__datahub_system"
	logActor    = "urn:li:corpuser:_ingestion"
)

// given returns the catalog's knowledge of the tables, and the actor who states the lineage.
func (o *options) given(ctx context.Context, e *cli.Environment, tables *catalogTables) sqllineage.Given {
	actor := systemActor
	if o.log {
		actor = logActor
	}
	return sqllineage.Given{
		URN: func(table string) (string, bool) {
			if urn, known := tables.urns[table]; known {
				return urn, true
			}
			return tables.URN(table), false
		},
		Stored:  func(urn string) (catalog.Tree, error) { return storedLineage(ctx, tables.client, urn) },
		Dialect: o.dialect, Platform: "urn:li:dataPlatform:" + tables.Platform,
		Actor: cmp.Or(e.ActorIs, actor), Now: time.Now(),
	}
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

// stated are the proposals of statements, which are made when they are asked for.
type stated struct {
	proposals iter.Seq2[*sqllineage.Proposal, error]
	// unknown are the tables that the catalog does not have, when all proposals were made.
	unknown func() []string
}

// statedBy returns the proposals that the statements of files make.
func statedBy(statements iter.Seq2[*lineage.Statement, error], given sqllineage.Given) stated {
	collector := sqllineage.NewCollector(given)
	return stated{unknown: collector.Unknown, proposals: func(yield func(*sqllineage.Proposal, error) bool) {
		for s, err := range statements {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, p := range collector.Add(s, nil) {
				if !yield(&p, nil) {
					return
				}
			}
		}
		collector.Lineage()(yield)
	}}
}

// sent is the report of sending.
type sent struct {
	*sending.Summary
	NotInCatalog []string `json:"notInCatalog"`
}

// send sends the proposals of statements as "headwater ingest" sends a file.
func (o *options) send(ctx context.Context, e *cli.Environment, name string, what stated) error {
	finish, err := o.sending.Prepare(e)
	if err != nil {
		return err
	}
	defer finish()
	var failure error // Stream wraps it
	source := sending.NewSource(func(yield func(*model.FileProposal, error) bool) {
		for p, err := range what.proposals {
			var record *model.FileProposal
			if err == nil {
				record, err = p.File()
			}
			failure = err
			if !yield(record, err) || err != nil {
				return
			}
		}
	})
	defer source.Close()
	began, options := time.Now(), &o.sending.Options
	bar := e.CountBar(name, 0)
	options.Progress = func(_ int64, records int) { bar.Set(records) }
	summary, err := ingest.Stream(ctx, name, source, *options)
	bar.Finish()
	stopped := sending.IsStopped(err)
	if err != nil && !stopped {
		if err = cmp.Or(failure, err); summary.Succeeded == 0 {
			return err
		}
		return fmt.Errorf("%w (%s; the same command writes all of them)", err, wording.Counted(summary.Succeeded, "record is written", "records are written"))
	}
	if err := o.told(e, &summary, what.unknown(), time.Since(began), stopped); err != nil {
		return err
	}
	return sending.Error(&summary, stopped)
}

// told reports the written proposals. Standard output has the statements, so told writes to standard error, or the last
// line of JSON.
func (o *options) told(e *cli.Environment, summary *ingest.Summary, unknown []string, took time.Duration, stopped bool) error {
	if e.Output == "json" {
		if unknown == nil {
			unknown = []string{}
		}
		line, err := json.Marshal(sent{sending.SummaryOf(&o.sending.Options, summary, took, stopped), unknown})
		if err != nil {
			return err
		}
		_, err = e.Stdout.Write(append(screen.JSON(line), '\n'))
		return err
	}
	sending.ShowRefused(e, summary)
	fmt.Fprintln(e.Stderr, sending.Text(&o.sending.Options, summary, took))
	if len(unknown) > 0 {
		fmt.Fprintln(e.Stderr, screen.Line("not in the catalog, and left out: "+strings.Join(unknown, ", ")))
	}
	return nil
}

// Package dbt reads the artifacts of a dbt project as the source "dbt" of DataHub's Python client does, without it.
package dbt

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// Connector implements connectors.Connector.
type Connector struct {
	// SQL reads the lineage between columns from the compiled code of models.
	SQL *lineage.Reader
	// Stored has the owners and tags that are kept. Without it, they are replaced.
	Stored Stored
}

// Type implements connectors.Connector.
func (*Connector) Type() string { return "dbt" }

// file returns a file of this machine. Files elsewhere are for the client.
func file(r *settings.Reader, name, path string) dbt.File {
	if strings.Contains(path, "://") {
		r.Refuse(name, inBuckets)
	}
	return dbt.FileAt(path)
}

func optional(r *settings.Reader, name string) *dbt.File {
	path := r.Text(name, "")
	if path == "" {
		return nil
	}
	f := file(r, name, path)
	return &f
}

// Unknown implements connectors.Connector.
func (*Connector) Unknown(values map[string]any) []string {
	_, r := read(values)
	return r.Unknown()
}

// Test implements connectors.Connector: the files that the recipe names can be opened.
func (*Connector) Test(_ context.Context, values map[string]any) (*connectors.Capabilities, error) {
	c, r := read(values)
	if err := r.Err(); err != nil {
		return nil, err
	}
	found := &connectors.Capabilities{Basic: opens(c.artifacts.Manifest), Found: map[string]error{}}
	for ability, f := range map[string]*dbt.File{"columns": c.artifacts.Catalog, "freshness": c.artifacts.Sources} {
		found.Found[ability] = errors.New("the recipe does not name the file")
		if f != nil {
			found.Found[ability] = opens(*f)
		}
	}
	for _, f := range c.artifacts.RunResults {
		if err := opens(f); err != nil {
			found.Found["run results"] = err
		}
	}
	return found, nil
}

func opens(f dbt.File) error {
	info, err := os.Stat(f.Name)
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "open", Path: f.Name, Err: errors.New("it is a directory")}
	}
	return err
}

// Read implements connectors.Connector.
func (k *Connector) Read(ctx context.Context, values map[string]any, report *connectors.Report) iter.Seq2[*model.FileProposal, error] {
	return func(yield func(*model.FileProposal, error) bool) {
		proposals, err := k.proposals(ctx, values, report)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range proposals {
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			if !yield(&proposals[i], nil) {
				return
			}
		}
	}
}

func (k *Connector) proposals(ctx context.Context, values map[string]any, report *connectors.Report) ([]model.FileProposal, error) {
	c, r := read(values)
	if err := r.Err(); err != nil {
		return nil, err
	}
	project, err := dbt.Read(c.artifacts)
	if err != nil {
		return nil, err
	}
	for _, note := range project.Notes {
		report.Warn("%s", note)
	}
	c.Now = time.Now()
	if err := k.columns(ctx, c, project, report); err != nil {
		return nil, err
	}
	c.LeftOut = report.Filter
	proposals, notes := project.Proposals(c.Settings)
	for _, note := range notes {
		report.Warn("%s", note)
	}
	if !c.override && k.Stored != nil {
		if err := keepStated(ctx, k.Stored, c.Mappings.Prefix(), proposals); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for i := range proposals {
		if p := &proposals[i]; !seen[p.EntityURN] {
			seen[p.EntityURN] = true
			report.Scan(p.EntityType)
		}
	}
	return proposals, nil
}

// columns reads which columns models have, and from which columns they follow.
func (k *Connector) columns(ctx context.Context, c *config, project *dbt.Project, report *connectors.Report) error {
	if c.noInference || k.SQL == nil {
		return nil
	}
	unread, err := project.ReadColumns(ctx, k.SQL, c.Platform)
	for _, note := range unread {
		report.Warn("%s", note)
	}
	if err != nil {
		return err
	}
	project.InferColumns()
	return nil
}

// Package sqlite reads files of SQLite as the source "sqlalchemy" of DataHub's Python client does, without it. The
// client reads every database by this source for which it has no source of its own; this package reads only SQLite.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"iter"
	"os"
	"time"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/internal/sqlite"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// Connector implements connectors.Connector.
type Connector struct {
	// SQL reads the lineage of views.
	SQL *lineage.Reader
}

// Type implements connectors.Connector.
func (*Connector) Type() string { return "sqlalchemy" }

// Unknown implements connectors.Connector.
func (*Connector) Unknown(values map[string]any) []string {
	_, r := read(values)
	return r.Unknown()
}

// Test implements connectors.Connector.
func (*Connector) Test(ctx context.Context, values map[string]any) (*connectors.Capabilities, error) {
	c, r := read(values)
	if err := r.Err(); err != nil {
		return nil, err
	}
	found := &connectors.Capabilities{Found: map[string]error{}}
	db, err := (&driver{c}).Open(ctx, c.path)
	if err != nil {
		found.Basic = r.Without(err)
		return found, nil
	}
	db.Close()
	for _, ability := range []string{"tables", "view lineage", "row counts"} {
		found.Found[ability] = nil
	}
	found.Found["sizes"] = errors.New("SQLite does not tell the sizes of tables")
	return found, nil
}

// Read implements connectors.Connector.
func (k *Connector) Read(ctx context.Context, values map[string]any, report *connectors.Report) iter.Seq2[*model.FileProposal, error] {
	c, r := read(values)
	if err := r.Err(); err != nil {
		return func(yield func(*model.FileProposal, error) bool) { yield(nil, err) }
	}
	reading := &relational.Reading{Config: c.Config, Driver: &driver{c}, Report: report, SQL: k.SQL, Now: time.Now()}
	return relational.Hidden(reading.Proposals(ctx), report, r)
}

// driver implements relational.Driver.
type driver struct{ *config }

// Databases implements relational.Driver.
func (d *driver) Databases(context.Context) ([]string, error) { return []string{d.path}, nil }

// Open implements relational.Driver.
func (d *driver) Open(ctx context.Context, path string) (relational.Database, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("it is a directory")}
	}
	if err != nil {
		return nil, err
	}
	db, err := sqlite.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &database{path: path, db: db}, nil
}

// database implements relational.Database.
type database struct {
	path string
	db   *sql.DB
}

// Close implements relational.Database.
func (d *database) Close() { _ = d.db.Close() } // the database has only been read

// Container implements relational.Database.
func (d *database) Container() string { return d.path }

// Dataset implements relational.Database.
func (d *database) Dataset(schema, table string) string { return schema + "." + table }

// Dialect implements relational.Database.
func (d *database) Dialect() string { return "sqlite" }

// Path implements relational.Database.
func (d *database) Path() []string { return []string{mainSchema} }

// mainSchema is the name of a file's schema.
const mainSchema = "main"

// Schemas implements relational.Database.
func (d *database) Schemas(context.Context) ([]string, error) { return []string{mainSchema}, nil }

// Procedures implements relational.Database: SQLite has none.
func (d *database) Procedures(context.Context, string) ([]relational.Procedure, error) {
	return nil, nil
}

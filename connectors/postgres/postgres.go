// Package postgres reads databases of PostgreSQL as the source "postgres" of DataHub's Python client does, without it.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// Connector implements connectors.Connector.
type Connector struct {
	// SQL reads the lineage of views and procedures.
	SQL *lineage.Reader

	memory *connectors.Memory
}

// Remember implements connectors.Counting.
func (k *Connector) Remember(memory *connectors.Memory) { k.memory = memory }

// Type implements connectors.Connector.
func (*Connector) Type() string { return "postgres" }

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
	d := &driver{c}
	found := &connectors.Capabilities{Found: map[string]error{}}
	names, err := d.Databases(ctx)
	if err == nil && len(names) == 0 {
		err = errors.New("the server has no database that may be connected to")
	}
	if err != nil {
		found.Basic = r.Without(err)
		return found, nil
	}
	opened, err := d.Open(ctx, names[0])
	if err != nil {
		found.Basic = r.Without(err)
		return found, nil
	}
	defer opened.Close()
	db := opened.(*database)
	questions := map[string]string{
		"tables":       `SELECT count(*) FROM pg_catalog.pg_class`,
		"view lineage": `SELECT count(*) FROM (SELECT 1 FROM pg_catalog.pg_depend JOIN pg_catalog.pg_rewrite ON pg_rewrite.oid = pg_depend.objid LIMIT 1) AS one`,
		"row counts":   `SELECT sum(reltuples)::bigint FROM pg_catalog.pg_class`,
		"sizes":        `SELECT pg_catalog.pg_table_size('pg_catalog.pg_class'::regclass)`,
	}
	if c.Usage.Enabled {
		questions["usage"] = `SELECT count(*) FROM pg_stat_statements`
	}
	for ability, query := range questions {
		var number *int64
		found.Found[ability] = r.Without(db.conn.one(ctx, []any{&number}, query))
	}
	return found, nil
}

// Read implements connectors.Connector.
func (k *Connector) Read(ctx context.Context, values map[string]any, report *connectors.Report) iter.Seq2[*model.FileProposal, error] {
	c, r := read(values)
	if err := r.Err(); err != nil {
		return func(yield func(*model.FileProposal, error) bool) { yield(nil, err) }
	}
	reading := &relational.Reading{Config: c.Config, Driver: &driver{c}, Report: report, SQL: k.SQL, Now: time.Now(), Memory: k.memory}
	return relational.Hidden(reading.Proposals(ctx), report, r)
}

// driver implements relational.Driver.
type driver struct{ *config }

// connect opens a connection that can only read.
func (d *driver) connect(ctx context.Context, database string) (conn, error) {
	settings, err := d.connection(database)
	if err != nil {
		return conn{}, err
	}
	opened, err := pgconn.ConnectConfig(ctx, settings)
	if err != nil {
		return conn{}, err
	}
	c := conn{opened}
	if err := cmp.Or(c.do(ctx, "SET default_transaction_read_only = on"), c.do(ctx, "SET DateStyle = 'ISO, YMD'")); err != nil {
		return conn{}, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// Databases implements relational.Driver.
func (d *driver) Databases(ctx context.Context) ([]string, error) {
	switch {
	case d.byURI:
		return []string{d.connected}, nil
	case d.named != "":
		return []string{d.named}, nil
	}
	c, err := d.connect(ctx, d.initial)
	if err != nil {
		return nil, err
	}
	defer c.Close(context.WithoutCancel(ctx))
	return c.strings(ctx, `SELECT datname::text FROM pg_catalog.pg_database
		WHERE datname NOT IN ('template0', 'template1', 'rdsadmin') AND datallowconn ORDER BY datname`)
}

// Open implements relational.Driver.
func (d *driver) Open(ctx context.Context, name string) (relational.Database, error) {
	c, err := d.connect(ctx, name)
	if err != nil {
		return nil, err
	}
	db := &database{config: d.config, conn: c}
	if err := c.one(ctx, []any{&db.name, &db.path}, `SELECT current_database()::text, pg_catalog.current_schemas(false)::text[]`); err != nil {
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return db, nil
}

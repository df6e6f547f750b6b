// Package postgres reads databases of PostgreSQL as the source "postgres" of DataHub's Python client does, without it.
package postgres

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

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
		found.Found[ability] = r.Without(db.conn.QueryRow(ctx, query).Scan(&number))
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
func (d *driver) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	c, err := d.connection(database)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, "SET default_transaction_read_only = on", pgx.QueryExecModeSimpleProtocol)
	if err == nil {
		_, err = conn.Exec(ctx, "SET DateStyle = 'ISO, YMD'", pgx.QueryExecModeSimpleProtocol)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	return conn, nil
}

// Databases implements relational.Driver.
func (d *driver) Databases(ctx context.Context) ([]string, error) {
	switch {
	case d.byURI:
		return []string{d.connected}, nil
	case d.named != "":
		return []string{d.named}, nil
	}
	conn, err := d.connect(ctx, d.initial)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rows, err := conn.Query(ctx, `SELECT datname::text FROM pg_catalog.pg_database
		WHERE datname NOT IN ('template0', 'template1', 'rdsadmin') AND datallowconn ORDER BY datname`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Open implements relational.Driver.
func (d *driver) Open(ctx context.Context, name string) (relational.Database, error) {
	conn, err := d.connect(ctx, name)
	if err != nil {
		return nil, err
	}
	db := &database{config: d.config, conn: conn}
	if err := conn.QueryRow(ctx, `SELECT current_database()::text, pg_catalog.current_schemas(false)::text[]`).Scan(&db.name, &db.path); err != nil {
		return nil, errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	return db, nil
}

// Package mysql reads databases of MySQL and MariaDB as the sources "mysql" and "mariadb" of DataHub's Python client do,
// without it.
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// Connector implements connectors.Connector.
type Connector struct {
	// Platform is the type of the source, and the platform in URNs: mysql or mariadb.
	Platform string
	// SQL reads the lineage of views and procedures.
	SQL *lineage.Reader

	memory *connectors.Memory
}

// Remember implements connectors.Counting.
func (k *Connector) Remember(memory *connectors.Memory) { k.memory = memory }

// Type implements connectors.Connector.
func (k *Connector) Type() string { return k.Platform }

// Unknown implements connectors.Connector.
func (k *Connector) Unknown(values map[string]any) []string {
	_, r := read(k.Platform, values)
	return r.Unknown()
}

// Test implements connectors.Connector.
func (k *Connector) Test(ctx context.Context, values map[string]any) (*connectors.Capabilities, error) {
	c, r := read(k.Platform, values)
	if err := r.Err(); err != nil {
		return nil, err
	}
	found := &connectors.Capabilities{Found: map[string]error{}}
	opened, err := (&driver{c}).Open(ctx, c.database)
	if err != nil {
		found.Basic = r.Without(err)
		return found, nil
	}
	defer opened.Close()
	db := opened.(*database)
	questions := map[string]string{
		"tables":       "SELECT count(*) FROM (SELECT 1 FROM information_schema.TABLES LIMIT 1) AS one",
		"view lineage": "SELECT count(*) FROM (SELECT 1 FROM information_schema.VIEWS LIMIT 1) AS one",
		"row counts":   "SELECT count(*) FROM (SELECT TABLE_ROWS, DATA_LENGTH, UPDATE_TIME FROM information_schema.TABLES LIMIT 1) AS one",
	}
	if c.Usage.Enabled {
		questions["usage"] = "SELECT count(*) FROM (SELECT 1 FROM performance_schema.events_statements_summary_by_digest LIMIT 1) AS one"
	}
	for ability, query := range questions {
		var number int64
		found.Found[ability] = r.Without(db.db.QueryRowContext(ctx, query).Scan(&number))
	}
	return found, nil
}

// Read implements connectors.Connector.
func (k *Connector) Read(ctx context.Context, values map[string]any, report *connectors.Report) iter.Seq2[*model.FileProposal, error] {
	c, r := read(k.Platform, values)
	if err := r.Err(); err != nil {
		return func(yield func(*model.FileProposal, error) bool) { yield(nil, err) }
	}
	reading := &relational.Reading{Config: c.Config, Driver: &driver{c}, Report: report, SQL: k.SQL, Now: time.Now(), Memory: k.memory}
	return relational.Hidden(reading.Proposals(ctx), report, r)
}

// driver implements relational.Driver.
type driver struct{ *config }

// Databases implements relational.Driver. The server's own databases are read only if the recipe names one.
func (d *driver) Databases(ctx context.Context) ([]string, error) {
	if d.database != "" {
		return []string{d.database}, nil
	}
	opened, err := d.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return opened.(*database).texts(ctx, `SELECT SCHEMA_NAME FROM information_schema.SCHEMATA
		WHERE SCHEMA_NAME NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys') ORDER BY SCHEMA_NAME`)
}

// Open implements relational.Driver. The connection can only read.
func (d *driver) Open(ctx context.Context, name string) (relational.Database, error) {
	c, err := d.connection(name)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1) // settings of the session hold for all statements
	db.SetConnMaxIdleTime(0)
	if _, err := db.ExecContext(ctx, "SET SESSION TRANSACTION READ ONLY"); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &database{config: d.config, name: name, db: db}, nil
}

// database implements relational.Database.
type database struct {
	*config
	name string
	db   *sql.DB
}

// Close implements relational.Database.
func (d *database) Close() { _ = d.db.Close() } // the database has only been read

// Container implements relational.Database.
func (d *database) Container() string { return d.name }

// Dataset implements relational.Database.
func (d *database) Dataset(schema, table string) string { return schema + "." + table }

// Dialect implements relational.Database.
func (d *database) Dialect() string { return "mysql" }

// Path implements relational.Database.
func (d *database) Path() []string { return []string{d.name} }

// Schemas implements relational.Database.
func (d *database) Schemas(context.Context) ([]string, error) { return []string{d.name}, nil }

// texts returns the rows of a statement with one column.
func (d *database) texts(ctx context.Context, statement string, arguments ...any) ([]string, error) {
	var list []string
	var text string
	err := d.each(ctx, statement, arguments, []any{&text}, func() { list = append(list, text) })
	return list, err
}

// each calls a function for each row of a statement.
func (d *database) each(ctx context.Context, statement string, arguments, into []any, row func()) error {
	rows, err := d.db.QueryContext(ctx, statement, arguments...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		row()
	}
	return rows.Err()
}

// Procedures implements relational.Database.
func (d *database) Procedures(ctx context.Context, schema string) ([]relational.Procedure, error) {
	var list []relational.Procedure
	var name string
	var code, language *string
	err := d.each(ctx, `SELECT ROUTINE_NAME, ROUTINE_DEFINITION, EXTERNAL_LANGUAGE FROM information_schema.ROUTINES
		WHERE ROUTINE_TYPE = 'PROCEDURE' AND ROUTINE_SCHEMA = ? ORDER BY ROUTINE_NAME`, []any{schema}, []any{&name, &code, &language}, func() {
		p := relational.Procedure{Name: name, Language: "SQL"}
		if language != nil && *language != "" {
			p.Language = *language
		}
		if code != nil {
			p.Definition = *code
		}
		list = append(list, p)
	})
	return list, err
}

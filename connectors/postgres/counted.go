package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/internal/limits"
)

// The codes of PostgreSQL for a table that the user may not read, and for a library that the server has not loaded.
const (
	notPermitted = "42501"
	notLoaded    = "55000"
)

// Statements implements relational.StatementCounter, by the extension pg_stat_statements of the database.
func (d *database) Statements(ctx context.Context, u *relational.Usage) ([]relational.Counted, error) {
	var schema *string
	var since *time.Time
	err := d.conn.QueryRow(ctx, `SELECT (SELECT n.nspname::text FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
		WHERE e.extname = 'pg_stat_statements')`).Scan(&schema)
	if err != nil {
		return nil, err
	}
	if schema == nil {
		return nil, &relational.NotCountedError{Why: "the database does not have the extension pg_stat_statements"}
	}
	view := pgx.Identifier{*schema, "pg_stat_statements"}.Sanitize()
	// Releases before PostgreSQL 14 do not say since when they count.
	if err := d.conn.QueryRow(ctx, "SELECT stats_reset FROM "+pgx.Identifier{*schema, "pg_stat_statements_info"}.Sanitize()).Scan(&since); err != nil {
		since = nil
	}
	rows, err := d.conn.Query(ctx, `
		SELECT s.queryid::text, s.query, coalesce(r.rolname::text, ''), sum(s.calls)::bigint
		FROM `+view+` s
		JOIN pg_catalog.pg_database b ON b.oid = s.dbid
		LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.userid
		WHERE b.datname = current_database() AND s.queryid IS NOT NULL AND s.query <> '<insufficient privilege>' AND s.calls >= $1
		GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 3 LIMIT $2`, u.Least, limits.MaxCountedStatements)
	if err != nil {
		return nil, notCounted(err)
	}
	var list []relational.Counted
	var one relational.Counted
	_, err = pgx.ForEachRow(rows, []any{&one.ID, &one.Text, &one.User, &one.Calls}, func() error {
		if int64(len(list)) == u.Most || u.Excluded(one.Text) {
			return nil
		}
		if one.Since = (time.Time{}); since != nil {
			one.Since = *since
		}
		list = append(list, one)
		return nil
	})
	return list, notCounted(err)
}

// notCounted turns errors that say that the user may not read the statements, or that nobody counts them.
func notCounted(err error) error {
	var answered *pgconn.PgError
	if errors.As(err, &answered) && (answered.Code == notPermitted || answered.Code == notLoaded) {
		return &relational.NotCountedError{Why: answered.Message}
	}
	return err
}

// changes reads how many rows the database has counted as inserted, updated and deleted.
func (d *database) changes(ctx context.Context, ids string, byID map[uint32]*relation) error {
	rows, err := d.conn.Query(ctx, `SELECT s.relid, s.n_tup_ins + s.n_tup_upd + s.n_tup_del FROM pg_catalog.pg_stat_all_tables s
		JOIN pg_catalog.pg_class c ON c.oid = s.relid WHERE s.relid = ANY($1::oid[]) AND c.relkind = 'r'`, ids)
	if err != nil {
		return err
	}
	var id uint32
	var counted *int64
	_, err = pgx.ForEachRow(rows, []any{&id, &counted}, func() error {
		if counted != nil {
			n := *counted
			byID[id].Changes = &n
		}
		return nil
	})
	return err
}

// commits tells how much a connection knows of the times of commits.
type commits struct {
	asked, recorded bool
	left            time.Duration
}

// Committed implements relational.Committer. The server knows the times if track_commit_timestamp is on. Finding the
// newest one reads the whole table, so large tables are left out, and so are tables for which no time is left.
func (d *database) Committed(ctx context.Context, t *relational.Table) (*time.Time, error) {
	if !d.commits.asked {
		d.commits.asked, d.commits.left = true, limits.CommitSeconds*time.Second
		var setting string
		if err := d.conn.QueryRow(ctx, "SELECT current_setting('track_commit_timestamp')").Scan(&setting); err != nil {
			return nil, err
		}
		d.commits.recorded = setting == "on"
	}
	if !d.commits.recorded || d.commits.left <= 0 || t.Rows != nil && *t.Rows > limits.MaxCommitRows {
		return nil, nil
	}
	if _, err := d.conn.Exec(ctx, fmt.Sprintf("SET statement_timeout = %d", d.commits.left.Milliseconds()+1), pgx.QueryExecModeSimpleProtocol); err != nil {
		return nil, err
	}
	began := time.Now()
	var at *time.Time
	err := d.conn.QueryRow(ctx, "SELECT max(pg_catalog.pg_xact_commit_timestamp(xmin)) FROM "+pgx.Identifier{t.Schema, t.Name}.Sanitize()).Scan(&at)
	d.commits.left -= time.Since(began)
	if _, failure := d.conn.Exec(ctx, "RESET statement_timeout", pgx.QueryExecModeSimpleProtocol); failure != nil {
		return nil, errors.Join(err, failure)
	}
	var answered *pgconn.PgError
	if errors.As(err, &answered) && (answered.Code == notPermitted || answered.Code == canceled) {
		return nil, nil // the user may not read the table, or reading takes too long; the counters tell the change less exactly
	}
	return at, err
}

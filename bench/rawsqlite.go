package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the compared library
)

// rawSQLite does the work with the bare library, in a file of its own.
type rawSQLite struct {
	db *sql.DB
	// mu lets several clients write one after the other, because SQLite has a single writer.
	mu sync.Mutex
}

const pragmas = "?_pragma=page_size(8192)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(10000)&_pragma=cache_size(-16384)"

func openRawSQLite(dir string) (*rawSQLite, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "headwater.db")+pragmas)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4)
	return &rawSQLite{db: db}, nil
}

// rowsImage has every row of a database by table, and the statements that make the tables.
type rowsImage struct {
	schema []string
	tables []tableImage
	rows   int
}

type tableImage struct {
	insert string
	rows   [][]any
}

// read reads the image of the data that Headwater stored.
func (r *rawSQLite) read(ctx context.Context) (*rowsImage, error) {
	img := &rowsImage{}
	var names []string
	objects, err := r.db.QueryContext(ctx, "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC")
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	for objects.Next() {
		var kind, name, ddl string
		if err := objects.Scan(&kind, &name, &ddl); err != nil {
			return nil, err
		}
		img.schema = append(img.schema, ddl)
		if kind == "table" {
			names = append(names, name)
		}
	}
	if err := objects.Err(); err != nil {
		return nil, err
	}
	for _, name := range names {
		t, err := r.table(ctx, name)
		if err != nil {
			return nil, err
		}
		img.rows += len(t.rows)
		img.tables = append(img.tables, t)
	}
	return img, nil
}

func (r *rawSQLite) table(ctx context.Context, name string) (tableImage, error) {
	rows, err := r.db.QueryContext(ctx, "SELECT * FROM "+name)
	if err != nil {
		return tableImage{}, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return tableImage{}, err
	}
	t := tableImage{insert: "INSERT INTO " + name + " VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return t, err
		}
		t.rows = append(t.rows, values)
	}
	return t, rows.Err()
}

// rowsPerTransaction is about the number of rows that a thousand proposals write.
const rowsPerTransaction = 6000

// write writes an image in large transactions, with one prepared statement for each table.
func (r *rawSQLite) write(ctx context.Context, img *rowsImage) error {
	for _, ddl := range img.schema {
		if _, err := r.db.ExecContext(ctx, ddl); err != nil {
			return err
		}
	}
	for _, t := range img.tables {
		for start := 0; start < len(t.rows); start += rowsPerTransaction {
			if err := r.insert(ctx, t.insert, t.rows[start:min(start+rowsPerTransaction, len(t.rows))]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rawSQLite) insert(ctx context.Context, insert string, rows [][]any) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	stmt, err := tx.PrepareContext(ctx, insert)
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	defer stmt.Close()
	for _, row := range rows {
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// upsert is one durable write of a new value in Headwater's form: the former version is
// archived, and the new version and its change are inserted.
func (r *rawSQLite) upsert(ctx context.Context, urn, value string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	var id, entity int64
	err = tx.QueryRowContext(ctx, `SELECT l.id, e.id FROM entity e JOIN latest l ON l.id BETWEEN e.id * 4096 AND e.id * 4096 + 4095
		JOIN name n ON n.id = l.id % 4096 WHERE e.urn = ? AND n.text = 'aspect:datasetProperties'`, urn).Scan(&id, &entity)
	for _, statement := range []struct {
		text string
		args []any
	}{
		{`INSERT INTO version SELECT * FROM latest WHERE id = ?`, []any{id}},
		{`UPDATE latest SET seq = seq + 1, created_on = created_on + 1, value = ?2 WHERE id = ?1`, []any{id, value}},
		{`INSERT INTO change (time, actor, kind, entity, aspect, value_seq, previous_seq) VALUES (1, 1, 1, ?2, ?1 % 4096, 2, 1)`, []any{id, entity}},
	} {
		if err == nil {
			_, err = tx.ExecContext(ctx, statement.text, statement.args...)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("upsert: %w", err), tx.Rollback())
	}
	return tx.Commit()
}

func (r *rawSQLite) readAspect(ctx context.Context, urn string) error {
	var value string
	return r.db.QueryRowContext(ctx, `SELECT l.value FROM entity e JOIN name n ON n.text = 'aspect:datasetProperties'
		JOIN latest l ON l.id = e.id * 4096 + n.id WHERE e.urn = ?`, urn).Scan(&value)
}

func (r *rawSQLite) oneHop(ctx context.Context, urn string) error {
	rows, err := r.db.QueryContext(ctx, `SELECT d.urn FROM entity e JOIN name n ON n.text = 'DownstreamOf'
		JOIN edge x ON x.src = e.id AND x.type = n.id JOIN entity d ON d.id = x.dst WHERE e.urn = ? ORDER BY d.urn`, urn)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var other string
		if err := rows.Scan(&other); err != nil {
			return err
		}
	}
	return rows.Err()
}

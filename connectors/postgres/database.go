package postgres

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/headwater-io/headwater/connectors/internal/relational"
)

// pageTables is how many tables are read together.
const pageTables = 500

// database implements relational.Database.
type database struct {
	*config
	conn *pgx.Conn
	name string
	path []string

	commits commits
}

// Close implements relational.Database.
func (d *database) Close() { _ = d.conn.Close(context.Background()) } // the connection has only read

// Container implements relational.Database.
func (d *database) Container() string { return d.name }

// Dataset implements relational.Database.
func (d *database) Dataset(schema, table string) string {
	if d.named != "" {
		return d.named + "." + schema + "." + table
	}
	return d.name + "." + schema + "." + table
}

// Dialect implements relational.Database.
func (d *database) Dialect() string { return "postgres" }

// Path implements relational.Database.
func (d *database) Path() []string { return d.path }

// Schemas implements relational.Database.
func (d *database) Schemas(ctx context.Context) ([]string, error) {
	rows, err := d.conn.Query(ctx, `SELECT nspname::text FROM pg_catalog.pg_namespace WHERE nspname NOT LIKE 'pg\_%' ORDER BY nspname`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// relation is a table with the id that the database has for it.
type relation struct {
	id uint32
	relational.Table
}

// Tables implements relational.Database. The relations of a schema are read first, and everything about them in pages.
func (d *database) Tables(ctx context.Context, schema string, what relational.What) iter.Seq2[*relational.Table, error] {
	return func(yield func(*relational.Table, error) bool) {
		relations, err := d.relations(ctx, schema, what)
		if err != nil {
			yield(nil, err)
			return
		}
		for page := range slices.Chunk(relations, pageTables) {
			if err := d.details(ctx, page); err != nil {
				yield(nil, err)
				return
			}
			for i := range page {
				if !yield(&page[i].Table, nil) {
					return
				}
				page[i].Table = relational.Table{} // a table that was handed out need not be kept
			}
		}
	}
}

func (d *database) relations(ctx context.Context, schema string, what relational.What) ([]relation, error) {
	var kinds []string
	if what.Tables {
		kinds = append(kinds, "r", "p")
	}
	if what.Views {
		kinds = append(kinds, "v", "m")
	}
	size := "NULL::bigint"
	if what.Sizes {
		size = "pg_catalog.pg_table_size(c.oid)"
	}
	rows, err := d.conn.Query(ctx, `
		SELECT c.oid, c.relname::text, c.relkind::text, c.reltuples::bigint, `+size+`, x.description
		FROM pg_catalog.pg_class c
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		LEFT JOIN pg_catalog.pg_description x ON x.objoid = c.oid AND x.objsubid = 0 AND x.classoid = 'pg_catalog.pg_class'::regclass
		WHERE n.nspname = $1 AND c.relkind::text = ANY(string_to_array($2, ',')) AND c.relpersistence <> 't'
		ORDER BY c.relkind IN ('v', 'm'), c.relname`, schema, strings.Join(kinds, ","))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (relation, error) {
		r := relation{Table: relational.Table{Schema: schema}}
		var kind string
		var estimate int64
		err := row.Scan(&r.id, &r.Name, &kind, &estimate, &r.Bytes, &r.Comment)
		r.View, r.Materialized = kind == "v" || kind == "m", kind == "m"
		if estimate >= 0 && !r.View {
			r.Rows = &estimate
		}
		return r, err
	})
}

// details reads the columns, keys and definitions of a page of relations.
func (d *database) details(ctx context.Context, page []relation) error {
	byID := map[uint32]*relation{}
	ids, views := make([]string, len(page)), []string{}
	for i := range page {
		byID[page[i].id] = &page[i]
		ids[i] = strconv.FormatUint(uint64(page[i].id), 10)
		if page[i].View {
			views = append(views, ids[i])
		}
	}
	steps := []struct {
		what string
		ids  []string
		read func(context.Context, string, map[uint32]*relation) error
	}{
		{"columns", ids, d.columns},
		{"keys", ids, d.keys},
		{"definitions of views", views, d.definitions},
		{"sources of views", views, d.sources},
		{"changed rows", ids, d.changes},
	}
	for _, step := range steps {
		if len(step.ids) == 0 {
			continue
		}
		if err := step.read(ctx, "{"+strings.Join(step.ids, ",")+"}", byID); err != nil {
			return fmt.Errorf("the %s: %w", step.what, err)
		}
	}
	return nil
}

func (d *database) columns(ctx context.Context, ids string, byID map[uint32]*relation) error {
	rows, err := d.conn.Query(ctx, `
		SELECT a.attrelid, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull OR (t.typtype = 'd' AND t.typnotnull),
			coalesce(e.typtype, t.typtype)::text, x.description
		FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
		LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
		LEFT JOIN pg_catalog.pg_description x ON x.objoid = a.attrelid AND x.objsubid = a.attnum AND x.classoid = 'pg_catalog.pg_class'::regclass
		WHERE a.attrelid = ANY($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY a.attrelid, a.attnum`, ids)
	if err != nil {
		return err
	}
	var id uint32
	var name, format, kind string
	var notNull bool
	var comment *string
	_, err = pgx.ForEachRow(rows, []any{&id, &name, &format, &notNull, &kind, &comment}, func() error {
		r := byID[id]
		c := relational.Column{Name: name, Nullable: !notNull}
		if comment != nil {
			text := *comment
			c.Comment = &text
		}
		c.Native, c.Kind, c.Class = typeOf(format, kind)
		r.Columns = append(r.Columns, c)
		return nil
	})
	return err
}

func (d *database) keys(ctx context.Context, ids string, byID map[uint32]*relation) error {
	rows, err := d.conn.Query(ctx, `
		SELECT k.conrelid, k.contype::text, k.conname::text, n.nspname::text, f.relname::text,
			ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(n, i) JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.i),
			ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(n, i) JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY u.i)
		FROM pg_catalog.pg_constraint k
		LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
		LEFT JOIN pg_catalog.pg_namespace n ON n.oid = f.relnamespace
		WHERE k.conrelid = ANY($1::oid[]) AND k.contype IN ('p', 'f')
		ORDER BY k.conrelid, k.conname`, ids)
	if err != nil {
		return err
	}
	var id uint32
	var kind, name string
	var schema, table *string
	var own, referred []string
	_, err = pgx.ForEachRow(rows, []any{&id, &kind, &name, &schema, &table, &own, &referred}, func() error {
		r := byID[id]
		if kind == "f" && schema != nil && table != nil {
			r.Foreign = append(r.Foreign, relational.ForeignKey{
				Name: name, Columns: slices.Clone(own), Referred: slices.Clone(referred), Table: relational.Name{Schema: *schema, Table: *table},
			})
		}
		for i := range r.Columns {
			r.Columns[i].Key = r.Columns[i].Key || kind == "p" && slices.Contains(own, r.Columns[i].Name)
		}
		return nil
	})
	return err
}

func (d *database) definitions(ctx context.Context, ids string, byID map[uint32]*relation) error {
	rows, err := d.conn.Query(ctx, `SELECT c.oid, pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class c WHERE c.oid = ANY($1::oid[])`, ids)
	if err != nil {
		return err
	}
	var id uint32
	var definition *string
	_, err = pgx.ForEachRow(rows, []any{&id, &definition}, func() error {
		if definition != nil {
			byID[id].Definition = *definition
		}
		return nil
	})
	return err
}

// sources reads which relations a view depends on, by the database's own account.
func (d *database) sources(ctx context.Context, ids string, byID map[uint32]*relation) error {
	rows, err := d.conn.Query(ctx, `
		SELECT DISTINCT w.ev_class, n.nspname::text, s.relname::text
		FROM pg_catalog.pg_rewrite w
		JOIN pg_catalog.pg_depend p ON p.objid = w.oid AND p.classid = 'pg_catalog.pg_rewrite'::regclass AND p.refclassid = 'pg_catalog.pg_class'::regclass
		JOIN pg_catalog.pg_class s ON s.oid = p.refobjid
		JOIN pg_catalog.pg_namespace n ON n.oid = s.relnamespace
		WHERE w.ev_class = ANY($1::oid[]) AND s.oid <> w.ev_class AND s.relkind IN ('r', 'p', 'v', 'm', 'f')
		ORDER BY 1, 2, 3`, ids)
	if err != nil {
		return err
	}
	var id uint32
	var schema, table string
	_, err = pgx.ForEachRow(rows, []any{&id, &schema, &table}, func() error {
		byID[id].Sources = append(byID[id].Sources, relational.Name{Schema: schema, Table: table})
		return nil
	})
	return err
}

// Procedures implements relational.Database.
func (d *database) Procedures(ctx context.Context, schema string) ([]relational.Procedure, error) {
	rows, err := d.conn.Query(ctx, `
		SELECT p.proname::text, pg_catalog.pg_get_function_arguments(p.oid), upper(l.lanname::text), p.prosrc, pg_catalog.obj_description(p.oid, 'pg_proc')
		FROM pg_catalog.pg_proc p
		JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
		JOIN pg_catalog.pg_language l ON l.oid = p.prolang
		WHERE p.prokind = 'p' AND n.nspname = $1 ORDER BY p.proname, p.oid`, schema)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (relational.Procedure, error) {
		var p relational.Procedure
		err := row.Scan(&p.Name, &p.Arguments, &p.Language, &p.Definition, &p.Comment)
		return p, err
	})
}

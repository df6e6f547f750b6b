package sqlite

import (
	"context"
	"iter"
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/connectors/internal/relational"
)

// Tables implements relational.Database.
func (d *database) Tables(ctx context.Context, _ string, what relational.What) iter.Seq2[*relational.Table, error] {
	return func(yield func(*relational.Table, error) bool) {
		list, err := d.list(ctx, what)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range list {
			t := &list[i].Table
			if t.Fault = d.columns(ctx, t); t.Fault == nil && !t.View {
				t.Fault = d.foreignKeys(ctx, t, list[i].sql)
			}
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			if !yield(t, nil) {
				return
			}
			list[i] = listed{} // a table that was handed out need not be kept
		}
	}
}

// listed is a table with the statement that made it.
type listed struct {
	relational.Table
	sql string
}

func (d *database) list(ctx context.Context, what relational.What) ([]listed, error) {
	rows, err := d.db.QueryContext(ctx, `SELECT name, type = 'view', coalesce(sql, '') FROM sqlite_schema
		WHERE (type = 'table' AND ? OR type = 'view' AND ?) AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY type, name`, what.Tables, what.Views)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []listed
	for rows.Next() {
		one := listed{Table: relational.Table{Schema: mainSchema}}
		if err := rows.Scan(&one.Name, &one.View, &one.sql); err != nil {
			return nil, err
		}
		if one.View {
			one.Definition = one.sql
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// columns reads the columns of a table. Hidden columns of a virtual table are left out.
func (d *database) columns(ctx context.Context, t *relational.Table) error {
	rows, err := d.db.QueryContext(ctx, `SELECT name, upper(type), "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid`, t.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var c relational.Column
		var declared string
		var notNull, key int
		if err := rows.Scan(&c.Name, &declared, &notNull, &key); err != nil {
			return err
		}
		c.Nullable, c.Key = notNull == 0, key > 0 && !t.View
		c.Native, c.Kind, c.Class = typeOf(declared)
		t.Columns = append(t.Columns, c)
	}
	return rows.Err()
}

// namedKeys finds the names of foreign keys in the statement that made a table: SQLite itself does not keep them.
var namedKeys = regexp.MustCompile(`(?is)CONSTRAINT\s+("(?:[^"]|"")+"|\w+)\s+FOREIGN\s+KEY\s*\(([^)]*)\)`)

func (d *database) foreignKeys(ctx context.Context, t *relational.Table, sql string) error {
	names := map[string]string{}
	for _, found := range namedKeys.FindAllStringSubmatch(sql, -1) {
		names[plain(found[2])] = strings.ReplaceAll(strings.Trim(found[1], `"`), `""`, `"`)
	}
	rows, err := d.db.QueryContext(ctx, `SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq`, t.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	last := -1
	for rows.Next() {
		var id int
		var table, from string
		var to *string
		if err := rows.Scan(&id, &table, &from, &to); err != nil {
			return err
		}
		if id != last {
			t.Foreign, last = append(t.Foreign, relational.ForeignKey{Table: relational.Name{Schema: mainSchema, Table: table}}), id
		}
		key := &t.Foreign[len(t.Foreign)-1]
		key.Columns = append(key.Columns, from)
		if to != nil {
			key.Referred = append(key.Referred, *to)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for i := range t.Foreign {
		key := &t.Foreign[i]
		if key.Name = names[plain(strings.Join(key.Columns, ","))]; key.Name == "" {
			key.Name = t.Name + "_" + strings.Join(key.Columns, "_") + "_fkey"
		}
		if len(key.Referred) == 0 {
			if key.Referred, err = d.primaryKey(ctx, key.Table.Table); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain returns a list of columns without blanks, quotes and other marks that may be written in several ways.
func plain(columns string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "\t", "", "\n", "", `"`, "", "`", "", "[", "", "]", "").Replace(columns))
}

// primaryKey returns the columns that a foreign key refers to if it does not say.
func (d *database) primaryKey(ctx context.Context, table string) ([]string, error) {
	rows, err := d.db.QueryContext(ctx, `SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

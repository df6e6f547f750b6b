package mysql

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/connectors/internal/relational"
)

// pageTables is how many tables are read together.
const pageTables = 500

// listed is a table with the collation of its columns that do not have another one.
type listed struct {
	relational.Table
	collation string
}

// Tables implements relational.Database.
func (d *database) Tables(ctx context.Context, schema string, what relational.What) iter.Seq2[*relational.Table, error] {
	return func(yield func(*relational.Table, error) bool) {
		list, err := d.list(ctx, schema, what)
		if err != nil {
			yield(nil, err)
			return
		}
		for page := range slices.Chunk(list, pageTables) {
			if err := d.details(ctx, schema, page); err != nil {
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

func (d *database) list(ctx context.Context, schema string, what relational.What) ([]listed, error) {
	var kinds []any
	if what.Tables {
		kinds = append(kinds, "BASE TABLE")
	}
	if what.Views {
		kinds = append(kinds, "VIEW", "SYSTEM VIEW")
	}
	if len(kinds) == 0 {
		return nil, nil
	}
	var list []listed
	var name, kind string
	var comment, collation, updated *string
	var rows, size *int64
	err := d.each(ctx, `SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT, TABLE_COLLATION, TABLE_ROWS, DATA_LENGTH, date_format(UPDATE_TIME, '%Y-%m-%d %H:%i:%s')
		FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE IN (`+marks(len(kinds))+`) ORDER BY TABLE_TYPE, TABLE_NAME`,
		append([]any{schema}, kinds...), []any{&name, &kind, &comment, &collation, &rows, &size, &updated}, func() {
			t := listed{Table: relational.Table{Schema: schema, Name: name, View: kind != "BASE TABLE"}}
			if !t.View {
				t.Comment, t.Rows, t.Bytes, t.Updated = filled(comment), rows, size, moment(updated)
			}
			if collation != nil {
				t.collation = *collation
			}
			list = append(list, t)
		})
	return list, err
}

// filled returns the text, or nil for an empty text.
func filled(text *string) *string {
	if text == nil || *text == "" {
		return nil
	}
	return text
}

func moment(text *string) *time.Time {
	if text == nil {
		return nil
	}
	at, err := time.Parse(time.DateTime, *text)
	if err != nil {
		return nil
	}
	return &at
}

// marks returns question marks for values.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// details reads the columns, keys and definitions of a page of tables.
func (d *database) details(ctx context.Context, schema string, page []listed) error {
	byName := map[string]*listed{}
	arguments, views := []any{schema}, false
	for i := range page {
		byName[page[i].Name] = &page[i]
		arguments = append(arguments, page[i].Name)
		views = views || page[i].View
	}
	in := ` WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (` + marks(len(page)) + `)`
	if err := d.columns(ctx, in, arguments, byName); err != nil {
		return err
	}
	if err := d.foreignKeys(ctx, in, arguments, byName); err != nil {
		return err
	}
	if !views {
		return nil
	}
	return d.views(ctx, in, arguments, byName)
}

func (d *database) columns(ctx context.Context, in string, arguments []any, byName map[string]*listed) error {
	var table, name, kind, nullable, key string
	var comment, characters, collation *string
	return d.each(ctx, `SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_KEY, COLUMN_COMMENT, CHARACTER_SET_NAME, COLLATION_NAME
		FROM information_schema.COLUMNS`+in+` ORDER BY TABLE_NAME, ORDINAL_POSITION`, arguments,
		[]any{&table, &name, &kind, &nullable, &key, &comment, &characters, &collation}, func() {
			t := byName[table]
			if t == nil {
				return
			}
			c := relational.Column{Name: name, Nullable: nullable == "YES" || t.View, Key: key == "PRI" && !t.View}
			if !t.View { // a view has the comments of the tables below
				c.Comment = filled(comment)
			}
			c.Native, c.Kind, c.Class = typeOf(kind)
			if !t.View && collation != nil && characters != nil && *collation != t.collation && c.Kind == "String" && !strings.HasPrefix(c.Native, "SET") {
				c.Native += " CHARACTER SET " + *characters + " COLLATE " + *collation
			}
			t.Columns = append(t.Columns, c)
		})
}

func (d *database) foreignKeys(ctx context.Context, in string, arguments []any, byName map[string]*listed) error {
	var table, name, column, schema, foreign, referred string
	return d.each(ctx, `SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
		FROM information_schema.KEY_COLUMN_USAGE`+in+` AND REFERENCED_TABLE_NAME IS NOT NULL
		ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`, arguments,
		[]any{&table, &name, &column, &schema, &foreign, &referred}, func() {
			t := byName[table]
			if t == nil {
				return
			}
			if n := len(t.Foreign); n == 0 || t.Foreign[n-1].Name != name {
				t.Foreign = append(t.Foreign, relational.ForeignKey{Name: name, Table: relational.Name{Schema: schema, Table: foreign}})
			}
			key := &t.Foreign[len(t.Foreign)-1]
			key.Columns, key.Referred = append(key.Columns, column), append(key.Referred, referred)
		})
}

// views reads the definitions of views: their queries together, and the statements that people read one by one, because
// the server has no other way.
func (d *database) views(ctx context.Context, in string, arguments []any, byName map[string]*listed) error {
	var table, query string
	if err := d.each(ctx, `SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS`+in, arguments, []any{&table, &query}, func() {
		if t := byName[table]; t != nil {
			t.Query = query
		}
	}); err != nil {
		return err
	}
	for _, t := range byName {
		if !t.View {
			continue
		}
		if len(t.Columns) == 0 {
			t.Fault = errors.New("the server does not tell its columns, as it does for a view of what is gone")
			continue
		}
		var name, characters, collation string
		err := d.db.QueryRowContext(ctx, "SHOW CREATE TABLE "+quoted(t.Schema)+"."+quoted(t.Name)).Scan(&name, &t.Definition, &characters, &collation)
		if err != nil {
			t.Definition = t.Query // the user may not see the statement
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

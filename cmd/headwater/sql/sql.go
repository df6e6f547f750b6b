// Package sql has the command sql, which reads the lineage of SQL.
package sql

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/querylog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/sending"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newSQL(e)}
}

// options are the flags of sql.
type options struct {
	dialect, schema, database, defaultSchema string
	platform, instance, env                  string
	cache                                    string
	ingest, asked, log                       bool
	logFormat                                string
	ignored                                  []string
	sending                                  sending.Flags
}

func newSQL(e *cli.Environment) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "sql FILE...",
		Short: "Read which tables and columns SQL reads and writes",
		Long: `Read files of SQL and show, for each statement, the tables that it reads and writes,
the columns from which each output takes its values, and the columns that it reads
without their values flowing: in joins, filters, groups, windows and orders. - is
standard input. No server is needed.

Without the columns of the tables, * and names without a table are known only in
part. --schema names a file with them:

  {"shop.orders": {"id": "int", "amount": "decimal"}}

Without --schema, and with --server or HEADWATER_SERVER, the columns are those of the
catalog.

--ingest writes what was read to the catalog: the lineage of the tables and columns that
statements write, the definitions of views, and the statements as queries. Lineage
from and to tables that the catalog does not have is left out and told; tables and
views that a statement creates are written. Records are sent as "headwater ingest" sends
those of a file.

With --log, the files are logs of queries: CSV with a header, lines of JSON, or statements
that each end with a line that ends with a semicolon; plain or gzipped. Statements that
differ in literals only are one, and are shown with how often they ran, by whom and when
last. Columns of a log are named as follows, whatever their letter case, blanks, _ and -:

` + logColumns() + `
With --log, --ingest also writes the usage of tables and columns by day. A day is written
as a whole, so name all logs of a day at once.

The first call compiles the parser, which takes some seconds, and keeps the result in
the user's cache directory.

` + cli.ExitHelp,
		Example: `  headwater sql report.sql --dialect snowflake --schema tables.json
  headwater sql models/*.sql --dialect postgres -o json
  headwater sql views.sql --dialect postgres --server catalog:8080 --ingest
  echo 'select a from t' | headwater sql - --dialect duckdb
  headwater sql --log november.csv --dialect snowflake --database SHOP --ingest`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.BadUsage(errors.New("name at least one file, or - for standard input"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.asked = c.Flags().Changed("server") || os.Getenv("HEADWATER_SERVER") != ""
			return read(c.Context(), e, &o, args)
		},
	}
	f := c.Flags()
	f.StringVar(&o.dialect, "dialect", "", "dialect of the SQL, by the name of its platform: "+strings.Join(parser.Dialects(), ", "))
	f.StringVar(&o.schema, "schema", "", "file with the columns of tables, as JSON")
	f.StringVar(&o.database, "database", "", "database of tables that are named without one")
	f.StringVar(&o.defaultSchema, "default-schema", "", "schema of tables that are named without one")
	f.StringVar(&o.platform, "platform", "", "platform of the tables in the catalog (default: that of the dialect)")
	f.StringVar(&o.instance, "platform-instance", "", "instance of the platform, which the names of the tables begin with in the catalog")
	f.StringVar(&o.env, "env", "PROD", "environment of the tables in the catalog")
	f.BoolVar(&o.ingest, "ingest", false, "write the lineage, views and queries to the catalog")
	f.BoolVar(&o.log, "log", false, "the files are logs of queries")
	f.StringVar(&o.logFormat, "log-format", "", "form of the logs: csv, json (lines) or sql (default: told from the name and the beginning of each log)")
	f.StringSliceVar(&o.ignored, "ignore-column", nil, "column of the logs that does not count; * stands for all that are unknown")
	f.StringVar(&o.cache, "cache-dir", "", "directory of the compiled parser (default: the user's cache directory)")
	o.sending.Add(e, c)
	cli.CompleteWith(c, "dialect", parser.Dialects()...)
	cli.CompleteWith(c, "log-format", querylog.Forms()...)
	return c
}

func read(ctx context.Context, e *cli.Environment, o *options, files []string) error {
	settings, tables, err := o.settings(e)
	if err != nil {
		return err
	}
	cache, err := cli.ParserCache(o.cache)
	if err != nil {
		return err
	}
	reader := &lineage.Reader{Parser: parser.New(cache)}
	defer reader.Parser.Close()
	if o.log {
		return o.readLogs(ctx, e, reader, settings, tables, files)
	}
	statements := o.statements(ctx, e, reader, settings, files)
	if o.ingest {
		return o.send(ctx, e, strings.Join(files, " "), statedBy(statements, o.given(ctx, e, tables)))
	}
	for _, err := range statements {
		if err != nil {
			return err
		}
	}
	return nil
}

// statements reads the statements of files, and shows them.
func (o *options) statements(ctx context.Context, e *cli.Environment, reader *lineage.Reader, settings *lineage.Settings, files []string) iter.Seq2[*lineage.Statement, error] {
	return func(yield func(*lineage.Statement, error) bool) {
		for _, name := range files {
			script, err := textOf(e, name)
			if err != nil {
				yield(nil, err)
				return
			}
			read, err := reader.Read(ctx, script, *settings)
			if err != nil {
				yield(nil, fmt.Errorf("%s: %w", name, err))
				return
			}
			if err := write(e, name, len(files) > 1, read); err != nil {
				yield(nil, err)
				return
			}
			for i := range read {
				if !yield(&read[i], nil) {
					return
				}
			}
		}
	}
}

func write(e *cli.Environment, name string, withName bool, statements []lineage.Statement) error {
	if e.Output == "json" {
		return writeJSON(e.Stdout, name, statements)
	}
	return writeText(e.Stdout, name, withName, statements)
}

// settings returns how the files are to be read, and the tables of the catalog if it is asked.
func (o *options) settings(e *cli.Environment) (*lineage.Settings, *catalogTables, error) {
	if o.dialect == "" {
		return nil, nil, cli.BadUsage(errors.New("name the dialect, such as --dialect snowflake"))
	}
	if _, known := parser.DialectOf(o.dialect); !known {
		return nil, nil, cli.BadUsage(fmt.Errorf("unknown dialect %q%s", o.dialect, nearest.Among(o.dialect, parser.Dialects(), "dialects")))
	}
	if !o.log && (o.logFormat != "" || o.ignored != nil) {
		return nil, nil, cli.BadUsage(errors.New("--log-format and --ignore-column are about logs: give --log, too"))
	}
	if o.logFormat != "" && !slices.Contains(querylog.Forms(), o.logFormat) {
		return nil, nil, cli.BadUsage(fmt.Errorf("unknown form of a log %q%s", o.logFormat, nearest.Among(o.logFormat, querylog.Forms(), "forms")))
	}
	s := &lineage.Settings{Dialect: o.dialect, Database: o.database, Schema: o.defaultSchema}
	var tables *catalogTables
	if o.asked || o.ingest {
		place := sqllineage.Place{Platform: cmp.Or(o.platform, sqllineage.PlatformOf(o.dialect)), Instance: o.instance, Env: o.env}
		tables = &catalogTables{client: e.Client(), Place: place, found: map[string]*lineage.Table{}, urns: map[string]string{}, schemas: map[string]time.Time{}, past: map[string][]formerColumns{}}
		s.Tables = tables.find
	}
	if o.schema == "" {
		return s, tables, nil
	}
	file, err := os.Open(o.schema)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	schema, err := lineage.ReadSchema(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", o.schema, err)
	}
	if tables == nil || !o.ingest {
		s.Tables = schema.Tables
		return s, tables, nil
	}
	s.Tables = func(ctx context.Context, parts []string) (*lineage.Table, error) {
		known, err := tables.find(ctx, parts)
		if err != nil || known == nil {
			return known, err
		}
		given, err := schema.Tables(ctx, parts)
		if given != nil {
			known.Columns = given.Columns
		}
		return known, err
	}
	return s, tables, nil
}

// textOf reads a file, or standard input.
func textOf(e *cli.Environment, name string) (string, error) {
	from := e.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, limits.MaxSQLScriptBytes+1))
	return string(text), err
}

// fileStatement is a statement and the file that has it.
type fileStatement struct {
	File string `json:"file"`
	lineage.Statement
}

func writeJSON(w io.Writer, name string, statements []lineage.Statement) error {
	for _, s := range statements {
		line, err := json.Marshal(fileStatement{name, s})
		if err != nil {
			return err
		}
		if _, err := w.Write(append(screen.JSON(line), '\n')); err != nil {
			return err
		}
	}
	return nil
}

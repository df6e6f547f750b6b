package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/filelist"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// state reads a state from a directory or a file.
func (o *options) state(ctx context.Context, reader *lineage.Reader, name string) (*change.State, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, cli.BadUsage(err)
	}
	switch {
	case info.IsDir():
		for _, dir := range []string{name, filepath.Join(name, "target")} {
			if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err == nil {
				return o.project(filepath.Join(dir, "manifest.json"))
			}
		}
		if files, err := o.schemaFiles(name); err != nil || len(files) > 0 {
			return o.schemas(files, err)
		}
		return o.sql(ctx, reader, name)
	case strings.EqualFold(filepath.Ext(name), ".json"):
		if head, err := readFile(name, 4096); err == nil && bytes.Contains(head, []byte("dbt_schema_version")) {
			return o.project(name)
		}
	}
	file, err := o.schemaFile(name, filepath.Base(name))
	if err != nil || file != nil {
		return o.schemas([]*change.SchemaFile{file}, err)
	}
	if strings.EqualFold(filepath.Ext(name), ".json") {
		return o.tables(name)
	}
	return o.sql(ctx, reader, name)
}

// project reads the artifacts of a dbt project.
func (o *options) project(manifest string) (*change.State, error) {
	dir := filepath.Dir(manifest)
	a := dbt.Artifacts{Manifest: artifact(manifest)}
	if name := filepath.Join(dir, "catalog.json"); exists(name) {
		catalog := artifact(name)
		a.Catalog = &catalog
	}
	p, err := dbt.Read(a)
	if err != nil {
		return nil, err
	}
	platform := cmp.Or(o.platform, p.Adapter)
	if platform == "" {
		return nil, cli.BadUsage(fmt.Errorf("%s does not name an adapter: name the platform with --platform", manifest))
	}
	dialect := cmp.Or(o.dialect, p.Adapter, platform)
	if err := checkDialect(dialect); err != nil {
		return nil, err
	}
	settings := dbt.Settings{Platform: platform, Env: o.env, Instance: o.instance, TargetInstance: o.ownInstance}
	return change.FromDBT(p, settings, dialect, func(file string) []string {
		for _, root := range []string{dir, filepath.Dir(dir)} {
			if exists(filepath.Join(root, "dbt_project.yml")) {
				return header(filepath.Join(root, filepath.FromSlash(file)))
			}
		}
		return nil
	}), nil
}

func artifact(name string) dbt.File {
	return dbt.File{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// header returns the names in the first line of a CSV file, nil if it cannot be read: then the columns are not known.
func header(name string) []string {
	text, err := readFile(name, 1<<20)
	if err != nil {
		return nil
	}
	return change.Header(text)
}

func checkDialect(dialect string) error {
	if dialect == "" {
		return cli.BadUsage(errors.New("name the dialect of the SQL, such as --dialect snowflake"))
	}
	if _, ok := parser.DialectOf(dialect); !ok {
		return cli.BadUsage(fmt.Errorf("unknown dialect %q%s", dialect, nearest.Among(dialect, parser.Dialects(), "dialects")))
	}
	return nil
}

// names are how tables are named.
func (o *options) names() change.Names {
	platform := cmp.Or(o.platform, sqllineage.PlatformOf(o.dialect))
	n := change.Names{Dialect: o.dialect, Database: o.database, Schema: o.ownSchema, Platform: platform}
	if platform != "" {
		n.URN = sqllineage.Place{Platform: platform, Instance: o.ownInstance, Env: o.env}.URN
	}
	return n
}

// tables reads a JSON file of tables.
func (o *options) tables(name string) (*change.State, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s, err := change.FromSchema(file, o.names())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// sql reads a file of SQL, or all files of SQL in a directory.
func (o *options) sql(ctx context.Context, reader *lineage.Reader, name string) (*change.State, error) {
	if err := checkDialect(o.dialect); err != nil {
		return nil, err
	}
	var known *change.State
	if o.schema != "" {
		var err error
		if known, err = o.tables(o.schema); err != nil {
			return nil, err
		}
	}
	found, err := sqlFiles(name)
	if err != nil {
		return nil, err
	}
	return change.FromSQL(ctx, reader, found, o.names(), known)
}

// sqlFiles returns the file of SQL with a name, or the files of SQL below a directory, in the order of their names,
// which are relative to the directory.
func sqlFiles(root string) ([]change.File, error) {
	paths := []string{root}
	if info, err := os.Stat(root); err != nil {
		return nil, err
	} else if info.IsDir() {
		paths, err = filelist.Below(root, limits.CheckFiles, ".sql")
		if errors.Is(err, filelist.ErrNone) {
			return nil, cli.BadUsage(fmt.Errorf("%s has neither a manifest.json nor files of SQL", root))
		}
		if err != nil {
			return nil, err
		}
	}
	found := make([]change.File, len(paths))
	for i, path := range paths {
		text, err := readFile(path, limits.MaxSQLScriptBytes+1)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || name == "." {
			name = filepath.Base(path)
		}
		found[i] = change.File{Name: filepath.ToSlash(name), Text: string(text)}
	}
	return found, nil
}

// readFile reads the first bytes of a file.
func readFile(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}

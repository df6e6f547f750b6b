package check

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/schemafile"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// schemaFiles returns the files of schemas in a directory, none if it has files of SQL.
func (o *options) schemaFiles(root string) ([]*change.SchemaFile, error) {
	var found []*change.SchemaFile
	sql := false
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case strings.EqualFold(filepath.Ext(path), ".sql"):
			sql = true
			return fs.SkipAll
		case len(found) == limits.CheckFiles:
			return fmt.Errorf("%s has more than %s of schemas", root, wording.Counted(limits.CheckFiles, "file", "files"))
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file, err := o.schemaFile(path, filepath.ToSlash(name))
		if file != nil {
			found = append(found, file)
		}
		return err
	})
	if sql {
		return nil, err
	}
	return found, err
}

// schemaFile reads a file of schemas, nil if it is another file.
func (o *options) schemaFile(path, name string) (*change.SchemaFile, error) {
	if !slices.Contains(schemafile.Extensions, strings.ToLower(filepath.Ext(path))) {
		return nil, nil
	}
	text, err := readFile(path, limits.CheckSchemaBytes+1)
	if err != nil {
		return nil, err
	}
	kind := schemafile.Kind(name, text)
	if kind == "" {
		return nil, nil
	}
	base := filepath.Base(name)
	schemas, err := schemafile.Read(kind, text, schemafile.Settings{Name: strings.TrimSuffix(strings.TrimSuffix(base, filepath.Ext(base)), ".schema"), Key: o.keys})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file := &change.SchemaFile{Name: name, Text: string(text), Schemas: schemas}
	if kind == schemafile.Protobuf {
		file.Text = ""
	}
	return file, nil
}

// schemas returns the state of files of schemas.
func (o *options) schemas(files []*change.SchemaFile, err error) (*change.State, error) {
	if err != nil {
		return nil, err
	}
	count := 0
	var list []change.SchemaFile
	if o.named == nil {
		o.named = map[string]bool{}
	}
	for _, f := range files {
		list, count = append(list, *f), count+len(f.Schemas)
		for i := range f.Schemas {
			o.named[o.schemaName(&f.Schemas[i])] = true
		}
	}
	o.most = max(o.most, count)
	names := change.SchemaNames{Names: change.Names{Dialect: o.dialect, Platform: o.platform}, Key: o.keys}
	names.PlatformURN = func(platform, table string) string {
		return sqllineage.Place{Platform: platform, Instance: o.ownInstance, Env: o.env}.URN(table)
	}
	names.Table = func(s *schemafile.Schema) string {
		name := o.schemaName(s)
		for _, one := range o.datasets {
			if schema, dataset := splitDataset(one); schema == name || schema == "" && count == 1 {
				return dataset
			}
		}
		return name
	}
	return change.FromSchemas(list, names)
}

// schemaName is the name of a schema, below that of the API for OpenAPI.
func (o *options) schemaName(s *schemafile.Schema) string {
	if s.Platform == "OpenApi" && o.ownSchema != "" {
		return o.ownSchema + "." + s.Name
	}
	return s.Name
}

// splitDataset splits a value of --dataset into the name of a schema, "" if there is none, and the dataset.
func splitDataset(text string) (schema, dataset string) {
	if strings.HasPrefix(text, "urn:") {
		return "", text
	}
	before, after, both := strings.Cut(text, "=")
	if !both {
		return "", text
	}
	return before, after
}

// checkDatasets checks --dataset after both states were read.
func (o *options) checkDatasets() error {
	known := slices.Sorted(maps.Keys(o.named))
	for _, one := range o.datasets {
		schema, dataset := splitDataset(one)
		switch {
		case o.named == nil:
			return cli.BadUsage(errors.New("--dataset is for files of schemas, and none was read"))
		case dataset == "":
			return cli.BadUsage(fmt.Errorf("--dataset %q names no dataset", one))
		case schema == "" && o.most > 1:
			return cli.BadUsage(fmt.Errorf("--dataset %q must name one of the schemas, as SCHEMA=DATASET: %s", one, clip.Text(strings.Join(known, ", "), 300)))
		case schema != "" && !o.named[schema]:
			return cli.BadUsage(fmt.Errorf("no file has a schema %q%s", schema, nearest.Among(schema, known, "schemas")))
		}
		if strings.HasPrefix(dataset, "urn:") {
			urn, err := model.Default().ReadURN(dataset)
			if err != nil || urn.EntityType() != model.EntityDataset {
				return cli.BadUsage(fmt.Errorf("--dataset: %q is not the URN of a dataset", cmp.Or(dataset, one)))
			}
		}
	}
	return nil
}

package sqllineage

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/model"
)

// Place says where in the catalog the tables of SQL are.
type Place struct {
	// Platform is the name of a data platform, such as postgres.
	Platform string
	// Instance is the instance of the platform, with which the names of its tables begin; "" for none.
	Instance string
	// Env is the environment, such as PROD.
	Env string
	// Namespace is the second part of the URNs; if it is empty, li.
	Namespace string
}

// platforms are the platforms of dialects whose name is not the platform's.
var platforms = map[string]string{
	"postgresql": "postgres", "tsql": "mssql", "sqlserver": "mssql", "greenplum": "postgres",
}

// PlatformOf returns the name of the platform whose tables SQL of a dialect names.
func PlatformOf(dialect string) string {
	dialect = strings.ToLower(dialect)
	return cmp.Or(platforms[dialect], dialect)
}

// URN returns the text of the URN of a table by its name in the catalog. The text may be no URN, if no dataset
// can have the name.
func (p Place) URN(name string) string {
	if p.Instance != "" {
		name = p.Instance + "." + name
	}
	begin := "urn:" + cmp.Or(p.Namespace, "li") + ":"
	return begin + "dataset:(" + begin + "dataPlatform:" + p.Platform + "," + name + "," + p.Env + ")"
}

// Candidate is a dataset that a name of a table may mean.
type Candidate struct{ Name, URN string }

// Candidates returns the datasets that the name of a table may mean, the first choice first: the name as it is
// written, in lower case, and in upper case. Candidates returns none if no dataset can have the name.
func (p Place) Candidates(parts []string) []Candidate {
	name := strings.Join(parts, ".")
	var all []Candidate
	for _, n := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
		c := Candidate{n, p.URN(n)}
		if _, err := model.ParseURN(c.URN); err != nil {
			return nil
		}
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// ColumnsIn returns the names of the columns of a schemaMetadata, and the paths of the fields inside of them, as in
// address.city. If a schema has only the fields inside a column, the column is among the names too.
func ColumnsIn(schema json.RawMessage) ([]string, error) {
	paths, err := statements.FieldPathsOf(schema)
	if err != nil {
		return nil, err
	}
	columns, known := []string{}, map[string]bool{}
	add := func(name string) {
		if !known[name] {
			known[name] = true
			columns = append(columns, name)
		}
	}
	for _, p := range paths {
		path := model.PlainPath(p)
		if before, _, nested := strings.Cut(path, "."); nested && before != "" {
			add(before)
		}
		add(path)
	}
	return columns, nil
}

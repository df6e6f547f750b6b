package naming

import (
	"cmp"
	"slices"
	"strings"
)

// Identifier is another name of a dataset, of the type TABLE or LOCATION.
type Identifier struct {
	Dataset
	Type string
}

// tablePlatforms are the platforms whose names are those of tables: a table that is stored in files is known by
// such a name.
var tablePlatforms = []string{"glue", "hive", "databricks", "iceberg", "delta-lake", "bigquery", "snowflake"}

// storagePlatforms are the platforms of files.
var storagePlatforms = []string{"s3", "gcs", "abs", "dbfs", "hdfs", "file"}

// Preferred returns the name under which a dataset is known: that of a table among its identifiers, or else
// its own name. An identifier of the type TABLE that names files, as some releases send it, is no table's. The
// framework of the dataset's catalog, "" if there is none, decides the platform of tables in a warehouse that
// is named by an address or a path.
func (s *Settings) Preferred(own Dataset, identifiers []Identifier, framework string) Dataset {
	var tables []Dataset
	for _, i := range identifiers {
		if !strings.EqualFold(i.Type, "TABLE") {
			continue
		}
		if named, ok := table(i.Dataset, framework); ok {
			tables = append(tables, named)
		}
	}
	if len(tables) == 0 || slices.Contains(tablePlatforms, Platform(own.Namespace)) {
		return own
	}
	slices.SortFunc(tables, func(a, b Dataset) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return tables[0]
}

// rank orders the platforms of tables.
func rank(d Dataset) int {
	if at := slices.Index(tablePlatforms, Platform(d.Namespace)); at >= 0 {
		return at
	}
	return len(tablePlatforms)
}

// table returns the name of a table; false if the identifier names files.
func table(d Dataset, framework string) (Dataset, bool) {
	platform := Platform(d.Namespace)
	if platform != "http" && platform != "https" && !slices.Contains(storagePlatforms, platform) {
		return d, true
	}
	if strings.Contains(strings.Trim(d.Name, "/"), "/") || !strings.Contains(d.Name, ".") {
		return d, false
	}
	switch strings.ToLower(framework) {
	case "iceberg":
		d.Namespace = "iceberg"
	case "delta":
		d.Namespace = "delta-lake"
	default:
		d.Namespace = "hive"
	}
	return d, true
}

// Package naming turns the names of the OpenLineage specification into URNs: those that connectors give the
// same tables, so that what a connector tells and what events tell meet in one entity.
package naming

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Settings are what a server adds to the rules. The zero value is usable.
type Settings struct {
	// Env is the environment of datasets, PROD if it is empty.
	Env string
	// Namespaces are settings by the exact text of a namespace, or by its beginning with a "*" at the end.
	Namespaces map[string]Namespace
}

// Namespace are the settings of one namespace, or of all namespaces with one beginning.
type Namespace struct {
	// Instance is the platform instance, which comes before the names of datasets.
	Instance string
	// Env is the environment, that of the Settings if it is empty.
	Env string
	// Cluster replaces the namespace in the URNs of flows.
	Cluster string
	// Lowercase writes the names of datasets in lower case.
	Lowercase bool
	// StripDatabase leaves the first part of the names of tables out.
	StripDatabase bool
}

// Dataset is a dataset as the specification names it.
type Dataset struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// aliases are the platforms of schemes that have other names than the platform.
var aliases = map[string]string{
	"awsathena": "athena", "sqlserver": "mssql", "postgresql": "postgres", "gs": "gcs", "s3a": "s3", "s3n": "s3",
	"abfs": "abs", "abfss": "abs", "wasb": "abs", "wasbs": "abs", "azurekusto": "kusto", "unitycatalog": "databricks",
	"unity-catalog": "databricks", "mssharepoint": "sharepoint", "fabric-warehouse": "fabric-onelake", "arn:aws:glue": "glue",
	"aws:glue": "glue",
}

// schemeOf returns the scheme of a namespace and what follows it.
func schemeOf(namespace string) (scheme, rest string) {
	for _, glue := range []string{"arn:aws:glue", "aws:glue"} {
		if strings.HasPrefix(namespace, glue+":") {
			return glue, strings.TrimPrefix(namespace, glue+":")
		}
	}
	if before, after, found := strings.Cut(namespace, "://"); found {
		return strings.ToLower(before), after
	}
	if before, after, found := strings.Cut(namespace, ":/"); found { // file:/path
		return strings.ToLower(before), "/" + after
	}
	return strings.ToLower(namespace), ""
}

// Platform returns the platform of a namespace. A scheme that is not known is a platform of its own.
func Platform(namespace string) string {
	scheme, _ := schemeOf(strings.TrimSpace(namespace))
	if known, ok := aliases[scheme]; ok {
		return known
	}
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, scheme)
	return cmp.Or(strings.Trim(plain, "-"), "unknown")
}

// inMemory is the scheme of datasets that have no entity of their own.
const inMemory = "inmemory"

// DatasetURN returns the URN of a dataset, and the zero URN for one that only lives in memory.
func (s *Settings) DatasetURN(d Dataset) (model.URN, error) {
	scheme, rest := schemeOf(strings.TrimSpace(d.Namespace))
	if scheme == inMemory {
		return model.URN{}, nil
	}
	platform := Platform(d.Namespace)
	setting := s.of(d.Namespace)
	name := nameOf(platform, scheme, rest, d.Name)
	if setting.StripDatabase {
		if _, after, found := strings.Cut(name, "."); found {
			name = after
		}
	}
	if setting.Lowercase {
		name = strings.ToLower(name)
	}
	if setting.Instance != "" {
		name = setting.Instance + "." + name
	}
	return buildDataset(platform, name, cmp.Or(setting.Env, s.Env, "PROD"))
}

// of returns the settings of a namespace: those of its text, or of its longest beginning.
func (s *Settings) of(namespace string) Namespace {
	if exact, ok := s.Namespaces[namespace]; ok {
		return exact
	}
	var found Namespace
	longest := -1
	for pattern, setting := range s.Namespaces {
		beginning, any := strings.CutSuffix(pattern, "*")
		if any && len(beginning) > longest && strings.HasPrefix(namespace, beginning) {
			found, longest = setting, len(beginning)
		}
	}
	return found
}

// nameOf returns the name of a dataset within its platform.
func nameOf(platform, scheme, rest, name string) string {
	host, path, _ := strings.Cut(rest, "/")
	switch platform {
	case "athena":
		return lastParts(name, 2)
	case "glue":
		return strings.ReplaceAll(strings.TrimPrefix(name, "table/"), "/", ".")
	case "azurecosmos":
		database := strings.TrimPrefix(path, "dbs/")
		return join(".", database, strings.TrimPrefix(name, "colls/"))
	case "kusto":
		return strings.Replace(name, "/", ".", 1)
	case "oracle":
		return lastParts(tableName(name), 2)
	case "snowflake":
		return strings.ToLower(tableName(name))
	case "db2":
		if before, after, found := strings.Cut(name, "."); found {
			return strings.ToUpper(before) + "." + after
		}
		return name
	case "abs":
		container, _, _ := strings.Cut(host, "@")
		return join("/", container, keyOf(name))
	case "s3", "gcs":
		return join("/", host, keyOf(name))
	case "dbfs":
		return "/" + keyOf(name)
	case "hdfs":
		return name
	case "file":
		if scheme == "file" && rest != "" && !strings.HasPrefix(rest, "/") {
			return host + "/" + strings.TrimPrefix(name, "/")
		}
		return cmp.Or(name, rest)
	case "pubsub":
		for _, kind := range []string{"topic:", "subscription:"} {
			if after, found := strings.CutPrefix(name, kind); found {
				return strings.Replace(after, ":", ".", 1)
			}
		}
		return name
	case "box", "filenet", "sharepoint":
		last := path[strings.LastIndex(path, "/")+1:]
		return join("/", last, strings.TrimPrefix(name, "/"))
	case "kafka":
		return name
	}
	return tableName(name)
}

// tableName leaves the parts of a name out that stand for unset members of the producer's connection.
func tableName(name string) string {
	if strings.ContainsAny(name, "/ ") {
		return name
	}
	parts := strings.Split(name, ".")
	kept := parts[:0]
	for _, part := range parts {
		if part != "" && part != "None" {
			kept = append(kept, part)
		}
	}
	if len(kept) == 0 {
		return name
	}
	return strings.Join(kept, ".")
}

// keyOf is the key of an object in a store: without slashes at its ends, which old releases sent.
func keyOf(name string) string { return strings.Trim(name, "/") }

// join joins the parts that are not empty.
func join(separator string, parts ...string) string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, separator)
}

// lastParts returns the last n parts of a name with dots.
func lastParts(name string, n int) string {
	parts := strings.Split(name, ".")
	return strings.Join(parts[max(0, len(parts)-n):], ".")
}

func buildDataset(platform, name, env string) (model.URN, error) {
	for most := nameBytes; ; most -= 16 {
		urn, err := model.BuildURN("li", model.EntityDataset, "urn:li:dataPlatform:"+escaped(platform), shortened(escaped(name), most), env)
		if err == nil {
			err = urn.CheckLength()
		}
		if err == nil || most < 64 {
			return urn, err
		}
	}
}

// nameBytes is how long the name in a URN may be at first: what is longer, and makes the URN too long, is cut.
const nameBytes = limits.MaxURNBytes

// shortened cuts a name that is too long. A hash of the name at its end tells it from others.
func shortened(name string, most int) string {
	if len(name) <= most {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	cut := most - 17
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	if at := strings.LastIndexByte(name[max(0, cut-2):cut], '%'); at >= 0 {
		cut = max(0, cut-2) + at // an escape stays whole
	}
	return name[:cut] + "~" + hex.EncodeToString(sum[:8])
}

// reserved are the characters that structure URNs, and those that no URN has.
var reserved = strings.NewReplacer("%", "%25", "(", "%28", ")", "%29", ",", "%2C", " ", "%20", "\t", "%09", "\n", "%0A", "\r", "%0D", "\x00", "%00", "\u241f", "%E2%90%9F")

// escaped writes the characters that a part of a URN cannot have as escapes. Escapes that are there stay.
func escaped(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		if name[i] == '%' && i+2 < len(name) && isHex(name[i+1]) && isHex(name[i+2]) {
			b.WriteString(name[i : i+3])
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(name[i:])
		b.WriteString(reserved.Replace(string(r)))
		i += size
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

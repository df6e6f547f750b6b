package naming

import (
	"regexp"
	"strings"
)

func asSent(_ address, name string, _ Namespace) string { return name }

// tableParts are the parts of a table's name, without the parts that a producer did not know: these are
// empty, or the text None. The last part stays.
func tableParts(name string) []string {
	all := strings.Split(name, ".")
	parts := make([]string, 0, len(all))
	for i, part := range all {
		if part == "" || part == "None" && i < len(all)-1 {
			continue
		}
		parts = append(parts, part)
	}
	return parts
}

func tableName(_ address, name string, _ Namespace) string {
	return strings.Join(tableParts(name), ".")
}

func lowerName(at address, name string, special Namespace) string {
	return strings.ToLower(tableName(at, name, special))
}

// lastTwo leaves out the first of three parts.
func lastTwo(_ address, name string, special Namespace) string {
	parts := tableParts(name)
	if len(parts) == 3 && !special.KeepDatabase {
		parts = parts[1:]
	}
	return strings.Join(parts, ".")
}

// db2Name makes the database of a name with three parts upper-case.
func db2Name(_ address, name string, _ Namespace) string {
	parts := tableParts(name)
	if len(parts) == 3 {
		parts[0] = strings.ToUpper(parts[0])
	}
	return strings.Join(parts, ".")
}

// glueName reads table/{db}/{table}.
func glueName(at address, name string, special Namespace) string {
	if rest, ok := strings.CutPrefix(name, "table/"); ok && rest != "" {
		return tableName(at, strings.ReplaceAll(rest, "/", "."), special)
	}
	return tableName(at, name, special)
}

// cosmosName joins the database of the namespace and the collection.
func cosmosName(at address, name string, special Namespace) string {
	table, ok := strings.CutPrefix(name, "colls/")
	database, inPath := strings.CutPrefix(at.path, "/dbs/")
	if ok && inPath {
		return tableName(at, strings.Trim(database, "/")+"."+table, special)
	}
	return tableName(at, name, special)
}

func kustoName(at address, name string, special Namespace) string {
	return tableName(at, strings.ReplaceAll(name, "/", "."), special)
}

// bigQueryPart is the text that BigQuery appends to the name of a table: the date of one of its shards, a partition
// or a moment.
var bigQueryPart = regexp.MustCompile(`(_(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])|_\*|[$@][^.]*)$`)

func bigQueryName(at address, name string, special Namespace) string {
	whole := tableName(at, name, special)
	if cut := bigQueryPart.ReplaceAllString(whole, ""); cut != "" && !strings.HasSuffix(cut, ".") {
		return cut
	}
	return whole
}

// inFolder joins a folder and a path in it.
func inFolder(folder, path string) string {
	path = strings.Trim(path, "/")
	if folder == "" || path == "" {
		return folder + path
	}
	return folder + "/" + path
}

func bucketName(at address, name string, _ Namespace) string {
	return inFolder(inFolder(at.authority, at.path), name)
}

func containerName(at address, name string, _ Namespace) string {
	container, _, _ := strings.Cut(at.authority, "@")
	return inFolder(inFolder(container, at.path), name)
}

// pathName is the path below the path of the namespace. The slash at its beginning stays as it was sent.
func pathName(at address, name string, _ Namespace) string {
	path := name
	if folder := strings.TrimRight(at.path, "/"); folder != "" {
		path = folder + "/" + strings.TrimLeft(name, "/")
	}
	if cut := strings.TrimRight(path, "/"); cut != "" {
		return cut
	}
	if path != "" {
		return "/"
	}
	return ""
}

func fileName(at address, name string, special Namespace) string {
	path := pathName(at, name, special)
	if at.authority != "" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return at.authority + path
}

// pubSubName reads topic:{project}:{id} and subscription:{project}:{id}.
func pubSubName(_ address, name string, _ Namespace) string {
	kind, rest, _ := strings.Cut(name, ":")
	project, id, ok := strings.Cut(rest, ":")
	if ok && (kind == "topic" || kind == "subscription") {
		return project + "." + id
	}
	return name
}

// folderName is the last part of the namespace's path, then the key.
func folderName(at address, name string, _ Namespace) string {
	path := strings.TrimRight(at.path, "/")
	if name = strings.Trim(name, "/"); name == "" {
		return strings.Trim(path[strings.LastIndex(path, "/")+1:], "/")
	}
	return inFolder(path[strings.LastIndex(path, "/")+1:], name)
}

package naming

import "strings"

// Identifier is one name of a dataset in its facet symlinks.
type Identifier struct {
	Dataset
	// Type is TABLE or LOCATION.
	Type string
}

// Preferred chooses among a dataset's own name and its symlinks the identity that names the entity. A table in a
// catalog names data that is stored as files; a database's own name for a table stays. The framework is that of
// the facet catalog, "" if it is absent. For catalogs whose namespaces are addresses or paths, Preferred puts the
// framework's platform before the namespace (iceberg+https://…); DatasetURN and Platform read that form.
func (s *Settings) Preferred(own Dataset, symlinks []Identifier, framework string) Dataset {
	if known := storeOf[parse(own.Namespace).scheme]; known != nil && known.kind != storage {
		return own
	}
	chosen, best := own, 0
	if isWeb(parse(own.Namespace)) {
		chosen.Namespace = inFramework(framework, own.Namespace)
	}
	for _, link := range symlinks {
		if !strings.EqualFold(link.Type, "TABLE") || strings.TrimSpace(link.Name) == "" {
			continue
		}
		at := parse(link.Namespace)
		known, rank, candidate := storeOf[at.scheme], 0, link.Dataset
		switch {
		case known != nil && known.kind == tables:
			rank = 2
		case isWeb(at), known != nil && known.kind == storage && isWarehouse(at, link.Name, framework):
			rank, candidate.Namespace = 1, inFramework(framework, link.Namespace)
		}
		if rank > 0 && rank >= best {
			chosen, best = candidate, rank
		}
	}
	return chosen
}

func isWeb(at address) bool { return at.scheme == "http" || at.scheme == "https" }

// isWarehouse reports whether a name in storage is that of a table below a warehouse, and not a path.
func isWarehouse(at address, name, framework string) bool {
	return !strings.Contains(name, "/") && strings.Contains(name, ".") && (framework != "" || strings.Trim(at.path, "/") != "")
}

package dbt

import (
	"regexp"
	"strings"
	"time"
)

// Kind is a kind of entities or statements that can be left out. It has the name that it has in the client's settings.
type Kind string

// The kinds.
const (
	Models          Kind = "models"
	Sources         Kind = "sources"
	Seeds           Kind = "seeds"
	Snapshots       Kind = "snapshots"
	SemanticModels  Kind = "semantic_models"
	TestDefinitions Kind = "test_definitions"
	TestResults     Kind = "test_results"
	// ModelPerformance are the runs of nodes.
	ModelPerformance Kind = "model_performance"
	Exposures        Kind = "exposures"
	Queries          Kind = "queries"
	// CatalogStats are the sizes of tables.
	CatalogStats Kind = "catalog_stats"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{Models, Sources, Seeds, Snapshots, SemanticModels, TestDefinitions, TestResults, ModelPerformance, Exposures, Queries, CatalogStats}
}

// kindsOfNodes are the kinds of those nodes that become datasets, by the type of the node.
var kindsOfNodes = map[string]Kind{typeModel: Models, typeSource: Sources, typeSeed: Seeds, typeSnapshot: Snapshots, typeSemanticModel: SemanticModels}

// Settings are the names of a project in the catalog, and the parts of it that are translated.
type Settings struct {
	// Platform is the platform on which dbt builds its tables, such as postgres.
	Platform string
	// Env is the environment in URNs of datasets, such as PROD.
	Env string
	// Instance is the platform instance of dbt, TargetInstance that of Platform. Both may be "".
	Instance, TargetInstance string
	// Without are the kinds that are left out.
	Without map[Kind]bool
	// Mappings are the rules that add owners, tags and terms.
	Mappings Mappings
	// Patterns say which nodes become entities. LeftOut gets the ids of the others; it may be nil.
	Patterns Patterns
	LeftOut  func(id string)
	// Lineage are the settings of lineage and siblings.
	Lineage Lineage
	// KeepCase: the names of datasets keep their letter case. ColumnsLower: the names of columns are written in lower
	// case; nil means only on Snowflake.
	KeepCase     bool
	ColumnsLower *bool
	// NoCompiledCode leaves out the compiled code.
	NoCompiledCode bool
	// NoTargetInstances: the tables of the platform get no platform instance.
	NoTargetInstances bool
	// WarningsFail: a test that warns has failed. EnvInAssertions: URNs of assertions depend on an environment that is not
	// PROD.
	WarningsFail, EnvInAssertions bool
	// KeepSources: a source is translated although it is the same table as a model. OnlyInCatalog leaves out nodes that the
	// catalog does not have.
	KeepSources, OnlyInCatalog bool
	// MaxQueries is how many queries of a node are read: 100 if it is nil, all if it is 0.
	MaxQueries *int
	// Repository is where the files of the project can be looked at; nil if that is not known.
	Repository *Repository
	// Now is the time of the translation, which exposures are stamped with.
	Now time.Time
}

// Lineage are the settings of lineage and siblings.
type Lineage struct {
	// NoColumns leaves out column lineage of models.
	NoColumns bool
	// Whole: the lineage of a table is written whole, and replaces the statements of others.
	Whole bool
	// TablesPrimary: of a node and its table, the table is the primary sibling.
	TablesPrimary bool
	// SkipSources: a node that depends on a source depends on the table. PreferSQL: the lineage of a model is read from its
	// code instead of the manifest.
	SkipSources, PreferSQL bool
}

// Repository makes addresses of files.
type Repository struct {
	URL, Branch, Folder string
	// Template has {repo_url}, {branch} and {file_path}.
	Template string
}

// address returns the address of a file of the project, "" if it is not known.
func (r *Repository) address(path string) string {
	if r == nil || path == "" {
		return ""
	}
	if r.Folder != "" {
		path = r.Folder + "/" + path
	}
	return strings.NewReplacer("{repo_url}", r.URL, "{branch}", r.Branch, "{file_path}", path, "{{", "{", "}}", "}").Replace(r.Template)
}

// extracted returns the part of an owner's name that the expression calls owner, otherwise the name.
func extracted(expression *regexp.Regexp, name string) string {
	if expression == nil {
		return name
	}
	match := expression.FindStringSubmatchIndex(name)
	group := expression.SubexpIndex("owner")
	if match == nil || group < 0 || match[2*group] < 0 {
		return name
	}
	return name[match[2*group]:match[2*group+1]]
}

// proposes reports whether a node becomes a dataset. Operations and analyses do not.
func (t *translation) proposes(n *Node) bool {
	kind, known := kindsOfNodes[n.Type]
	return known && !t.Without[kind]
}

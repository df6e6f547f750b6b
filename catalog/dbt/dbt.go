// Package dbt translates the artifacts of a dbt project (manifest.json, catalog.json, run results and sources.json)
// into metadata change proposals. It knows no store and no server: Read returns a Project, and Project.Proposals
// returns the proposals.
//
// The proposals have the URNs and aspects that the dbt source of DataHub's Python client 1.7 gives without a server,
// with the same settings: people who used it find their entities again. TestDBT in the package e2e compares both.
package dbt

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"time"

	"github.com/headwater-io/headwater/model"
)

// File is an artifact to read.
type File struct {
	// Name is the name of the file in errors.
	Name string
	// Open returns the content. The reader is closed by Read.
	Open Opener
}

// FileAt is an artifact in a file of this machine.
func FileAt(path string) File {
	return File{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// Artifacts are the files of a project. Only the manifest is needed.
type Artifacts struct {
	Manifest File
	// Catalog has the columns and sizes of tables, as "dbt docs generate" finds them. Without it, the columns are those
	// that the manifest describes.
	Catalog *File
	// Sources has the results of "dbt source freshness".
	Sources *File
	// RunResults has the results of invocations that built and tested nodes.
	RunResults []File
	// Identifiers: a source is named by its identifier, if it has one. NoDatabases leaves out the databases of nodes.
	Identifiers, NoDatabases bool
}

// Project is the content of a project's artifacts.
type Project struct {
	// Name is the name of the project, "" before dbt 1.6.
	Name string
	// Adapter is the type of the adapter, such as postgres.
	Adapter string
	// Nodes are the models, seeds, snapshots, tests, operations, analyses, sources and semantic models, by unique id.
	Nodes map[string]*Node
	// Exposures are the consumers of the project, by unique id.
	Exposures map[string]*Exposure
	// Notes name the parts that were left out while reading, as sentences for people.
	Notes []string

	// generated is when the manifest was generated, catalogGenerated the catalog. Zero means unknown.
	generated, catalogGenerated time.Time
	// properties are the versions of the artifacts, as custom properties.
	properties map[string]string
	// noDatabases: the names of tables have no database.
	noDatabases bool
}

// The types of nodes that the translation distinguishes.
const (
	typeModel         = "model"
	typeSource        = "source"
	typeSeed          = "seed"
	typeSnapshot      = "snapshot"
	typeTest          = "test"
	typeSemanticModel = "semantic_model"
)

// Materializations that the translation distinguishes.
const (
	ephemeral    = "ephemeral"
	semanticView = "semantic_view"
)

// Node is a node of the manifest, with the facts about it in the other artifacts.
type Node struct {
	// ID is the unique id, such as model.shop.orders. Type is the first part of it: dbt's resource type.
	ID, Type string
	// Name is the name of the table: the alias if there is one. The name of a test is its own name.
	Name                   string
	Database, Schema       string
	Package, Path          string
	Description            string
	Materialized, Language string
	// RawCode is the code as its author wrote it, CompiledCode the code that dbt made of it for the platform. Manifests of
	// commands that compile nothing have no compiled code.
	RawCode, CompiledCode string
	Tags                  []string
	Columns               []Column
	// Described are the columns that the project describes, which need not be all.
	Described []Column
	// Keys are the columns that the configuration names, OnSchemaChange is how an incremental model takes other columns, and
	// Contract says that the columns must be those that are described.
	Keys           []Key
	OnSchemaChange string
	Contract       bool
	// Upstreams are the unique ids of the nodes that the node depends on.
	Upstreams []string

	// meta are the properties that the author gave.
	meta, queryTag object
	owner          json.RawMessage
	// catalogType is the type of the table in the catalog, nil if the catalog does not have the node.
	catalogType *string
	// rows and bytes are the size of the table, if the catalog tells it.
	rows, bytes *int64
	loaded      time.Time
	freshness   *freshness
	test        *test
	results     []result
	runs        []run
	// columnSources are the sources of columns in the compiled code, in the order of its outputs. parsed is the lineage of all
	// its tables, nil if it is not known.
	columnSources []columnSources
	parsed        *parsedCode
	// outputs are the columns that the compiled code gives.
	outputs []Column
}

// Column is a column of a node.
type Column struct {
	Name string
	// Type is the type in the words of the platform.
	Type string
	// Comment is the comment in the database, Description the one in the project.
	Comment, Description string
	Tags                 []string
	// NotNull: the project states that no value is null.
	NotNull bool

	// meta are the properties that the author gave.
	meta object
}

// test is a generic test of the manifest. A singular test has no name and no arguments.
type test struct {
	// name is the name of the generic test, with its package: dbt_utils.unique_combination_of_columns.
	name      string
	arguments object
}

// result is the outcome of a test.
type result struct {
	invocation, status, message string
	failures                    int64
	at                          time.Time
}

// run is an execution of a node that is not a test.
type run struct {
	invocation, status string
	began, ended       time.Time
}

// freshness is the outcome of a freshness check of a source.
type freshness struct {
	invocation, status  string
	loaded, snapshotted time.Time
	age                 json.RawMessage
	warn, failure       *criterion
}

// criterion is an age that a source may have.
type criterion struct {
	Count  json.RawMessage `json:"count"`
	Period string          `json:"period"`
}

// Exposure is a consumer of a project: a dashboard, a notebook, a model of machine learning, an application.
type Exposure struct {
	ID, Name, Type, Description, URL, Maturity string
	OwnerName, OwnerEmail                      string
	Package, Path                              string
	Tags, Upstreams                            []string

	meta object
}

// Proposals returns the metadata change proposals of the project, in the order of the entities' names. The second
// result has sentences about the parts that were left out.
func (p *Project) Proposals(s Settings) ([]model.FileProposal, []string) {
	t := &translation{Project: p, Settings: s, columnsLower: isSnowflake(s.Platform), stated: map[string]bool{}, seen: map[string]bool{}, tags: map[string]bool{}, terms: map[string]bool{}}
	if s.ColumnsLower != nil {
		t.columnsLower = *s.ColumnsLower
	}
	if s.Without[SemanticModels] { // the client then does not know them, so that nothing depends on them
		known := *p
		known.Nodes = maps.Clone(p.Nodes)
		maps.DeleteFunc(known.Nodes, func(_ string, n *Node) bool { return n.Type == typeSemanticModel })
		t.Project = &known
	}
	nodes := t.wantedNodes()
	for _, n := range nodes {
		if n.Type != typeTest {
			t.dbtDataset(n)
		}
	}
	for _, n := range nodes {
		if n.Type != typeTest && n.isInTarget() {
			t.targetDataset(n)
		}
	}
	for _, n := range nodes {
		if n.Type == typeTest {
			t.testAssertions(n)
		}
	}
	for _, n := range nodes {
		t.freshnessAssertion(n)
	}
	if !s.Without[Exposures] {
		for _, e := range sortedValues(p.Exposures) {
			t.exposure(e)
		}
	}
	t.states()
	t.usedTags()
	return t.proposals, t.notes
}

// Package connectors reads sources of metadata without Python. Each connector takes the settings of the
// source of the same name in DataHub's Python client, and gives the same URNs and aspects.
package connectors

import (
	"context"
	"iter"

	"github.com/headwater-io/headwater/model"
)

// Connector reads one kind of source. It is safe for concurrent use.
type Connector interface {
	// Type is the type of the source in recipes, such as postgres.
	Type() string
	// Unknown returns the settings that the connector does not know, as paths such as
	// profiling.max_workers. A recipe that has such settings is for the Python client.
	Unknown(config map[string]any) []string
	// Test connects to the source, and tells which parts of it can be read.
	Test(ctx context.Context, config map[string]any) (*Capabilities, error)
	// Read returns the proposals that state the source's metadata, in an order in which they may be
	// written. An error ends the sequence. The report lists the parts that could not be read. It is
	// complete when the sequence has ended.
	Read(ctx context.Context, config map[string]any, report *Report) iter.Seq2[*model.FileProposal, error]
}

// Counting is a connector that compares its source's counters with the counters of the last run. Remember is
// called before Read.
type Counting interface{ Remember(memory *Memory) }

// Capabilities is the result of a connection test.
type Capabilities struct {
	// Basic is nil if the source can be reached; otherwise why it cannot.
	Basic error
	// Found tells of each further ability, such as "view lineage" or "row counts", nil or why it is missing.
	Found map[string]error
}

// Report counts and names the entities, warnings and failures of a reading.
type Report struct {
	// Scanned counts entities by kind, such as "table" and "view".
	Scanned map[string]int
	// Filtered are the names that patterns of the recipe left out, up to limits.MaxReportedNames.
	Filtered []string
	// Warnings and Failures name the parts that could not be read and the reasons, up to the same limit each.
	Warnings, Failures []string
	// MoreFiltered, MoreWarnings and MoreFailures count the items beyond the limit.
	MoreFiltered, MoreWarnings, MoreFailures int
}

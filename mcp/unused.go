package mcp

import (
	"context"

	"github.com/headwater-io/headwater/catalog/unused"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// UnusedArguments are the arguments of unused_columns.
type UnusedArguments struct {
	Datasets  []string `json:"datasets,omitempty" jsonschema:"names or URNs; the whole catalog if neither datasets, query nor platforms are given"`
	Query     string   `json:"query,omitempty" jsonschema:"words that find the datasets"`
	Platforms []string `json:"platforms,omitempty" jsonschema:"such as snowflake"`
	Days      int      `json:"days,omitempty" jsonschema:"for how many days nobody has read a column; 90 if left out"`
	All       bool     `json:"all,omitempty" jsonschema:"list the columns that are read, too"`
	Start     int      `json:"start,omitempty" jsonschema:"where the page begins: the value next of the answer before"`
	Limit     int      `json:"limit,omitempty" jsonschema:"about how many columns are looked at; datasets are looked at as a whole"`
}

// UnusedAnswer is the answer of unused_columns.
type UnusedAnswer struct {
	// Since is the beginning of the time in which nobody has read the columns.
	Since   string         `json:"since"`
	Columns []UnusedColumn `json:"columns"`
	// Datasets and Judged count the datasets and columns that were looked at.
	Datasets int `json:"datasets"`
	Judged   int `json:"judged"`
	Page
}

// UnusedColumn is a column with the verdict about it.
type UnusedColumn struct {
	Dataset string `json:"dataset"`
	Column  string `json:"column"`
	Type    string `json:"type,omitempty"`
	// Verdict is unused, notKnown or read.
	Verdict string `json:"verdict"`
	// Doubts say why the column is not called unused.
	Doubts []string `json:"doubts,omitempty"`
	// Readers read the column, or may read it; MoreReaders counts further readers.
	Readers     []UnusedReader `json:"readers,omitempty"`
	MoreReaders int            `json:"more_readers,omitempty"`
	// UsageDays and UsageQueries are the known usage of the dataset in that time.
	UsageDays    int   `json:"usage_days"`
	UsageQueries int64 `json:"usage_queries"`
}

// UnusedReader reads a column, or may read it.
type UnusedReader struct {
	URN string `json:"urn"`
	Why string `json:"why"`
}

// mostReaders is how many readers of a column an answer names.
const mostReaders = 3

func (h *Handler) unusedColumns(ctx context.Context, in *UnusedArguments) (*UnusedAnswer, error) {
	datasets, err := h.urns(ctx, in.Datasets, model.EntityDataset)
	if err != nil {
		return nil, err
	}
	platforms, err := h.urns(ctx, in.Platforms, model.EntityDataPlatform)
	if err != nil {
		return nil, err
	}
	found, err := h.catalog.Unused.Columns(ctx, unused.Request{
		Datasets: datasets, Platforms: platforms, Query: in.Query, Days: in.Days, All: in.All, Start: in.Start, Count: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	out := &UnusedAnswer{Since: shown(found.Since), Datasets: found.Datasets, Judged: found.Judged}
	columns := make([]UnusedColumn, len(found.Columns))
	for i := range found.Columns {
		columns[i] = unusedColumn(&found.Columns[i])
	}
	out.Columns = fitting(columns, limits.MaxAgentAnswer)
	if found.Partial != "" {
		out.lacks(found.Partial)
	}
	switch {
	case len(out.Columns) < len(columns):
		out.lacks("the answer became too large; ask with a smaller limit, or about fewer datasets")
	case found.Next != 0:
		out.Next = &found.Next
		out.lacks("there are more datasets")
	}
	return out, nil
}

func unusedColumn(of *unused.Column) UnusedColumn {
	c := UnusedColumn{
		Dataset: of.Dataset, Column: of.Path, Type: clip(of.Type, limits.MaxAgentListedText), Verdict: of.Verdict, Doubts: of.Doubts,
		MoreReaders: max(0, of.ReaderCount-mostReaders), UsageDays: of.Basis.UsageDays, UsageQueries: of.Basis.UsageQueries,
	}
	for i := range of.Readers[:min(len(of.Readers), mostReaders)] {
		c.Readers = append(c.Readers, UnusedReader{of.Readers[i].URN, clip(of.Readers[i].Why, limits.MaxAgentListedText)})
	}
	return c
}

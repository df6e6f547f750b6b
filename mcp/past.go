package mcp

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// QueriesArguments are the arguments of queries.
type QueriesArguments struct {
	Of string `json:"of" jsonschema:"an entity, or a column as <entity>.<path>; name or URN"`
	Paging
}

// QueriesAnswer is the answer of queries.
type QueriesAnswer struct {
	Of      string  `json:"of"`
	Queries []Query `json:"queries"`
	// Usage is the use of the dataset in all, as its source reports it.
	Usage *UsageCount `json:"usage,omitempty"`
	Page
}

// Query is a query that uses an entity.
type Query struct {
	URN         string `json:"urn"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	Language    string `json:"language,omitempty"`
	Text        string `json:"text"`
	// Source is MANUAL for a query that somebody saved, and SYSTEM for a query that was
	// observed.
	Source string `json:"source,omitempty"`
	// By is the actor who wrote the query.
	By string `json:"by,omitempty"`
	// At is the time of the last change of the query.
	At string `json:"at,omitempty"`
	// Uses are the entities and columns that the query uses.
	Uses []string `json:"uses,omitempty"`
}

// UsageCount says how much a dataset was used.
type UsageCount struct {
	Queries *int64 `json:"queries,omitempty"`
	// Users are the users with the most queries, the most frequent first.
	Users []UserUses `json:"users,omitempty"`
	// Popular are the most frequent queries.
	Popular []string `json:"popular,omitempty"`
}

// UserUses is a user with the number of the user's queries of a dataset.
type UserUses struct {
	User  string `json:"user"`
	Count int64  `json:"count"`
}

func (h *Handler) queries(ctx context.Context, in *QueriesArguments) (*QueriesAnswer, error) {
	u, err := h.subject(ctx, in.Of, search.EitherPart)
	if err != nil {
		return nil, err
	}
	if u.EntityType() != model.EntitySchemaField {
		if err := h.catalog.RequireExisting(ctx, u); err != nil {
			return nil, err
		}
	}
	found, err := h.catalog.Search.Search(ctx, search.Request{
		Types: []string{model.EntityQuery}, Start: in.Start, Count: in.Limit, WithoutMatches: true, Facets: []string{},
		Filter: &catalog.Filter{Criteria: []catalog.Criterion{{Field: "entities", Value: u.String(), Condition: catalog.CondEqual}}},
		Sort:   &search.SortCriterion{Field: "lastModifiedAt", Order: "DESCENDING"},
	})
	if err != nil {
		return nil, err
	}
	urns := make([]model.URN, 0, len(found.Hits))
	for _, hit := range found.Hits {
		urns = append(urns, model.StoredURN(hit.URN))
	}
	sheets, err := h.sheets(ctx, urns, model.AspectQuerySubjects)
	if err != nil {
		return nil, err
	}
	out := &QueriesAnswer{Of: u.String()}
	for i := range sheets {
		out.Queries = append(out.Queries, sheets[i].query())
	}
	out.Queries = fitting(out.Queries, limits.MaxAgentAnswer)
	out.continues(in.Start, len(out.Queries), found.Total)
	if u.EntityType() == model.EntityDataset {
		out.Usage, err = h.usage(ctx, u)
	}
	return out, err
}

func (s *sheet) query() Query {
	properties := s.aspects[model.AspectQueryProperties]
	statement, changed := jsontree.Member(properties, "statement"), jsontree.Member(properties, "lastModified")
	q := Query{
		URN: s.urn.String(), Name: jsontree.Text(properties, "name"), Description: clip(jsontree.Text(properties, "description"), limits.MaxAgentListedText),
		Language: jsontree.Text(statement, "language"), Text: clip(jsontree.Text(statement, "value"), limits.MaxAgentSQL),
		Source: jsontree.Text(properties, "source"), At: shown(jsontree.Integer(changed["time"])),
		Uses: s.members(model.AspectQuerySubjects, "subjects", "entity"),
	}
	if by := jsontree.Text(changed, "actor"); by != "" {
		q.By = leaf(by)
	}
	return q
}

// usersShown is the number of users and of frequent queries that are shown.
const usersShown = 5

func (h *Handler) usage(ctx context.Context, u model.URN) (*UsageCount, error) {
	used, err := h.catalog.QueryUsage(ctx, read.UsageQuery{Resource: u})
	if err != nil || len(used.Buckets) == 0 {
		return nil, err
	}
	count := &UsageCount{Queries: used.Aggregations.TotalSQLQueries}
	for _, user := range used.Aggregations.Users[:min(usersShown, len(used.Aggregations.Users))] {
		count.Users = append(count.Users, UserUses{leaf(user.User), user.Count})
	}
	for i := range used.Buckets {
		for _, sql := range used.Buckets[i].Metrics.TopSQLQueries {
			if sql = clip(sql, limits.MaxAgentText); len(count.Popular) < usersShown && !slices.Contains(count.Popular, sql) {
				count.Popular = append(count.Popular, sql)
			}
		}
	}
	return count, nil
}

// RunsArguments are the arguments of runs.
type RunsArguments struct {
	Run         string `json:"run,omitempty" jsonschema:"the id of a run; all runs are listed if left out"`
	Pipeline    string `json:"pipeline,omitempty" jsonschema:"only runs of this pipeline"`
	Bookkeeping bool   `json:"bookkeeping,omitempty" jsonschema:"list writes without a run too"`
	Paging
}

// RunsAnswer is the answer of runs. It has either Runs or Wrote.
type RunsAnswer struct {
	Runs []Run `json:"runs,omitempty"`
	// Wrote lists the metadata that the run wrote and that is still current, entity by entity.
	Wrote []Wrote `json:"wrote,omitempty"`
	Page
}

// Run is an ingestion run.
type Run struct {
	Run string `json:"run"`
	// Aspects is the number of aspects whose latest version the run wrote.
	Aspects int64 `json:"aspects"`
	// TimeSeries is the number of time-series values that the run wrote.
	TimeSeries int64 `json:"time_series,omitempty"`
	// At is the time of the last of these writes.
	At string `json:"at"`
	// Pipeline is the pipeline of the run.
	Pipeline string `json:"pipeline,omitempty"`
	// RolledBack is the time at which the run was rolled back. The aspects in the count were
	// current until then.
	RolledBack string `json:"rolled_back,omitempty"`
	// RolledBackBy is the actor who rolled the run back.
	RolledBackBy string `json:"rolled_back_by,omitempty"`
}

func runOf(r *removal.RunOverview) Run {
	counts := r.Summary(false)
	run := Run{Run: r.RunID, Aspects: counts.Rows, TimeSeries: counts.TimeSeriesRows, At: shown(r.Ended), Pipeline: r.Pipeline}
	if r.RolledBack {
		run.RolledBack, run.RolledBackBy = shown(r.RolledBackAt), r.RolledBackBy
	}
	return run
}

// Wrote is the metadata of one entity that a run wrote.
type Wrote struct {
	URN string `json:"urn"`
	// Created says whether the run created the entity.
	Created bool     `json:"created,omitempty"`
	Aspects []string `json:"aspects"`
	At      string   `json:"at"`
}

func (h *Handler) runs(ctx context.Context, in *RunsArguments) (*RunsAnswer, error) {
	out := &RunsAnswer{}
	if in.Run != "" {
		return out, h.describeRun(ctx, in, out)
	}
	runs, total, err := h.catalog.Removal.ListRuns(ctx, removal.RunsRequest{
		Start: in.Start, Count: in.Limit, Pipeline: in.Pipeline, Bookkeeping: in.Bookkeeping, WithoutRemoved: true,
	})
	if err != nil {
		return nil, err
	}
	for i := range runs {
		out.Runs = append(out.Runs, runOf(&runs[i]))
	}
	out.Runs = fitting(out.Runs, limits.MaxAgentAnswer)
	out.continues(in.Start, len(out.Runs), int(total))
	return out, nil
}

// describeRun lists the metadata that a run wrote. The arguments start and limit count aspects.
func (h *Handler) describeRun(ctx context.Context, in *RunsArguments, out *RunsAnswer) error {
	rows, err := h.catalog.Removal.DescribeRun(ctx, removal.RunQuery{RunID: in.Run, Start: in.Start, Count: in.Limit + 1})
	if err != nil {
		return err
	}
	if len(rows) == 0 && in.Start == 0 {
		if run, _, err := h.catalog.Removal.RunNamed(ctx, in.Run); err != nil {
			return err
		} else if run != nil && run.RolledBack {
			return catalog.Errorf(catalog.NotFound, "the run %q was rolled back at %s by %s; nothing that it wrote is current", in.Run, shown(run.RolledBackAt), run.RolledBackBy)
		}
		return catalog.Errorf(catalog.NotFound, "nothing that is still current was written by the run %q; runs without an argument lists the runs", in.Run)
	}
	fit := fitting(rows[:min(len(rows), in.Limit)], limits.MaxAgentAnswer)
	for _, row := range fit {
		if n := len(out.Wrote); n == 0 || out.Wrote[n-1].URN != row.URN {
			out.Wrote = append(out.Wrote, Wrote{URN: row.URN, At: shown(row.Timestamp)})
		}
		last := &out.Wrote[len(out.Wrote)-1]
		last.Created = last.Created || row.KeyAspect
		last.Aspects = append(last.Aspects, row.AspectName)
	}
	if len(fit) < len(rows) {
		next := in.Start + len(fit)
		out.Next = &next
		out.lacks("there is more; start and limit count aspects")
	}
	return nil
}

// HistoryArguments are the arguments of history.
type HistoryArguments struct {
	Of         string   `json:"of" jsonschema:"an entity, or a column as <entity>.<path>; name or URN"`
	Categories []string `json:"categories,omitempty"`
	Since      string   `json:"since,omitempty" jsonschema:"the first moment; as far back as versions are kept if left out"`
	Until      string   `json:"until,omitempty" jsonschema:"the last moment; now if left out"`
	Paging
}

// HistoryAnswer is the answer of history.
type HistoryAnswer struct {
	Of      string   `json:"of"`
	Changes []Change `json:"changes"`
	// Expected are the changes that were announced before they are merged, with the first page of an answer that
	// reaches until now. MoreExpected counts further changes.
	Expected     []ExpectedChange `json:"expected,omitempty"`
	MoreExpected int              `json:"more_expected,omitempty"`
	Page
}

// Change is a change of an entity or of one of its columns.
type Change struct {
	At       string `json:"at"`
	Actor    string `json:"actor"`
	Category string `json:"category"`
	// Operation is ADD, REMOVE or MODIFY.
	Operation   string `json:"operation"`
	Description string `json:"description"`
}

func (h *Handler) history(ctx context.Context, in *HistoryArguments) (*HistoryAnswer, error) {
	since, err := moment("since", in.Since)
	if err != nil {
		return nil, err
	}
	until, err := moment("until", in.Until)
	if err != nil {
		return nil, err
	}
	named, err := h.catalog.Search.Resolve(ctx, search.NameRequest{Name: in.Of, Part: search.EitherPart})
	if err != nil {
		return nil, err
	}
	subject, err := named.Subject()
	if err != nil {
		return nil, err
	}
	if err := h.catalog.RequireExisting(ctx, named.URN); err != nil {
		return nil, err
	}
	transactions, err := h.catalog.History.Timeline(ctx, history.TimelineRequest{
		URN: named.URN, Categories: in.Categories, Start: max(since, 1), End: until,
	})
	if err != nil {
		return nil, err
	}
	var changes []Change
	for _, t := range slices.Backward(transactions) {
		for i := range t.ChangeEvents {
			e := &t.ChangeEvents[i]
			if named.Column != "" && e.EntityURN != subject.String() && e.Modifier != subject.String() {
				continue
			}
			changes = append(changes, Change{shown(t.Timestamp), t.Actor, e.Category, e.Operation, clip(e.Description, limits.MaxAgentText)})
		}
	}
	out := &HistoryAnswer{Of: subject.String()}
	if in.Start == 0 && until == 0 {
		if out.Expected, out.MoreExpected, err = h.expected(ctx, named.URN, named.Column); err != nil {
			return nil, err
		}
	}
	most := limits.MaxAgentAnswer
	if len(out.Expected) > 0 {
		most -= mostExpectedBytes
	}
	out.Changes = pageOf(&out.Page, in.Paging, changes, fits[Change](most))
	return out, nil
}

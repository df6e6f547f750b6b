package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// deleteOptions are the flags of delete.
type deleteOptions struct {
	hard, undo, references, dryRun, yes, onlySoftDeleted bool
	types, filters                                       []string
	query, platform, env                                 string
	aspect, start, end                                   string
	runID                                                string
}

func newDelete(e *cli.Environment) *cobra.Command {
	var o deleteOptions
	c := &cobra.Command{
		Use:   "delete [NAME...]",
		Short: "Delete entities, by name or by filter",
		Long: `Delete the entities named, or those that a filter finds. A soft delete hides an
entity from searches and can be undone with --undo. With --hard, everything that
is stored of it is deleted for good: versions, edges, time series. References to
it in other entities remain, unless --references is given.

With --aspect, only values of a time-series aspect are deleted, between --start
and --end.

--dry-run counts and changes nothing. An interrupted delete continues when it is
started again.

` + cli.NameHelp + ` What a name
stands for is shown, with its URN, and must be confirmed. A URN is not asked about
when the delete can be undone.

` + cli.ExitHelp,
		Example: `  headwater delete urn:li:tag:Deprecated
  headwater delete tag:Deprecated
  headwater delete urn:li:tag:Deprecated --hard --references
  headwater delete --platform hive --env DEV --dry-run
  headwater delete --type chart --filter tool=looker --hard --yes
  headwater delete marts.orders --aspect datasetProfile --end 2026-01-01`,
		RunE: func(c *cobra.Command, args []string) error { return deleteEntities(c.Context(), e, args, &o) },
	}
	f := c.Flags()
	f.BoolVar(&o.hard, "hard", false, "delete for good, instead of hiding")
	f.BoolVar(&o.undo, "undo", false, "undo soft deletes")
	f.BoolVar(&o.references, "references", false, "with --hard: also remove references to the entities")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "count, and change nothing")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.StringSliceVar(&o.types, "type", nil, "entity types to search for")
	f.StringVar(&o.platform, "platform", "", "platform, by name or URN")
	f.StringVar(&o.env, "env", "", "environment, such as PROD")
	f.StringVar(&o.query, "query", "", "search words, or <field>:<value>")
	f.StringArrayVar(&o.filters, "filter", nil, "field=value as in search; repeatable")
	f.BoolVar(&o.onlySoftDeleted, "only-soft-deleted", false, "with --hard: only entities that are already soft-deleted")
	f.StringVar(&o.aspect, "aspect", "", "time-series aspect whose values are deleted")
	f.StringVar(&o.start, "start", "", "earliest time of values, inclusive: "+wording.MomentForms)
	f.StringVar(&o.end, "end", "", "latest time of values, inclusive")
	f.StringVar(&o.runID, "run-id", "headwater-delete", "run id for soft deletes")
	e.ClientFlags(c)
	e.OutputFlag(c)
	e.CompleteArgs(c, 0, e.Names(client.NameQuery{Part: cli.EntityPart}))
	e.CompleteFlag(c, "platform", e.Names(client.NameQuery{Part: cli.EntityPart, Types: cli.FilterTypes["platform"]}))
	e.CompleteFlag(c, "aspect", cli.Fixed(slices.Collect(cli.AspectsOf(func(a *model.Aspect) bool { return a.TimeSeries }))...))
	e.CompleteFlag(c, "filter", e.Criteria)
	e.CompleteTypes(c)
	return c
}

func (o *deleteOptions) byFilter() bool {
	return len(o.types)+len(o.filters) > 0 || o.query+o.platform+o.env != ""
}

func (o *deleteOptions) check(urns []string) error {
	switch {
	case len(urns) == 0 && !o.byFilter():
		return errors.New("name entities, or find them with --type, --platform, --env, --query or --filter")
	case len(urns) > 0 && o.byFilter():
		return errors.New("name entities or find them, not both")
	case o.hard && o.undo:
		return errors.New("a hard delete cannot be undone")
	case o.references && !o.hard:
		return errors.New("--references needs --hard")
	case o.onlySoftDeleted && !o.hard:
		return errors.New("--only-soft-deleted needs --hard")
	case o.aspect == "" && o.start+o.end != "":
		return errors.New("--start and --end need --aspect")
	case o.aspect != "" && (o.hard || o.undo || o.onlySoftDeleted):
		return errors.New("values are deleted for good; --aspect cannot be combined with --hard, --undo or --only-soft-deleted")
	}
	return nil
}

func deleteEntities(ctx context.Context, e *cli.Environment, urns []string, o *deleteOptions) error {
	if err := o.check(urns); err != nil {
		return cli.BadUsage(err)
	}
	values, err := o.valuesRequest()
	if err != nil {
		return cli.BadUsage(err)
	}
	named := len(urns) > 0
	if !named {
		if urns, err = findToDelete(ctx, e, o); err != nil {
			return err
		}
	}
	var missing []string
	byName := false
	if named {
		if urns, byName, err = namedToDelete(ctx, e, urns, o); err != nil {
			return err
		}
		if urns, missing, err = storedOf(ctx, e, urns); err != nil {
			return err
		}
		if len(urns) == 0 {
			return nothingStored(missing)
		}
	}
	if o.aspect != "" {
		return cmp.Or(deleteValues(ctx, e, urns, values, o), nothingStored(missing))
	}
	if len(urns) > 0 && !o.dryRun && (o.hard || !named || byName) {
		what := "This hides"
		switch {
		case o.hard:
			what = "This deletes for good"
		case o.undo:
			what = "This shows again"
		}
		if err := e.Confirm(o.yes, fmt.Sprintf("%s %s.", what, byType(urns))); err != nil {
			return err
		}
	}
	total, err := deleteAll(ctx, e, urns, o)
	if err != nil {
		return err
	}
	return cmp.Or(showDeleted(e, total, o), nothingStored(missing))
}

// storedOf splits URNs into the URNs of stored entities and the URNs of entities that the server
// does not store.
func storedOf(ctx context.Context, e *cli.Environment, urns []string) (stored, missing []string, err error) {
	for _, urn := range urns {
		exists, err := e.Client().Exists(ctx, urn)
		if err != nil {
			return nil, nil, err
		}
		if exists {
			stored = append(stored, urn)
		} else {
			missing = append(missing, urn)
		}
	}
	return stored, missing, nil
}

// nothingStored returns the error about URNs of which the server stores nothing, nil for an
// empty list.
func nothingStored(urns []string) error {
	if len(urns) == 0 {
		return nil
	}
	return &client.Error{Status: http.StatusNotFound, Message: "nothing is stored of " + strings.Join(urns, ", ")}
}

// byType returns the numbers of URNs by entity type, with an example of each type. The only
// URN of a type is named without a number.
func byType(urns []string) string {
	counts, example := map[string]int{}, map[string]string{}
	var types []string
	for _, urn := range urns {
		name := cmp.Or(model.StoredURN(urn).EntityType(), "?")
		if counts[name]++; counts[name] == 1 {
			types, example[name] = append(types, name), urn
		}
	}
	slices.Sort(types)
	parts := make([]string, len(types))
	for i, name := range types {
		parts[i] = fmt.Sprintf("%d %s (such as %s)", counts[name], name, example[name])
		if counts[name] == 1 {
			parts[i] = fmt.Sprintf("the %s %s", name, example[name])
		}
	}
	return strings.Join(parts, ", ")
}

// The sizes of requests: how many URNs one request finds, deletes, or deletes with their
// references.
const (
	foundAtOnce      = 1000
	deletedAtOnce    = 200
	referencesAtOnce = 20
)

// findToDelete returns all entities that the filter finds. All are found before the first
// is deleted, because deletions change the pages of a search.
func findToDelete(ctx context.Context, e *cli.Environment, o *deleteOptions) ([]string, error) {
	filters := slices.Clone(o.filters)
	if o.env != "" {
		filters = append(filters, "origin="+o.env)
	}
	if o.platform != "" {
		filters = append(filters, "platform="+o.platform)
	}
	criteria, err := cli.CriteriaOf(filters)
	if err != nil {
		return nil, err
	}
	if err := resolveWhole(ctx, e, criteria); err != nil {
		return nil, err
	}
	// A search finds hidden entities only if its filter asks for them.
	var passes [][]*cli.Criterion
	if !o.undo && !o.onlySoftDeleted {
		passes = append(passes, criteria)
	}
	if o.undo || o.hard {
		passes = append(passes, append(slices.Clone(criteria), &cli.Criterion{Field: "removed", Values: []string{"true"}}))
	}
	var urns []string
	for _, pass := range passes {
		found, err := scroll(ctx, e, o, pass)
		if err != nil {
			return nil, err
		}
		urns = append(urns, found...)
	}
	return urns, nil
}

func scroll(ctx context.Context, e *cli.Environment, o *deleteOptions, criteria []*cli.Criterion) ([]string, error) {
	input := o.query
	if input == "" {
		input = "*"
	}
	var urns []string
	for scrollID := ""; ; {
		var page struct {
			ScrollID string `json:"scrollId"`
			Entities []struct {
				Entity string `json:"entity"`
			} `json:"entities"`
		}
		request := map[string]any{"input": input, "entities": o.types, "count": foundAtOnce, "filter": cli.FilterOf(criteria), "scrollId": scrollID}
		if _, err := e.Post(ctx, "/entities?action=scrollAcrossEntities", request, &page); err != nil {
			return nil, err
		}
		for _, hit := range page.Entities {
			urns = append(urns, hit.Entity)
		}
		if scrollID = page.ScrollID; scrollID == "" || len(page.Entities) == 0 {
			return urns, nil
		}
	}
}

// deleteAll deletes entities, several in one request.
func deleteAll(ctx context.Context, e *cli.Environment, urns []string, o *deleteOptions) (removal.BatchDeletionResult, error) {
	var total removal.BatchDeletionResult
	size := deletedAtOnce
	if o.references {
		size = referencesAtOnce
	}
	bar := e.CountBar("deleting", len(urns))
	defer bar.Finish()
	done := 0
	for chunk := range slices.Chunk(urns, size) {
		var part removal.BatchDeletionResult
		if _, err := e.Post(ctx, "/entities?action=batchDelete", map[string]any{
			"urns": chunk, "soft": !o.hard, "undo": o.undo, "references": o.references, "dryRun": o.dryRun,
			"systemMetadata": map[string]string{"runId": o.runID},
		}, &part); err != nil {
			return total, fmt.Errorf("%w (%d of %d are done; the same command continues)", err, done, len(urns))
		}
		total.Entities += part.Entities
		total.Rows += part.Rows
		total.TimeSeriesRows += part.TimeSeriesRows
		total.References += part.References
		done += len(chunk)
		bar.Set(done)
	}
	return total, nil
}

// deletion is the JSON output of delete.
type deletion struct {
	DryRun bool   `json:"dryRun"`
	Kind   string `json:"kind"`
	removal.BatchDeletionResult
}

func showDeleted(e *cli.Environment, total removal.BatchDeletionResult, o *deleteOptions) error {
	kind, verb := "soft", "hidden"
	switch {
	case o.hard:
		kind, verb = "hard", "deleted"
	case o.undo:
		kind, verb = "undo", "shown again"
	}
	if e.Output == "json" {
		return e.WriteJSON(deletion{o.dryRun, kind, total})
	}
	would := ""
	if o.dryRun {
		would = "would be "
	}
	fmt.Fprintf(e.Stdout, "%s %s%s", wording.Counted(int(total.Entities), "entity", "entities"), would, verb)
	if o.hard {
		fmt.Fprintf(e.Stdout, ": %s, %s", wording.Counted(int(total.Rows), "version", "versions"), wording.Counted(int(total.TimeSeriesRows), "time-series value", "time-series values"))
		if o.references {
			fmt.Fprintf(e.Stdout, ", %s to them", wording.Counted(int(total.References), "reference", "references"))
		}
	}
	fmt.Fprintln(e.Stdout)
	return nil
}

// valuesRequest returns the request to delete values of a time-series aspect. The caller
// adds the entity.
func (o *deleteOptions) valuesRequest() (map[string]any, error) {
	request := map[string]any{"aspectName": o.aspect, "dryRun": o.dryRun}
	for name, text := range map[string]string{"startTimeMillis": o.start, "endTimeMillis": o.end} {
		if text == "" {
			continue
		}
		at, ok := wording.ParseMoment(text)
		if !ok {
			return nil, fmt.Errorf("%q is not a moment; a moment is %s", text, wording.MomentForms)
		}
		request[name] = at
	}
	return request, nil
}

// deleteValues deletes values of a time-series aspect, of several entities.
func deleteValues(ctx context.Context, e *cli.Environment, urns []string, request map[string]any, o *deleteOptions) error {
	if !o.dryRun && len(urns) > 0 {
		if err := e.Confirm(o.yes, fmt.Sprintf("This deletes values of %s of %s for good.", o.aspect, byType(urns))); err != nil {
			return err
		}
	}
	var total int64
	for _, urn := range urns {
		request["urn"] = urn
		var deleted write.Deletion
		if _, err := e.Post(ctx, "/entities?action=delete", request, &deleted); err != nil {
			return err
		}
		total += deleted.TimeSeriesRows
	}
	if e.Output == "json" {
		return e.WriteJSON(deletion{o.dryRun, "values", removal.BatchDeletionResult{TimeSeriesRows: total}})
	}
	would := ""
	if o.dryRun {
		would = "would be "
	}
	fmt.Fprintf(e.Stdout, "%s %sdeleted\n", wording.Counted(int(total), "time-series value", "time-series values"), would)
	return nil
}

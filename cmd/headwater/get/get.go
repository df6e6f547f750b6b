// Package get has the command get: the page of an entity, its aspects, their versions and its past.
package get

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/quality"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newGet(e)}
}

func newGet(e *cli.Environment) *cobra.Command {
	var (
		version int64
		v       entityView
	)
	c := &cobra.Command{
		Use:   "get NAME",
		Short: "Show an entity, or one version of an aspect",
		Long: `Show what is known of an entity: its description, owners, labels, columns, what it
comes from and feeds, and the runs that wrote it. Of data, also whether it is fresh
and passes its checks: the last change and the last profile that were reported, and
each assertion with its last result, those that failed first. Of an assertion, its
last results. Lists are cut; --all shows more. --stated adds who or what stated its
tags, terms and owners, and since when.

With --as-of, show the entity as it was at a past moment: epoch milliseconds, a day
(2026-10-21) or a time (2026-10-21T08:00:00Z). Names of other entities are those of
today.

--aspect shows the aspects that it names, and of a time series the newest value. With
--version, show one version of one aspect: 0 is the latest, 1 the oldest, 2 the next
one, -1 the newest archived one. --output json prints all of the aspects.

` + cli.NameHelp + ` What is soft-deleted is
found by its URN.

` + cli.ExitHelp,
		Example: `  headwater get marts.orders
  headwater get 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)'
  headwater get corpuser:ada --stated
  headwater get corpuser:ada --aspect corpUserInfo -o json
  headwater get corpuser:ada --aspect corpUserInfo --version 1
  headwater get marts.orders --aspect datasetProfile
  headwater get marts.orders --as-of 2026-10-21`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			oneVersion := c.Flags().Changed("version")
			switch {
			case oneVersion && len(v.aspects) != 1:
				return cli.BadUsage(fmt.Errorf("--version takes exactly one --aspect"))
			case oneVersion && v.asOf != "":
				return cli.BadUsage(fmt.Errorf("--version and --as-of cannot be combined"))
			case v.stated && v.asOf != "":
				return cli.BadUsage(fmt.Errorf("--stated and --as-of cannot be combined: who stated what is known of today only"))
			case oneVersion && isTimeSeries(v.aspects[0]):
				return cli.BadUsage(fmt.Errorf("%s is a time series: its values have no versions; --aspect %s shows the newest one", v.aspects[0], v.aspects[0]))
			}
			urn, err := e.URNOf(c.Context(), args[0], cli.EitherPart)
			if err != nil {
				return err
			}
			v.asked = c.Flags().Arg(0)
			if oneVersion {
				return showVersion(c.Context(), e, urn, v.aspects[0], version)
			}
			entity, err := readEntity(c.Context(), e, urn, &v)
			if err != nil {
				return err
			}
			return cmp.Or(showEntity(c.Context(), e, entity, &v), requireAspects(entity, v.aspects))
		},
	}
	c.Flags().StringSliceVarP(&v.aspects, "aspect", "a", nil, "aspects to show, separated by commas or repeated")
	c.Flags().BoolVar(&v.stated, "stated", false, "also show who or what stated tags, terms and owners")
	c.Flags().BoolVar(&v.all, "all", false, "do not cut lists")
	c.Flags().StringVar(&v.asOf, "as-of", "", "past moment (default: now)")
	c.Flags().Int64Var(&version, "version", 0, "version of the aspect to show")
	e.ClientFlags(c)
	e.OutputFlag(c)
	e.CompleteArgs(c, 1, e.Names(client.NameQuery{}))
	e.CompleteFlag(c, "aspect", cli.Listed(completeAspects(e)))
	return c
}

// entityView selects the data of an entity to show.
type entityView struct {
	// asked is the argument that named the entity.
	asked       string
	aspects     []string
	stated, all bool
	// asOf is a past moment in the user's words, "" for now. past is the answer about that
	// moment, nil for now.
	asOf string
	past *pastAnswer
}

// pastAnswer is an entity at a past moment.
type pastAnswer struct {
	client.Entity
	AsOf   int64    `json:"asOf"`
	Unsure []string `json:"unsure"`
	Lost   []string `json:"lost"`
}

// readEntity reads an entity, now or at a past moment. It adds the newest values of the
// time series among the requested aspects.
func readEntity(ctx context.Context, e *cli.Environment, urn string, v *entityView) (*client.Entity, error) {
	if v.asOf != "" {
		v.past = &pastAnswer{}
		path := "/entity-at/" + model.EncodeURN(urn) + "?asOf=" + url.QueryEscape(v.asOf)
		if len(v.aspects) > 0 {
			path += "&aspects=List(" + strings.ReplaceAll(url.QueryEscape(strings.Join(v.aspects, ",")), "%2C", ",") + ")"
		}
		_, err := e.Ask(ctx, path, v.past)
		return &v.past.Entity, err
	}
	entity, err := e.Client().Entity(ctx, urn, v.aspects)
	if err != nil {
		return nil, err
	}
	for _, name := range v.aspects {
		if _, ok := entity.Aspects[name]; ok {
			continue
		}
		if err := addSeries(ctx, e, entity, name); err != nil {
			return nil, err
		}
	}
	return entity, nil
}

// addSeries adds the newest value of a time series to an entity, if it has one.
func addSeries(ctx context.Context, e *cli.Environment, entity *client.Entity, name string) error {
	if spec, ok := model.Default().Aspect(name); ok && !spec.TimeSeries {
		return nil
	}
	var found client.TimeSeriesValues
	query := map[string]any{"urn": entity.URN, "entity": entity.EntityName, "aspect": name, "limit": 1}
	_, err := e.Post(ctx, client.TimeSeriesPath, query, &found)
	var refused *client.Error
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest || err == nil && len(found.Values) == 0 {
		return nil // the aspect is not a time series, or has no values
	}
	if err != nil {
		return err
	}
	value := client.Aspect{Name: name, Type: typeTimeSeries, Value: json.RawMessage(found.Values[0].Aspect.Value), System: found.Values[0].System}
	if tree, err := jsontree.DecodeObject(value.Value); err == nil {
		value.Created.Time = jsontree.Integer(tree["timestampMillis"])
	}
	entity.Aspects[name] = value
	return nil
}

// typeTimeSeries marks the values of time series in answers.
const typeTimeSeries = "TIMESERIES"

// isTimeSeries reports whether an aspect of the model is a time series.
func isTimeSeries(name string) bool {
	spec, ok := model.Default().Aspect(name)
	return ok && spec.TimeSeries
}

// showVersion writes one version of an aspect.
func showVersion(ctx context.Context, e *cli.Environment, urn, aspect string, version int64) error {
	if e.Output == "json" {
		answer, err := e.Client().Aspect(ctx, urn, aspect, version)
		if err != nil {
			return err
		}
		return e.WriteJSON(answer)
	}
	kind := model.StoredURN(urn).EntityType()
	found := struct {
		Value  json.RawMessage `json:"value"`
		System json.RawMessage `json:"systemMetadata"`
		Stamp  struct {
			Time  int64  `json:"time"`
			Actor string `json:"actor"`
		} `json:"auditStamp"`
	}{}
	path := "/openapi/v3/entity/" + url.PathEscape(kind) + "/" + model.EncodeURN(urn) + "/" + url.PathEscape(aspect) + "?systemMetadata=true&version=" + strconv.FormatInt(version, 10)
	if _, err := e.Ask(ctx, path, &found); err != nil {
		return err
	}
	one := client.Aspect{Name: aspect, Version: version, Value: found.Value, System: found.System}
	one.Created.Time, one.Created.Actor = found.Stamp.Time, found.Stamp.Actor
	return writeAspects(e, &client.Entity{URN: urn, EntityName: kind, Aspects: map[string]client.Aspect{aspect: one}})
}

// showEntity writes the page of an entity, or the requested aspects.
func showEntity(ctx context.Context, e *cli.Environment, entity *client.Entity, v *entityView) error {
	var stated struct {
		Labels []statements.Label `json:"labels"`
	}
	whole := len(v.aspects) == 0
	if whole && v.asOf == "" && (v.stated || e.Output == "json") {
		if err := e.Client().Get(ctx, "/labels/"+model.EncodeURN(entity.URN), &stated); err != nil {
			return err
		}
	}
	if e.Output == "json" && v.past != nil {
		return e.WriteJSON(v.past)
	}
	var state *quality.State
	if whole && v.past == nil {
		var err error
		if state, err = qualityOf(ctx, e, entity); err != nil {
			return err
		}
	}
	if e.Output == "json" {
		return e.WriteJSON(struct {
			*client.Entity
			Labels  []statements.Label `json:"labels,omitempty"`
			Quality *quality.State     `json:"quality,omitempty"`
		}{entity, stated.Labels, state})
	}
	if !whole {
		return writeAspects(e, entity)
	}
	p, err := readPage(ctx, e, entity, v, state)
	if err != nil {
		return err
	}
	return cmp.Or(p.write(e.Stdout, screen.WidthOf(e.Stdout)), writeLabels(e, stated.Labels))
}

// requireAspects returns an error if the entity lacks a requested aspect.
func requireAspects(entity *client.Entity, wanted []string) error {
	for _, name := range wanted {
		if _, ok := entity.Aspects[name]; ok {
			continue
		}
		known := slices.Collect(maps.Keys(entity.Aspects))
		if kind, ok := model.Default().Entity(entity.EntityName); ok {
			known = append(known, kind.Aspects...)
		}
		message := fmt.Sprintf("%s has no aspect %q", entity.URN, name)
		if isTimeSeries(name) {
			message = fmt.Sprintf("the time series %s of %s has no values", name, entity.URN)
		}
		if !slices.Contains(known, name) {
			message += nearest.Question(nearest.Names(name, slices.Values(known)))
		}
		return &client.Error{Status: http.StatusNotFound, Message: message}
	}
	return nil
}

// writeLabels writes for each tag, term and owner of an entity who or what stated it.
func writeLabels(e *cli.Environment, labels []statements.Label) error {
	if len(labels) == 0 {
		return nil
	}
	fmt.Fprintln(e.Stdout)
	table := &screen.Table{Columns: []screen.Column{{Head: "LABEL"}, {Head: "URN"}, {Head: "STATED BY"}, {Head: "SINCE"}, {Head: "RUN"}, {Head: "SOURCE"}}}
	for _, l := range labels {
		p, since := &l.Provenance, ""
		if p.StatedAt != 0 {
			since = show.TimeOf(p.StatedAt)
		}
		table.Add(l.Kind, l.URN, p.Actor, since, p.Run, p.Source)
	}
	return table.Write(e.Stdout, 0)
}

// writeAspects writes the aspects of an entity.
func writeAspects(e *cli.Environment, entity *client.Entity) error {
	width := screen.WidthOf(e.Stdout)
	fmt.Fprintf(e.Stdout, "%s  (%s)\n", screen.Line(entity.URN), entity.EntityName)
	for _, name := range slices.Sorted(maps.Keys(entity.Aspects)) {
		a := entity.Aspects[name]
		version := fmt.Sprintf("version %d", a.Version)
		if a.Type == typeTimeSeries {
			version = "newest value"
		}
		head := []string{name, version, show.TimeOf(a.Created.Time), screen.Line(a.Created.Actor)}
		if system, err := jsontree.DecodeObject(a.System); err == nil && jsontree.Text(system, "runId") != "" {
			head = append(head, "run "+screen.Line(jsontree.Text(system, "runId")))
		}
		fmt.Fprintf(e.Stdout, "\n%s\n", strings.Join(slices.DeleteFunc(head, func(part string) bool { return part == "" }), "  "))
		value, err := jsontree.DecodeObject(a.Value)
		if err != nil {
			return err
		}
		if err := writeValue(e.Stdout, value, width); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/client"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

func newGet(e *environment) *cobra.Command {
	var (
		aspects     []string
		version     int64
		stated, all bool
	)
	c := &cobra.Command{
		Use:   "get NAME",
		Short: "Show an entity, or one version of an aspect",
		Long: `Show what is known of an entity: its description, owners, labels, columns, what it
comes from and feeds, and the runs that wrote it. Lists are cut; --all shows more.
--stated adds who or what stated its tags, terms and owners, and since when.

--output json prints all of its latest aspects, and --aspect those that it names.
With --version, show one version of one aspect: 0 is the latest, 1 the oldest, 2 the
next one, -1 the newest archived one.

` + nameHelp + ` What is soft-deleted is
found by its URN.

` + exitHelp,
		Example: `  headwater get marts.orders
  headwater get 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)'
  headwater get corpuser:ada --stated
  headwater get corpuser:ada --aspect corpUserInfo -o json
  headwater get corpuser:ada --aspect corpUserInfo --version 1`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			oneVersion := c.Flags().Changed("version")
			if oneVersion && len(aspects) != 1 {
				return usageError{fmt.Errorf("--version takes exactly one --aspect")}
			}
			urn, err := e.urnOf(c.Context(), args[0], eitherPart)
			if err != nil {
				return err
			}
			if oneVersion {
				answer, err := e.client().Aspect(c.Context(), urn, aspects[0], version)
				if err != nil {
					return err
				}
				return e.writeJSON(answer)
			}
			entity, err := e.client().Entity(c.Context(), urn, aspects)
			if err != nil {
				return err
			}
			shown := entityView{asked: c.Flags().Arg(0), aspects: aspects, stated: stated, all: all}
			return cmp.Or(e.showEntity(c.Context(), entity, &shown), requireAspects(entity, aspects))
		},
	}
	c.Flags().StringSliceVarP(&aspects, "aspect", "a", nil, "aspects to show, separated by commas or repeated")
	c.Flags().BoolVar(&stated, "stated", false, "also show who or what stated tags, terms and owners")
	c.Flags().BoolVar(&all, "all", false, "do not cut lists")
	c.Flags().Int64Var(&version, "version", 0, "version of the aspect to show")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

// entityView is what is shown of an entity.
type entityView struct {
	// asked is the argument that found it.
	asked       string
	aspects     []string
	stated, all bool
}

// showEntity writes a page about an entity, or the aspects that were asked for.
func (e *environment) showEntity(ctx context.Context, entity *client.Entity, v *entityView) error {
	var stated struct {
		Labels []catalog.StatedLabel `json:"labels"`
	}
	if len(v.aspects) == 0 && (v.stated || e.output == "json") {
		if err := e.client().Get(ctx, "/labels/"+model.EncodeURN(entity.URN), &stated); err != nil {
			return err
		}
	}
	if e.output == "json" {
		return e.writeJSON(struct {
			*client.Entity
			Labels []catalog.StatedLabel `json:"labels,omitempty"`
		}{entity, stated.Labels})
	}
	if len(v.aspects) > 0 {
		return e.writeAspects(entity)
	}
	p, err := e.readPage(ctx, entity, v.asked, v.all)
	if err != nil {
		return err
	}
	return cmp.Or(p.write(e.stdout, screen.WidthOf(e.stdout)), e.writeLabels(stated.Labels))
}

// requireAspects fails when an entity lacks aspects that were asked for.
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
		if !slices.Contains(known, name) {
			message += nearest.Question(nearest.Names(name, slices.Values(known)))
		}
		return &client.Error{Status: http.StatusNotFound, Message: message}
	}
	return nil
}

// writeLabels writes who or what stated the tags, terms and owners of an entity.
func (e *environment) writeLabels(labels []catalog.StatedLabel) error {
	if len(labels) == 0 {
		return nil
	}
	fmt.Fprintln(e.stdout)
	table := &screen.Table{Columns: []screen.Column{{Head: "LABEL"}, {Head: "URN"}, {Head: "STATED BY"}, {Head: "SINCE"}, {Head: "RUN"}, {Head: "SOURCE"}}}
	for _, l := range labels {
		p, since := &l.Provenance, ""
		if p.StatedAt != 0 {
			since = timeOf(p.StatedAt)
		}
		table.Add(l.Kind, l.URN, p.Actor, since, p.Run, p.Source)
	}
	return table.Write(e.stdout, 0)
}

// writeJSON writes a value, or the text of one, indented.
func (e *environment) writeJSON(v any) error { return writeJSONTo(e.stdout, v) }

func writeJSONTo(w io.Writer, v any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(screen.JSON(b.Bytes()))
	return err
}

// writeAspects writes the aspects of an entity as the server has them.
func (e *environment) writeAspects(entity *client.Entity) error {
	fmt.Fprintf(e.stdout, "%s  (%s)\n", screen.Line(entity.URN), entity.EntityName)
	for _, name := range slices.Sorted(maps.Keys(entity.Aspects)) {
		a := entity.Aspects[name]
		fmt.Fprintf(e.stdout, "\n%s  version %d  %s  %s\n", name, a.Version, timeOf(a.Created.Time), screen.Line(a.Created.Actor))
		var indented bytes.Buffer
		if err := json.Indent(&indented, a.Value, "  ", "  "); err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "  %s\n", screen.JSON(indented.Bytes()))
	}
	return nil
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/client"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

func newGet(e *environment) *cobra.Command {
	var (
		aspects []string
		version int64
	)
	c := &cobra.Command{
		Use:   "get NAME",
		Short: "Show an entity, or one version of an aspect",
		Long: `Show an entity with its latest aspects, or only with those named by --aspect, and
who or what stated its tags, terms and owners. With --version, show one version of
one aspect: 0 is the latest, 1 the oldest, 2 the next one, -1 the newest archived one.

` + nameHelp + ` What is soft-deleted is
found by its URN.

` + exitHelp,
		Example: `  headwater get marts.orders
  headwater get 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)'
  headwater get corpuser:ada --aspect corpUserInfo -o json
  headwater get corpuser:ada --aspect corpUserInfo --version 1`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("version") {
				if len(aspects) != 1 {
					return usageError{fmt.Errorf("--version takes exactly one --aspect")}
				}
				urn, err := e.urnOf(c.Context(), args[0], eitherPart)
				if err != nil {
					return err
				}
				answer, err := e.client().Aspect(c.Context(), urn, aspects[0], version)
				if err != nil {
					return err
				}
				return e.writeJSON(answer)
			}
			urn, err := e.urnOf(c.Context(), args[0], eitherPart)
			if err != nil {
				return err
			}
			entity, err := e.client().Entity(c.Context(), urn, aspects)
			if err != nil {
				return err
			}
			return cmp.Or(e.showEntity(c.Context(), entity, aspects), requireAspects(entity, aspects))
		},
	}
	c.Flags().StringSliceVarP(&aspects, "aspect", "a", nil, "aspects to show, separated by commas or repeated")
	c.Flags().Int64Var(&version, "version", 0, "version of the aspect to show")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

// showEntity writes an entity and, unless only some of its aspects were asked for, who
// or what stated its labels.
func (e *environment) showEntity(ctx context.Context, entity *client.Entity, aspects []string) error {
	var stated struct {
		Labels []catalog.StatedLabel `json:"labels"`
	}
	if len(aspects) == 0 {
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
	return cmp.Or(e.writeEntity(entity), e.writeLabels(stated.Labels))
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
	w := tabwriter.NewWriter(e.stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "LABEL\tURN\tSTATED BY\tSINCE\tRUN\tSOURCE")
	for _, l := range labels {
		p, since := &l.Provenance, ""
		if p.StatedAt != 0 {
			since = time.UnixMilli(p.StatedAt).UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", l.Kind, l.URN, p.Actor, since, p.Run, p.Source)
	}
	return w.Flush()
}

func (e *environment) writeJSON(v any) error {
	encoder := json.NewEncoder(e.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

func (e *environment) writeEntity(entity *client.Entity) error {
	fmt.Fprintf(e.stdout, "%s  (%s)\n", entity.URN, entity.EntityName)
	for _, name := range slices.Sorted(maps.Keys(entity.Aspects)) {
		a := entity.Aspects[name]
		w := tabwriter.NewWriter(e.stdout, 0, 4, 2, ' ', 0)
		fmt.Fprintf(w, "\n%s\tversion %d\t%s\t%s\n", name, a.Version, time.UnixMilli(a.Created.Time).UTC().Format(time.RFC3339), a.Created.Actor)
		if err := w.Flush(); err != nil {
			return err
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, a.Value, "  ", "  "); err != nil {
			return err
		}
		fmt.Fprintf(e.stdout, "  %s\n", indented.Bytes())
	}
	return nil
}

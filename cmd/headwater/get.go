package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

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
		Use:   "get URN",
		Short: "Show an entity, or one version of an aspect",
		Long: `Show an entity with its latest aspects, or only with those named by --aspect. With
--version, show one version of one aspect: 0 is the latest, 1 the oldest, 2 the
next one, -1 the newest archived one.`,
		Example: `  headwater get 'urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)'
  headwater get urn:li:corpuser:ada --aspect corpUserInfo -o json
  headwater get urn:li:corpuser:ada --aspect corpUserInfo --version 1`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("version") {
				if len(aspects) != 1 {
					return usageError{fmt.Errorf("--version takes exactly one --aspect")}
				}
				answer, err := e.client().Aspect(c.Context(), args[0], aspects[0], version)
				if err != nil {
					return err
				}
				return e.writeJSON(answer)
			}
			entity, err := e.client().Entity(c.Context(), args[0], aspects)
			if err != nil {
				return err
			}
			show := e.writeEntity
			if e.output == "json" {
				show = func(entity *client.Entity) error { return e.writeJSON(entity) }
			}
			return cmp.Or(show(entity), requireAspects(entity, aspects))
		},
	}
	c.Flags().StringSliceVarP(&aspects, "aspect", "a", nil, "aspects to show, separated by commas or repeated")
	c.Flags().Int64Var(&version, "version", 0, "version of the aspect to show")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
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

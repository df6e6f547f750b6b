package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// exportedTypes are the types of entities that the file has.
var exportedTypes = []string{
	model.EntityDataset, model.EntityDataJob, model.EntityChart, model.EntityDashboard, model.EntityMlModel, model.EntityMlFeature, model.EntityAssertion, model.EntityDataContract,
	model.EntityCorpuser, model.EntityCorpGroup,
}

func newExport(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the catalog that check needs to a file, for those who cannot reach the server",
		Long: `Write the catalog that "headwater check --catalog FILE" reads, so that pipelines which
cannot reach the server need no access. The file has the names of entities and
columns, types, edges, owners with their addresses, domains and labels. It has no
values, no descriptions and no SQL. - is standard output.

Effects by SQL alone are possible in it, and not certain: use --server where you can.

` + cli.ExitHelp,
		Example: `  headwater check export catalog.json --server catalog:8080
  headwater check --base main/target --head target --catalog catalog.json`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return export(c.Context(), e, args[0]) },
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// exported is the report of a file that was written.
type exported struct {
	File     string `json:"file"`
	Entities int    `json:"entities"`
	Edges    int    `json:"edges"`
}

func export(ctx context.Context, e *cli.Environment, name string) error {
	s, builder := &server{client: e.Client()}, change.NewFileBuilder()
	for _, kind := range exportedTypes {
		if err := s.scroll(ctx, kind, func(urns []string) error {
			return s.each(ctx, urns, change.FileAspects, func(urn string, entity client.Entity) {
				aspects := map[string]json.RawMessage{}
				for aspect, stored := range entity.Aspects {
					aspects[aspect] = stored.Value
				}
				builder.Add(model.Default(), urn, aspects)
			})
		}); err != nil {
			return err
		}
	}
	f := builder.File()
	write := func(w io.Writer) error { return cli.WriteJSONTo(w, f) }
	if name == "-" {
		return write(e.Stdout)
	}
	if err := writeTo(name, write); err != nil {
		return err
	}
	if e.Output == "json" {
		return cli.WriteJSONTo(e.Stdout, exported{name, len(f.Entities), len(f.Edges)})
	}
	fmt.Fprintf(e.Stderr, "%s and %s written to %s\n", wording.Counted(len(f.Entities), "entity", "entities"), wording.Counted(len(f.Edges), "edge", "edges"), name)
	return nil
}

// scroll lists the entities of a type, page by page.
func (s *server) scroll(ctx context.Context, kind string, take func(urns []string) error) error {
	request := map[string]any{"input": "*", "entities": []string{kind}, "count": 1000}
	for {
		body, err := json.Marshal(request)
		if err != nil {
			return err
		}
		var answer struct {
			Value struct {
				ScrollID string `json:"scrollId"`
				Entities []struct{ Entity string }
			}
		}
		if err := s.client.Post(ctx, "/entities?action=scrollAcrossEntities", body, &answer); err != nil {
			return err
		}
		var urns []string
		for _, found := range answer.Value.Entities {
			urns = append(urns, found.Entity)
		}
		if err := take(urns); err != nil {
			return err
		}
		if answer.Value.ScrollID == "" || len(urns) == 0 {
			return nil
		}
		request["scrollId"] = answer.Value.ScrollID
	}
}

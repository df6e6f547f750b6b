// Package check has the command check, which names the readers that a change breaks, before it is merged.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/change/gate"
	"github.com/headwater-io/headwater/catalog/change/report"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newCheck(e), newAnnounced(e)}
}

// options are the flags of check.
type options struct {
	base, head                            string
	dialect, schema, database, ownSchema  string
	platform, instance, ownInstance, env  string
	catalog, policy                       string
	markdown, sarif, junit, prefix, cache string
	page, overlay                         string
	datasets                              []string
	keys, asked                           bool
	announcing                            announcing
	// named are the schemas of files that were read, by the names that --dataset may give them, and most is how many one state has.
	named map[string]bool
	most  int
}

func newCheck(e *cli.Environment) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "check",
		Short: "Say what a change breaks, before it is merged",
		Long: `Compare what a project defines (--base) with what it would define (--head), and say
what changes, what fails for certain, what may be affected, and whom to tell.

--base and --head each name one of
  - a directory of a dbt project's artifacts, such as target/, or a manifest.json;
    the manifest needs the compiled code ("dbt compile"); catalog.json beside it is
    read too, and so are the first lines of seeds
  - a directory of files of SQL, or one such file, with --dialect
  - a file of schemas, or a directory of them: Avro (.avsc), JSON Schema, OpenAPI,
    descriptors of Protobuf (protoc --include_imports --descriptor_set_out=FILE.binpb);
    --dataset says which dataset a schema is
  - a JSON file of tables: {"shop.orders": {"id": "int not null"}}

With --server or HEADWATER_SERVER, and a token that may only read, effects beyond the
project are said: dashboards, datasets of others, contracts and assertions. --catalog
names a file with such a catalog instead, which "headwater check export" writes.
Without --base, the tables are compared with those of the catalog.

--policy names a file that says what a change is refused for; without it, each certain
effect refuses the change.

--announce keeps in the catalog what the change does, so that those downstream are told
when it arrives; that needs a token that may announce changes.

` + cli.ExitHelp + `
  6    the change is refused`,
		Example: `  headwater check --base main/target --head target
  headwater check --base main/target --head target --server catalog:8080 --policy policy.yaml
  headwater check --base old.sql --head new.sql --dialect postgres -o json
  headwater check --base main/order.avsc --head order.avsc --dataset shop.orders --server catalog:8080
  headwater check --head target --catalog catalog.json --markdown comment.md --sarif check.sarif
  headwater check --base main/target --head target --server catalog:8080 --announce --pull-request https://github.com/larkspur/orders/pull/12`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			o.asked = c.Flags().Changed("server") || os.Getenv("HEADWATER_SERVER") != ""
			return o.run(c.Context(), e)
		},
	}
	f := c.Flags()
	f.StringVar(&o.base, "base", "", "what is: a directory or a file (default: the catalog)")
	f.StringVar(&o.head, "head", "", "what would be: a directory or a file")
	f.StringVar(&o.dialect, "dialect", "", "dialect of the SQL, by the name of its platform (default: the adapter of the dbt project)")
	f.StringVar(&o.schema, "schema", "", "file with the columns of tables that the files of SQL read, as JSON")
	f.StringVar(&o.database, "database", "", "database of tables that files of SQL name without one")
	f.StringVar(&o.ownSchema, "default-schema", "", "schema of tables that files of SQL name without one, and what is before the addresses of an OpenAPI file")
	f.StringVar(&o.platform, "platform", "", "platform of the tables in the catalog (default: the adapter, or that of the dialect)")
	f.StringVar(&o.instance, "platform-instance", "", "platform instance of dbt in the catalog")
	f.StringVar(&o.ownInstance, "target-platform-instance", "", "platform instance of the tables in the catalog")
	f.StringVar(&o.env, "env", "PROD", "environment of the tables in the catalog")
	f.StringArrayVar(&o.datasets, "dataset", nil, "dataset of a schema in a file, as DATASET or SCHEMA=DATASET, by name or URN (may be repeated)")
	f.BoolVar(&o.keys, "key-schema", false, "the schemas of files are those of keys of messages")
	f.StringVar(&o.catalog, "catalog", "", "file with a catalog, in place of a server")
	f.StringVar(&o.policy, "policy", "", "file of the policy, as YAML")
	f.StringVar(&o.markdown, "markdown", "", "write a comment for a pull request to this file")
	f.StringVar(&o.sarif, "sarif", "", "write the findings as SARIF 2.1.0 to this file")
	f.StringVar(&o.junit, "junit", "", "write the findings as a report of tests (JUnit) to this file")
	f.StringVar(&o.overlay, "overlay-out", "", "write the change as an overlay to this file, over which lineage and impact are asked with --overlay")
	f.BoolVar(&o.announcing.on, "announce", false, "keep in the catalog what the change does, and tell those downstream when it arrives")
	f.StringVar(&o.announcing.pullRequest, "pull-request", "", "address of the pull request, for --announce")
	f.StringVar(&o.announcing.author, "author", "", "who makes the change, for --announce (default: whose token it is)")
	f.IntVar(&o.announcing.days, "days", 0, fmt.Sprintf("for how many days the change is expected, for --announce (default %d)", limits.DefaultAnnouncedDays))
	f.StringVar(&o.prefix, "path-prefix", "", "directory of the project in its repository, before the names of files")
	f.StringVar(&o.page, "page", "", "address of the catalog for people, to which the comment links (default: the server)")
	f.StringVar(&o.cache, "cache-dir", "", "directory of the compiled SQL parser, and of what SQL said in the last run (default: the user's cache directory)")
	e.ClientFlags(c)
	e.OutputFlag(c)
	cli.CompleteWith(c, "dialect", parser.Dialects()...)
	c.AddCommand(newExport(e))
	return c
}

// memory is about how much memory the comparison takes before garbage is collected more often. A project of
// 10,000 models fits.
const memory = 380 << 20

// spareMemory bounds the memory, unless GOMEMLIMIT does. The returned function removes the bound.
func spareMemory() (end func()) {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memory)
		return func() { debug.SetMemoryLimit(math.MaxInt64) }
	}
	return func() {}
}

// run compares, decides and writes.
func (o *options) run(ctx context.Context, e *cli.Environment) error {
	catalog, policy, err := o.prepare(e)
	if err != nil {
		return err
	}
	cache, err := cli.ParserCache(o.cache)
	if err != nil {
		return err
	}
	defer spareMemory()()
	reader := &lineage.Reader{Parser: parser.New(cache)}
	defer reader.Parser.Close()
	head, err := o.state(ctx, reader, o.head)
	if err != nil {
		return err
	}
	base, err := o.before(ctx, reader, catalog, head)
	if err != nil {
		return err
	}
	if err := o.checkDatasets(); err != nil {
		return err
	}
	var compared change.Options
	if catalog != nil {
		labels, err := catalog.Labels(ctx)
		if err != nil {
			return err
		}
		compared.Labels = labelsOf(labels)
	}
	compared.Memory = o.remembered(e, cache)
	result, err := change.Compare(ctx, reader, base, head, compared)
	if err != nil {
		return err
	}
	o.remember(compared.Memory, cache, time.Now())
	r := &report.Report{Result: result, Prefix: strings.Trim(filepath.ToSlash(o.prefix), "/"), Page: o.page, Version: e.Version}
	if catalog != nil {
		if r.Incomplete, err = result.Beyond(ctx, base, head, catalog); err != nil {
			return err
		}
	}
	if err := o.draw(ctx, r, reader, base, head); err != nil {
		return err
	}
	r.Verdict = policy.Decide(result, time.Now())
	said := outcome{Report: r}
	var failed error // the report is told also if the announcement fails
	if o.announcing.on {
		said.Announced, said.left, failed = o.announcing.announce(ctx, e, r, head, base)
		said.asked = failed == nil
		if said.Announced != nil {
			r.Announced = said.Announced.URN
		}
	}
	if err := o.write(e, &said); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if r.Verdict.Refused {
		return cli.ErrRefused
	}
	return nil
}

// draw writes the change as an overlay, and puts it into the link of the comment.
func (o *options) draw(ctx context.Context, r *report.Report, reader *lineage.Reader, base, head *change.State) error {
	r.Draws = o.markdown != "" && o.page != "" && len(r.Changes) > 0
	if o.overlay == "" && !r.Draws {
		return nil
	}
	overlay, err := r.Overlay(ctx, reader, base, head)
	if err != nil {
		return err
	}
	if r.Draws {
		if r.Drawn, err = overlay.Packed(limits.CheckLinkBytes); err != nil {
			return err
		}
	}
	if o.overlay == "" {
		return nil
	}
	return writeTo(o.overlay, func(w io.Writer) error { return cli.WriteJSONTo(w, overlay) })
}

// known is a catalog as check asks it.
type known interface {
	change.Catalog
	// Tables returns tables by URN, and Labels the labels of personal data by dataset and column.
	Tables(ctx context.Context, urns []string) (map[string]*change.Table, error)
	Labels(ctx context.Context) (map[string]map[string][]string, error)
}

func labelsOf(labels map[string]map[string][]string) func(n *change.Node) map[string][]string {
	return func(n *change.Node) map[string][]string {
		all := map[string][]string{}
		for _, urn := range n.URNs {
			for column, of := range labels[urn] {
				all[column] = append(all[column], of...)
			}
		}
		return all
	}
}

// prepare checks the flags, and returns the catalog, nil for none, and the policy.
func (o *options) prepare(e *cli.Environment) (known, *gate.Policy, error) {
	switch {
	case o.head == "":
		return nil, nil, cli.BadUsage(errors.New("name what would be with --head"))
	case o.catalog != "" && e.Verb.Flags().Changed("server"):
		return nil, nil, cli.BadUsage(errors.New("--server and --catalog exclude each other"))
	case o.base == "" && o.catalog == "" && !o.asked:
		return nil, nil, cli.BadUsage(errors.New("name what is with --base, or a catalog with --server or --catalog"))
	}
	if err := o.announcing.check(o); err != nil {
		return nil, nil, cli.BadUsage(err)
	}
	policy := gate.Usual()
	if o.policy != "" {
		text, err := readFile(o.policy, limits.CheckPolicyBytes+1)
		if err != nil {
			return nil, nil, err
		}
		if policy, err = gate.Parse(text); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o.policy, err)
		}
	}
	switch {
	case o.catalog != "":
		file, err := os.Open(o.catalog)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		catalog, err := change.ReadCatalogFile(file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o.catalog, err)
		}
		return catalog, policy, nil
	case o.asked:
		if o.page == "" {
			o.page = e.Server
		}
		return &server{client: e.Client()}, policy, nil
	}
	return nil, policy, nil
}

// before returns the state of the project in --base, or else the state of the catalog.
func (o *options) before(ctx context.Context, reader *lineage.Reader, catalog known, head *change.State) (*change.State, error) {
	if o.base != "" {
		return o.state(ctx, reader, o.base)
	}
	tables, err := catalog.Tables(ctx, head.URNs())
	if err != nil {
		return nil, err
	}
	return change.FromTables(head, func(n *change.Node) *change.Table {
		for _, urn := range n.URNs {
			if t := tables[urn]; t != nil && len(t.Columns)+len(t.Fields) > 0 {
				return t
			}
		}
		return nil
	}), nil
}

package access

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
)

func newPolicies(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "policies",
		Short: "List, compare, apply and test policies, and explain what somebody may do",
		Long: `Policies decide who may change and administer what, on a server that runs with --auth on. They can
live in a file beside other code: see https://github.com/headwater-io/headwater/blob/main/docs/policies.md

` + cli.ExitHelp,
		Args: cli.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPoliciesList(e), newPoliciesShow(e), newPoliciesApply(e), newPoliciesDiff(e), newPoliciesTest(e), newExplain(e))
	return c
}

// policyCommand completes a command about policies.
func policyCommand(e *cli.Environment, c *cobra.Command, run func(ctx context.Context, by *client.Client, args []string) error) *cobra.Command {
	var keys string
	c.Long += "\n\n" + cli.ExitHelp
	c.RunE = func(c *cobra.Command, args []string) error {
		by, err := clientWith(e, keys)
		if err != nil {
			return err
		}
		return run(c.Context(), by, args)
	}
	keysFlag(c, &keys)
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// listed is a stored policy.
type listed struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	State    string `json:"state"`
	Effect   string `json:"effect"`
	EndsAt   int64  `json:"endsAt"`
	Editable bool   `json:"editable"`
	Text     string `json:"text"`
}

// ask sends a GET request and decodes the answer. It also returns the answer's text.
func ask(ctx context.Context, by *client.Client, path string, into any) (json.RawMessage, error) {
	var raw json.RawMessage
	if err := by.Get(ctx, path, &raw); err != nil {
		return nil, err
	}
	return raw, cli.DecodeAnswer(raw, into)
}

// stored returns the stored policies, or the policy with an ID.
func stored(ctx context.Context, by *client.Client, id string) (json.RawMessage, []listed, error) {
	path := "/access/policies"
	if id != "" {
		path += "?id=" + url.QueryEscape(id)
	}
	var answer struct {
		Policies []listed `json:"policies"`
	}
	raw, err := ask(ctx, by, path, &answer)
	return raw, answer.Policies, err
}

func newPoliciesList(e *cli.Environment) *cobra.Command {
	return policyCommand(e, &cobra.Command{
		Use:     "list",
		Short:   "List the stored policies",
		Long:    "List the stored policies. Policies that are not editable belong to the server.",
		Example: "  headwater policies list",
		Args:    cli.ExactArgs(0),
	}, func(ctx context.Context, by *client.Client, _ []string) error {
		raw, found, err := stored(ctx, by, "")
		if err != nil {
			return err
		}
		if e.Output == "json" {
			return e.WriteJSON(raw)
		}
		if len(found) == 0 {
			fmt.Fprintln(e.Stdout, "there are no policies")
			return nil
		}
		table := &screen.Table{Columns: []screen.Column{{Head: "ID", Least: 12}, {Head: "NAME", Least: 12}, {Head: "DOES"}, {Head: "STATE"}, {Head: "ENDS"}, {Head: "EDITABLE"}}}
		for _, p := range found {
			ends, editable := "never", "yes"
			if p.EndsAt != 0 {
				ends = show.TimeOf(p.EndsAt)
			}
			if !p.Editable {
				editable = "no"
			}
			table.Add(p.ID, p.Name, strings.ToLower(p.Effect), strings.ToLower(p.State), ends, editable)
		}
		return table.Write(e.Stdout, screen.WidthOf(e.Stdout))
	})
}

func newPoliciesShow(e *cli.Environment) *cobra.Command {
	return policyCommand(e, &cobra.Command{
		Use:     "show ID",
		Short:   "Show a stored policy as a file",
		Long:    "Show a stored policy as a file, in the form that \"headwater policies apply\" reads.",
		Example: "  headwater policies show 7 > policies.yaml",
		Args:    cli.ExactArgs(1),
	}, func(ctx context.Context, by *client.Client, args []string) error {
		raw, found, err := stored(ctx, by, args[0])
		if err != nil {
			return err
		}
		if e.Output == "json" {
			return e.WriteJSON(raw)
		}
		for _, p := range found {
			if p.Text == "" {
				return fmt.Errorf("the policy %s has conditions that a file cannot express; use -o json", p.ID)
			}
			fmt.Fprint(e.Stdout, screen.Text(p.Text))
		}
		return nil
	})
}

// change is a policy that a file changes.
type change struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Members []struct {
		Name   string `json:"name"`
		Stored string `json:"stored"`
		Wanted string `json:"wanted"`
	} `json:"members"`
}

// readFile reads a file of policies, "-" is standard input.
func readFile(e *cli.Environment, path string) (map[string]string, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(e.Stdin)
	} else {
		text, err = os.ReadFile(path) //nolint:gosec // the file is named on the command line
	}
	if err != nil {
		return nil, cli.BadUsage(err)
	}
	return map[string]string{"name": path, "text": string(text)}, nil
}

// send sends a file of policies.
func send(ctx context.Context, e *cli.Environment, by *client.Client, path, file string, into any) (json.RawMessage, error) {
	body, err := readFile(e, file)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var raw json.RawMessage
	if err := by.Post(ctx, path, text, &raw); err != nil {
		return nil, err
	}
	return raw, cli.DecodeAnswer(raw, into)
}

// apply sends a file, and prints its changes.
func apply(ctx context.Context, e *cli.Environment, by *client.Client, file string, dryRun, prune bool) ([]change, error) {
	var answer struct {
		Changes []change `json:"changes"`
	}
	raw, err := send(ctx, e, by, fmt.Sprintf("/access/policies/apply?dryRun=%t&prune=%t", dryRun, prune), file, &answer)
	if err != nil {
		return nil, err
	}
	if e.Output == "json" {
		return answer.Changes, e.WriteJSON(raw)
	}
	if len(answer.Changes) == 0 {
		fmt.Fprintln(e.Stdout, "nothing differs")
	}
	does := map[string]string{"add": "created", "change": "changed", "remove": "deleted"}
	if dryRun {
		does = map[string]string{"add": "would be created", "change": "would be changed", "remove": "would be deleted"}
	}
	for _, c := range answer.Changes {
		fmt.Fprintf(e.Stdout, "%s (%s): %s\n", screen.Line(c.ID), screen.Line(c.Name), does[c.Kind])
		for _, m := range c.Members {
			fmt.Fprintf(e.Stdout, "  %s: %s → %s\n", m.Name, orNone(m.Stored), orNone(m.Wanted))
		}
	}
	return answer.Changes, nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return screen.Line(text)
}

func newPoliciesApply(e *cli.Environment) *cobra.Command {
	var dryRun, prune bool
	c := policyCommand(e, &cobra.Command{
		Use:   "apply FILE",
		Short: "Make the stored policies those of a file",
		Long: `Make the stored policies those of a file, YAML or JSON; "-" is standard input. Only what differs is
written, all of it or nothing. Policies that the file does not have stay, unless --prune is given.
Policies that are not editable belong to the server and are never changed or deleted.`,
		Example: "  headwater policies apply policies.yaml --dry-run\n  headwater policies apply policies.yaml --prune",
		Args:    cli.ExactArgs(1),
	}, func(ctx context.Context, by *client.Client, args []string) error {
		_, err := apply(ctx, e, by, args[0], dryRun, prune)
		return err
	})
	c.Flags().BoolVar(&dryRun, "dry-run", false, "tell what would change, and change nothing")
	c.Flags().BoolVar(&prune, "prune", false, "delete the policies that the file does not have")
	return c
}

func newPoliciesDiff(e *cli.Environment) *cobra.Command {
	var prune bool
	c := policyCommand(e, &cobra.Command{
		Use:     "diff FILE",
		Short:   "Tell how a file differs from the stored policies",
		Long:    "Tell how a file differs from the stored policies: what \"headwater policies apply\" would change. The\nexit code is 5 if something differs.",
		Example: "  headwater policies diff policies.yaml",
		Args:    cli.ExactArgs(1),
	}, func(ctx context.Context, by *client.Client, args []string) error {
		changes, err := apply(ctx, e, by, args[0], true, prune)
		if err == nil && len(changes) > 0 {
			err = unfulfilled(fmt.Sprintf("%d policies differ", len(changes)))
		}
		return err
	})
	c.Flags().BoolVar(&prune, "prune", false, "count policies that the file does not have")
	return c
}

// unfulfilled is the error of a comparison that has found something. It counts as an ErrPartial.
type unfulfilled string

func (u unfulfilled) Error() string { return string(u) }

// Is makes the exit code that of an ErrPartial.
func (unfulfilled) Is(target error) bool { return target == cli.ErrPartial }

func newPoliciesTest(e *cli.Environment) *cobra.Command {
	return policyCommand(e, &cobra.Command{
		Use:   "test FILE",
		Short: "Tell which expectations of a file do not hold",
		Long: `Tell which expectations of a file do not hold: who may do what and who may not, as it would be
after "headwater policies apply FILE", with the users and entities that are stored. Nothing is
written. The exit code is 5 if an expectation does not hold.`,
		Example: "  headwater policies test policies.yaml",
		Args:    cli.ExactArgs(1),
	}, func(ctx context.Context, by *client.Client, args []string) error {
		var answer struct {
			Failed       int `json:"failed"`
			Expectations []struct {
				Line     int    `json:"line"`
				Holds    bool   `json:"holds"`
				May      bool   `json:"may"`
				Sentence string `json:"sentence"`
			} `json:"expectations"`
		}
		raw, err := send(ctx, e, by, "/access/policies/test", args[0], &answer)
		if err != nil {
			return err
		}
		if e.Output == "json" {
			if err := e.WriteJSON(raw); err != nil {
				return err
			}
		} else {
			for _, one := range answer.Expectations {
				if !one.Holds {
					fmt.Fprintf(e.Stdout, "%s:%d: may: %t was expected. %s\n", args[0], one.Line, one.May, screen.Line(one.Sentence))
				}
			}
			fmt.Fprintf(e.Stdout, "%d of %d expectations hold\n", len(answer.Expectations)-answer.Failed, len(answer.Expectations))
		}
		if answer.Failed > 0 {
			return unfulfilled(fmt.Sprintf("%d of %d expectations do not hold", answer.Failed, len(answer.Expectations)))
		}
		return nil
	})
}

func newExplain(e *cli.Environment) *cobra.Command {
	return policyCommand(e, &cobra.Command{
		Use:   "explain ACTOR PRIVILEGE [URN]",
		Short: "Tell whether somebody may do something, and why",
		Long: `Tell whether somebody may do something with an entity or, without a URN, with the server, and
which policy decides. PRIVILEGE is a privilege such as EDIT_ENTITY_TAGS or an operation: CREATE,
READ, UPDATE, DELETE and others. Everybody may ask about themselves; MANAGE_POLICIES lets you ask
about others.`,
		Example: `  headwater policies explain ada EDIT_ENTITY_TAGS "urn:li:dataset:(urn:li:dataPlatform:hive,orders,PROD)"
  headwater policies explain ada MANAGE_POLICIES`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return cli.ExactArgs(3)(c, args)
		},
	}, func(ctx context.Context, by *client.Client, args []string) error {
		actor := args[0]
		if !strings.HasPrefix(actor, "urn:") {
			actor = "urn:li:corpuser:" + actor
		}
		query := url.Values{"actor": {actor}, "privilege": {args[1]}}
		if len(args) > 2 {
			query.Set("urn", args[2])
		}
		var answer struct {
			Allowed  bool   `json:"allowed"`
			Sentence string `json:"sentence"`
			Near     []struct {
				Name  string   `json:"name"`
				Lacks []string `json:"lacks"`
			} `json:"near"`
		}
		raw, err := ask(ctx, by, "/access/explain?"+query.Encode(), &answer)
		if err != nil {
			return err
		}
		if e.Output == "json" {
			return e.WriteJSON(raw)
		}
		fmt.Fprintln(e.Stdout, screen.Line(answer.Sentence))
		if answer.Allowed || len(answer.Near) < 2 {
			return nil
		}
		fmt.Fprintln(e.Stdout, "\nPolicies that would allow it:")
		for _, n := range answer.Near {
			fmt.Fprintf(e.Stdout, "  %s: but %s\n", screen.Line(n.Name), screen.Line(strings.Join(n.Lacks, ", and ")))
		}
		return nil
	})
}

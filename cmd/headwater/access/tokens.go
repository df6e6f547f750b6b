// Package access has the commands about the callers of a server and their rights: access tokens, the server's
// secrets, policies.
package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/screen"
)

// Commands are the commands of this family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newToken(e), newPolicies(e), newSecrets(e)}
}

func newToken(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke access tokens, and change the keys that sign them",
		Long: `An access token lets a program use a server that runs with --auth on: in HEADWATER_TOKEN for
these commands, in DATAHUB_GMS_TOKEN for the Python client.

` + cli.ExitHelp,
		Args: cli.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTokenCreate(e), newTokenList(e), newTokenRevoke(e), newRotateKeys(e))
	return c
}

// terms are the values of --for, with the durations of GraphQL.
var terms = []struct{ flag, duration string }{
	{"hour", "ONE_HOUR"},
	{"day", "ONE_DAY"},
	{"week", "ONE_WEEK"},
	{"month", "ONE_MONTH"},
	{"3months", "THREE_MONTHS"},
	{"6months", "SIX_MONTHS"},
	{"year", "ONE_YEAR"},
	{"ever", "NO_EXPIRY"},
}

func termNames() []string {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = t.flag
	}
	return names
}

// creation are the flags of token create.
type creation struct {
	user, account, role, term, description, keys string
}

func newTokenCreate(e *cli.Environment) *cobra.Command {
	var o creation
	c := &cobra.Command{
		Use:   "create NAME",
		Short: "Make an access token, and print it",
		Long: `Make an access token, and print it. It cannot be shown again.

Without --user the token is your own. Administrators may make tokens of others, and of new service
accounts (--service-account), which are users for programs. A service account without a role may
only read: --role gives it one. On the machine of the server, --keys
with its file of secrets takes the place of a token, for the first token of all.

` + cli.ExitHelp,
		Example: `  headwater token create laptop --for month
  headwater token create nightly --service-account "Nightly ingestion" --role Editor --for year --keys ./data/keys.json`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return createToken(c.Context(), e, args[0], o) },
	}
	f := c.Flags()
	f.StringVar(&o.user, "user", "", "whose token it is: a user, by name or URN (default: yours)")
	f.StringVar(&o.account, "service-account", "", "make a service account with this name, and a token of it")
	f.StringVar(&o.role, "role", "", "the role of the new service account: "+strings.Join(roles, ", "))
	f.StringVar(&o.term, "for", "month", "how long the token is valid: "+strings.Join(termNames(), ", "))
	f.StringVar(&o.description, "description", "", "what the token is for")
	keysFlag(c, &o.keys)
	cli.CompleteWith(c, "for", termNames()...)
	cli.CompleteWith(c, "role", roles...)
	c.MarkFlagsMutuallyExclusive("user", "service-account")
	e.ServerFlags(c)
	e.OutputFlag(c)
	return c
}

func keysFlag(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "keys", "", "file with the secrets of the server, in place of a token")
}

// clientWith returns the client of a command. If a file of secrets is named, the client shows the
// secret of the system client.
func clientWith(e *cli.Environment, path string) (*client.Client, error) {
	if path == "" {
		return e.Client(), nil
	}
	set, err := keys.Read(path)
	if err != nil {
		return nil, cli.BadUsage(err)
	}
	return e.Client().AsSystem(set.System.ID, set.System.Secret), nil
}

func createToken(ctx context.Context, e *cli.Environment, name string, o creation) error {
	at := slices.Index(termNames(), o.term)
	if at < 0 {
		return cli.BadUsage(fmt.Errorf("--for must be one of %s, not %q", strings.Join(termNames(), ", "), o.term))
	}
	switch {
	case o.role != "" && o.account == "":
		return cli.BadUsage(errors.New("--role is the role of a new service account: it needs --service-account"))
	case o.role != "" && !slices.Contains(roles, o.role):
		return cli.BadUsage(fmt.Errorf("--role must be one of %s, not %q", strings.Join(roles, ", "), o.role))
	}
	by, err := clientWith(e, o.keys)
	if err != nil {
		return err
	}
	kind, user := "PERSONAL", o.user
	switch {
	case o.account != "":
		kind = "SERVICE_ACCOUNT"
		if user, err = makeAccount(ctx, by, o.account, o.role); err != nil {
			return err
		}
	case user == "":
		if user, err = whoAmI(ctx, by); err != nil {
			return err
		}
	case !strings.HasPrefix(user, "urn:"):
		user = "urn:li:corpuser:" + user
	}
	var made struct {
		CreateAccessToken struct {
			AccessToken string `json:"accessToken"`
			Metadata    token  `json:"metadata"`
		} `json:"createAccessToken"`
	}
	input := map[string]any{"type": kind, "actorUrn": user, "duration": terms[at].duration, "name": name}
	if o.description != "" {
		input["description"] = o.description
	}
	err = by.GraphQL(ctx, `mutation($in:CreateAccessTokenInput!){createAccessToken(input:$in){accessToken metadata{`+tokenFields+`}}}`, map[string]any{"in": input}, &made)
	if err != nil {
		return err
	}
	if e.Output == "json" {
		return e.WriteJSON(map[string]any{"accessToken": made.CreateAccessToken.AccessToken, "metadata": made.CreateAccessToken.Metadata})
	}
	fmt.Fprintln(e.Stdout, made.CreateAccessToken.AccessToken)
	return nil
}

// roles are the roles that a server has from its first start.
var roles = []string{"Admin", "Editor", "Reader"}

// makeAccount makes a service account with a role, "" for none, and returns its URN.
func makeAccount(ctx context.Context, by *client.Client, name, role string) (string, error) {
	var made struct {
		CreateServiceAccount struct {
			URN string `json:"urn"`
		} `json:"createServiceAccount"`
	}
	if err := by.GraphQL(ctx, `mutation($in:CreateServiceAccountInput!){createServiceAccount(input:$in){urn}}`, map[string]any{"in": map[string]any{"displayName": name}}, &made); err != nil {
		return "", err
	}
	urn := made.CreateServiceAccount.URN
	if role == "" {
		return urn, nil
	}
	var done json.RawMessage
	input := map[string]any{"roleUrn": "urn:li:dataHubRole:" + role, "actors": []string{urn}}
	if err := by.GraphQL(ctx, `mutation($in:BatchAssignRoleInput!){batchAssignRole(input:$in)}`, map[string]any{"in": input}, &done); err != nil {
		return "", fmt.Errorf("the service account %s was made, but has no role and no token: %w", urn, err)
	}
	return urn, nil
}

// whoAmI returns the URN of the caller.
func whoAmI(ctx context.Context, by *client.Client) (string, error) {
	var answer struct {
		Me struct {
			CorpUser struct {
				URN string `json:"urn"`
			} `json:"corpUser"`
		} `json:"me"`
	}
	err := by.GraphQL(ctx, `{me{corpUser{urn}}}`, nil, &answer)
	return answer.Me.CorpUser.URN, err
}

const tokenFields = "id name description actorUrn ownerUrn createdAt expiresAt"

// token is the metadata of a token.
type token struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description *string `json:"description,omitempty"`
	Actor       string  `json:"actorUrn"`
	Owner       string  `json:"ownerUrn"`
	Created     int64   `json:"createdAt"`
	Expires     *int64  `json:"expiresAt"`
}

func newTokenList(e *cli.Environment) *cobra.Command {
	var path string
	var all bool
	var start, count int
	c := &cobra.Command{
		Use:     "list",
		Short:   "List access tokens, the one that is valid longest first",
		Long:    "List the access tokens that you have made or, for administrators with --all, those of everybody.\nA token itself is never shown.\n\n" + cli.ExitHelp,
		Example: "  headwater token list",
		Args:    cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			by, err := clientWith(e, path)
			if err != nil {
				return err
			}
			return listTokens(c.Context(), e, by, all || path != "", start, count)
		},
	}
	f := c.Flags()
	f.BoolVar(&all, "all", false, "list the tokens of everybody")
	f.IntVar(&start, "start", 0, "number of tokens to leave out")
	f.IntVar(&count, "count", limits.DefaultListPage, "largest number of tokens to list")
	keysFlag(c, &path)
	e.ServerFlags(c)
	e.OutputFlag(c)
	return c
}

func listTokens(ctx context.Context, e *cli.Environment, by *client.Client, all bool, start, count int) error {
	input := map[string]any{"start": start, "count": count}
	if !all {
		me, err := whoAmI(ctx, by)
		if err != nil {
			return err
		}
		input["filters"] = []any{map[string]any{"field": "ownerUrn", "values": []string{me}}}
	}
	var answer struct {
		ListAccessTokens struct {
			Total  int     `json:"total"`
			Tokens []token `json:"tokens"`
		} `json:"listAccessTokens"`
	}
	err := by.GraphQL(ctx, `query($in:ListAccessTokenInput!){listAccessTokens(input:$in){total tokens{`+tokenFields+`}}}`, map[string]any{"in": input}, &answer)
	if err != nil {
		return err
	}
	found := answer.ListAccessTokens
	if e.Output == "json" {
		return e.WriteJSON(map[string]any{"total": found.Total, "tokens": found.Tokens})
	}
	if len(found.Tokens) == 0 {
		fmt.Fprintln(e.Stdout, "there are no access tokens")
		return nil
	}
	table := &screen.Table{Columns: []screen.Column{{Head: "NAME", Least: 12}, {Head: "OF", Least: 12}, {Head: "MADE"}, {Head: "EXPIRES"}, {Head: "ID", Least: 44}}}
	for _, t := range found.Tokens {
		expires := "never"
		if t.Expires != nil {
			expires = show.TimeOf(*t.Expires)
		}
		table.Add(t.Name, t.Actor, show.TimeOf(t.Created), expires, t.ID)
	}
	if err := table.Write(e.Stdout, screen.WidthOf(e.Stdout)); err != nil {
		return err
	}
	if rest := found.Total - start - len(found.Tokens); rest > 0 {
		fmt.Fprintf(e.Stdout, "%d more: --start %d\n", rest, start+len(found.Tokens))
	}
	return nil
}

func newTokenRevoke(e *cli.Environment) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use:     "revoke ID",
		Short:   "End an access token at once, by its id",
		Long:    "End an access token, by the id that \"headwater token list\" shows. All servers over the same store\nrefuse it within a second.\n\n" + cli.ExitHelp,
		Example: "  headwater token revoke 3nXGkYd0nC3dY9rjO0pJp8Ff2bZPp9l5oN1s0q3aVxE=",
		Args:    cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			by, err := clientWith(e, path)
			if err != nil {
				return err
			}
			var answer json.RawMessage
			if err := by.GraphQL(c.Context(), `mutation($id:String!){revokeAccessToken(tokenId:$id)}`, map[string]any{"id": args[0]}, &answer); err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(map[string]any{"revoked": args[0]})
			}
			fmt.Fprintln(e.Stdout, "revoked")
			return nil
		},
	}
	keysFlag(c, &path)
	e.ServerFlags(c)
	e.OutputFlag(c)
	return c
}

func newRotateKeys(e *cli.Environment) *cobra.Command {
	var only bool
	c := &cobra.Command{
		Use:   "rotate-keys FILE",
		Short: "Put a new key in front of those that sign tokens",
		Long: `Put a new key in front of those that sign tokens, in the file of secrets of a server on this
machine. Running servers read the file when they need it. Tokens that were signed with the
former keys stay valid, unless --only is given: then all tokens end.

` + cli.ExitHelp,
		Example: "  headwater token rotate-keys ./data/keys.json",
		Args:    cli.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := keys.Read(args[0])
			if err != nil {
				return err
			}
			set.Rotate(only)
			if err := keys.Write(args[0], set); err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(map[string]any{"signing": set.Signing[0].ID, "accepted": len(set.Signing)})
			}
			fmt.Fprintf(e.Stdout, "new tokens are signed with the key %s; %d keys are accepted\n", set.Signing[0].ID, len(set.Signing))
			return nil
		},
	}
	c.Flags().BoolVar(&only, "only", false, "remove all former keys, so that all tokens end")
	e.OutputFlag(c)
	return c
}

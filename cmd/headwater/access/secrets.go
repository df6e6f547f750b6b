package access

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/access/secrets"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

func newSecrets(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "secrets",
		Short: "Make keys for the secrets of the catalog, and encrypt the secrets again",
		Long: `The catalog stores secrets, such as passwords of recipes, encrypted with a key of the server: see
https://github.com/headwater-io/headwater/blob/main/docs/secrets.md

` + cli.ExitHelp,
		Args: cli.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newSecretsKey(e), newSecretsRotate(e))
	return c
}

func newSecretsKey(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "new-key FILE",
		Short: "Put a new key in front of those in a file, or make the file",
		Long: `Put a new key in front of those in a file on this machine, or make the file. Running servers read the
file when they need it: they encrypt with the new key from then on, and still decrypt with the
former ones. "headwater secrets rotate" encrypts what is stored again; then the former keys can be
removed from the file.

` + cli.ExitHelp,
		Example: "  headwater secrets new-key ./data/secrets.key",
		Args:    cli.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			keys, err := secrets.AddKey(args[0])
			if err != nil {
				return err
			}
			if e.Output == "json" {
				return e.WriteJSON(map[string]any{"key": keys[0].ID, "keys": len(keys)})
			}
			fmt.Fprintf(e.Stdout, "secrets are encrypted with the key %s; %s in the file\n", keys[0].ID, wording.Counted(len(keys), "key is", "keys are"))
			return nil
		},
	}
	e.OutputFlag(c)
	return c
}

// rotation is an answer of the server about a page of secrets.
type rotation struct {
	Total   int            `json:"total"`
	Looked  int            `json:"looked"`
	Rotated int            `json:"rotated"`
	Failed  []failedSecret `json:"failed"`
	Next    int            `json:"next,omitempty"`
}

// failedSecret is a secret that no key of the server decrypts.
type failedSecret struct {
	URN    string `json:"urn"`
	Reason string `json:"reason"`
}

func newSecretsRotate(e *cli.Environment) *cobra.Command {
	var keys string
	c := &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt all secrets again with the first key of the server",
		Long: `Encrypt all secrets again with the first key of the server, those that have another one. The command
can be interrupted and repeated. Secrets that no key of the server decrypts stay as they are; the
command lists them, and ends with the exit code 5.

` + cli.ExitHelp,
		Example: "  headwater secrets rotate",
		Args:    cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			by, err := clientWith(e, keys)
			if err != nil {
				return err
			}
			return rotateSecrets(c.Context(), e, by)
		},
	}
	keysFlag(c, &keys)
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func rotateSecrets(ctx context.Context, e *cli.Environment, by *client.Client) error {
	all := rotation{Failed: []failedSecret{}}
	bar := e.CountBar("secrets", 0)
	defer bar.Finish()
	for {
		var page rotation
		if err := by.Post(ctx, fmt.Sprintf("/secrets/rotate?start=%d", all.Next), []byte("{}"), &page); err != nil {
			return err
		}
		all.Looked, all.Rotated, all.Failed = all.Looked+page.Looked, all.Rotated+page.Rotated, append(all.Failed, page.Failed...)
		all.Total = page.Total
		bar.SetOf(all.Looked, all.Total)
		if page.Next <= all.Next {
			break
		}
		all.Next = page.Next
	}
	bar.Finish()
	all.Next = 0
	if e.Output == "json" {
		if err := e.WriteJSON(all); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(e.Stdout, "%d of %s encrypted again\n", all.Rotated, wording.Counted(all.Looked, "secret", "secrets"))
		for _, one := range all.Failed {
			fmt.Fprintf(e.Stdout, "%s: %s\n", screen.Line(one.URN), screen.Line(one.Reason))
		}
	}
	if len(all.Failed) > 0 {
		return unfulfilled(wording.Counted(len(all.Failed), "secret", "secrets") + " cannot be decrypted")
	}
	return nil
}

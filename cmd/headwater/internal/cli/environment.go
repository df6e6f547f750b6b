// Package cli has the code that all commands share: the environment with its flags, exit
// codes, texts of errors, names on the command line, their completion, and progress.
package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
)

// Environment has the values that all commands share.
type Environment struct {
	// Version and Commit are the version and the commit of this program.
	Version, Commit string

	// Stdin, Stdout and Stderr are the standard streams.
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Args are the arguments of the program.
	Args []string
	// Verb is the running command.
	Verb *cobra.Command

	// Server is the address of the server. Token is the access token, "" for none.
	Server, Token string
	// actor is the name of the actor on the command line, and ActorIs the actor's URN. Both
	// are "" without an actor.
	actor, ActorIs string

	// Output is the output format: table or json.
	Output string
	// Timeout is the longest time for one request.
	Timeout time.Duration
}

// Client returns a client of the server and the actor that the flags name.
func (e *Environment) Client() *client.Client {
	return client.New(e.Server, e.Token, e.Timeout).As(e.ActorIs)
}

// Ask sends a GET request and decodes the answer. It also returns the answer's text.
func (e *Environment) Ask(ctx context.Context, path string, into any) (json.RawMessage, error) {
	var raw json.RawMessage
	if err := e.Client().Get(ctx, path, &raw); err != nil {
		return nil, err
	}
	return raw, DecodeAnswer(raw, into)
}

// DecodeAnswer decodes an answer of the server.
func DecodeAnswer(raw json.RawMessage, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("the server's answer cannot be understood: %w", err)
	}
	return nil
}

// Post calls an action and decodes the answer. It also returns the answer's text.
func (e *Environment) Post(ctx context.Context, path string, request, into any) (json.RawMessage, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := e.Client().Post(ctx, path, body, &answer); err != nil {
		return nil, err
	}
	return answer.Value, DecodeAnswer(answer.Value, into)
}

// ClientFlags adds the flags of commands that send requests in the name of an actor. If a
// command has its own flag --actor, the actor comes only from the environment.
func (e *Environment) ClientFlags(c *cobra.Command) {
	e.ServerFlags(c)
	if c.Flags().Lookup("actor") == nil {
		c.Flags().StringVar(&e.actor, "actor", "", "who makes the requests: a user or group, by name or URN ("+ActorVariable+")")
		e.CompleteFlag(c, "actor", e.Names(OwnerNames))
	}
	pre := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if err := pre(c, args); err != nil {
			return err
		}
		return e.readActor(c.Context())
	}
}

// ServerFlags adds the flags of commands that send requests to a server.
func (e *Environment) ServerFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&e.Server, "server", envOr("HEADWATER_SERVER", "http://127.0.0.1:8080"), "address of the server, host:port or a URL (HEADWATER_SERVER)")
	f.StringVar(&e.Token, "token", "", "access token (HEADWATER_TOKEN)")
	f.DurationVar(&e.Timeout, "timeout", time.Minute, "longest time for one request")
	pre := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		e.Verb = c
		if err := e.readAddress(); err != nil {
			return BadUsage(err)
		}
		if pre != nil {
			return pre(c, args)
		}
		return nil
	}
}

// OutputFlag adds the flag for the output format.
func (e *Environment) OutputFlag(c *cobra.Command) {
	c.Flags().StringVarP(&e.Output, "output", "o", "table", "output format: table or json")
	CompleteWith(c, "output", "table", "json")
	pre := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if e.Output != "table" && e.Output != "json" {
			return BadUsage(fmt.Errorf("--output must be table or json, not %q", e.Output))
		}
		if pre != nil {
			return pre(c, args)
		}
		return nil
	}
}

// readAddress reads the address of the server and the access token from flags and
// environment.
func (e *Environment) readAddress() (err error) {
	if e.Token == "" {
		e.Token = os.Getenv("HEADWATER_TOKEN")
	}
	e.Server, err = client.Address(e.Server)
	return err
}

// readActor resolves the name of the actor.
func (e *Environment) readActor(ctx context.Context) error {
	if e.actor == "" {
		e.actor = os.Getenv(ActorVariable)
	}
	if e.actor == "" {
		return nil
	}
	named, err := e.Resolve(ctx, e.actor, OwnerNames)
	if err != nil {
		return fmt.Errorf("the actor: %w", err)
	}
	e.ActorIs = named.URN
	return nil
}

func envOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// ActorVariable is the environment variable with the name of the actor.
const ActorVariable = "HEADWATER_ACTOR"

// OwnerNames restricts a name to users and groups.
var OwnerNames = client.NameQuery{Part: EntityPart, Types: FilterTypes["owner"]}

// Package cli has what the commands share: the environment with its flags, the exit codes, the
// texts of errors, names on the command line, their completion, and progress.
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

// Environment is what the commands share.
type Environment struct {
	// Version and Commit are those of this program.
	Version, Commit string

	// Stdin, Stdout and Stderr are the standard streams.
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Args are those of the command line.
	Args []string
	// Verb is the command that runs.
	Verb *cobra.Command

	// Server is the address of the server, and Token the access token, "" for none.
	Server, Token string
	// actor is who makes the requests, as it was given, and ActorIs its URN; "" is nobody in
	// particular.
	actor, ActorIs string

	// Output is the output format: table or json.
	Output string
	// Timeout is the longest time for one request.
	Timeout time.Duration
}

// Client is a client of the server that the flags name, for the actor that they name.
func (e *Environment) Client() *client.Client {
	return client.New(e.Server, e.Token, e.Timeout).As(e.ActorIs)
}

// Ask reads an answer into a value, and also returns its text.
func (e *Environment) Ask(ctx context.Context, path string, into any) (json.RawMessage, error) {
	var raw json.RawMessage
	if err := e.Client().Get(ctx, path, &raw); err != nil {
		return nil, err
	}
	return raw, DecodeAnswer(raw, into)
}

// DecodeAnswer reads an answer of the server into a value.
func DecodeAnswer(raw json.RawMessage, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("the server's answer cannot be understood: %w", err)
	}
	return nil
}

// Post requests an action, reads the answer into a value, and also returns its text.
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

// ClientFlags adds the flags of the commands that ask a server for something in somebody's
// name. A command with a flag --actor of its own takes the name from the environment only.
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

// ServerFlags adds the flags of the commands that talk to a server.
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

// readAddress reads the address of the server and the access token.
func (e *Environment) readAddress() (err error) {
	if e.Token == "" {
		e.Token = os.Getenv("HEADWATER_TOKEN")
	}
	e.Server, err = client.Address(e.Server)
	return err
}

// readActor reads who makes the requests.
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

// ActorVariable is the environment variable that says who makes the requests.
const ActorVariable = "HEADWATER_ACTOR"

// OwnerNames finds users and groups by name.
var OwnerNames = client.NameQuery{Part: EntityPart, Types: FilterTypes["owner"]}

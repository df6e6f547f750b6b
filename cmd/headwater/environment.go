package main

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

// environment is what the commands share.
type environment struct {
	// version and commit are those of this program.
	version, commit string

	stdin          io.Reader
	stdout, stderr io.Writer

	// args are those of the command line.
	args []string
	// verb is the command that runs.
	verb *cobra.Command

	server string
	token  string
	// actor is who makes the requests, as it was given, and actorIs its URN; "" is nobody in
	// particular.
	actor, actorIs string

	output  string
	timeout time.Duration
}

func (e *environment) client() *client.Client {
	return client.New(e.server, e.token, e.timeout).As(e.actorIs)
}

// ask reads an answer into a value, and also returns its text.
func (e *environment) ask(ctx context.Context, path string, into any) (json.RawMessage, error) {
	var raw json.RawMessage
	if err := e.client().Get(ctx, path, &raw); err != nil {
		return nil, err
	}
	return raw, decodeAnswer(raw, into)
}

func decodeAnswer(raw json.RawMessage, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("the server's answer cannot be understood: %w", err)
	}
	return nil
}

// post requests an action, reads the answer into a value, and also returns its text.
func (e *environment) post(ctx context.Context, path string, request, into any) (json.RawMessage, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := e.client().Post(ctx, path, body, &answer); err != nil {
		return nil, err
	}
	return answer.Value, decodeAnswer(answer.Value, into)
}

// clientFlags adds the flags of the commands that ask a server for something in somebody's
// name. A command with a flag --actor of its own takes the name from the environment only.
func (e *environment) clientFlags(c *cobra.Command) {
	e.serverFlags(c)
	if c.Flags().Lookup("actor") == nil {
		c.Flags().StringVar(&e.actor, "actor", "", "who makes the requests: a user or group, by name or URN ("+actorVariable+")")
		e.completeFlag(c, "actor", e.names(ownerNames))
	}
	pre := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if err := pre(c, args); err != nil {
			return err
		}
		return e.readActor(c.Context())
	}
}

// serverFlags adds the flags of the commands that talk to a server.
func (e *environment) serverFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&e.server, "server", envOr("HEADWATER_SERVER", "http://127.0.0.1:8080"), "address of the server, host:port or a URL (HEADWATER_SERVER)")
	f.StringVar(&e.token, "token", "", "access token (HEADWATER_TOKEN)")
	f.DurationVar(&e.timeout, "timeout", time.Minute, "longest time for one request")
	pre := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		e.verb = c
		if err := e.readAddress(); err != nil {
			return badUsage(err)
		}
		if pre != nil {
			return pre(c, args)
		}
		return nil
	}
}

// outputFlag adds the flag for the output format.
func (e *environment) outputFlag(c *cobra.Command) {
	c.Flags().StringVarP(&e.output, "output", "o", "table", "output format: table or json")
	completeWith(c, "output", "table", "json")
	pre := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if e.output != "table" && e.output != "json" {
			return badUsage(fmt.Errorf("--output must be table or json, not %q", e.output))
		}
		if pre != nil {
			return pre(c, args)
		}
		return nil
	}
}

// readAddress reads the address of the server and the access token.
func (e *environment) readAddress() (err error) {
	if e.token == "" {
		e.token = os.Getenv("HEADWATER_TOKEN")
	}
	e.server, err = client.Address(e.server)
	return err
}

// readActor reads who makes the requests.
func (e *environment) readActor(ctx context.Context) error {
	if e.actor == "" {
		e.actor = os.Getenv(actorVariable)
	}
	if e.actor == "" {
		return nil
	}
	named, err := e.resolve(ctx, e.actor, ownerNames)
	if err != nil {
		return fmt.Errorf("the actor: %w", err)
	}
	e.actorIs = named.URN
	return nil
}

func envOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// actorVariable is the environment variable that says who makes the requests.
const actorVariable = "HEADWATER_ACTOR"

// ownerNames finds users and groups by name.
var ownerNames = client.NameQuery{Part: entityPart, Types: filterTypes["owner"]}

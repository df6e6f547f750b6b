package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
)

// Exit codes, as in the help.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitUnreachable = 4
	exitPartial     = 5
	exitInterrupted = 130
)

const exitHelp = `Exit codes:
  0    success
  1    the operation failed
  2    the command line is wrong
  3    the entity or run asked for does not exist, or several have its name
  4    the server cannot be reached
  5    some of the records failed
  130  interrupted; what was acknowledged before is written`

// errPartial means that some of many records failed.
var errPartial = errors.New("some records failed")

// usageError is a wrong command line.
type usageError struct{ error }

// environment is what the commands share.
type environment struct {
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

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &environment{stdin: stdin, stdout: stdout, stderr: stderr, args: args}
	root := newRoot(e)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := exitCode(err)
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		err, code = errInterrupted, exitInterrupted
	}
	if err != nil {
		writeError(stderr, err, code, asksForJSON(args))
	}
	return code
}

func exitCode(err error) int {
	var (
		usage  usageError
		answer *client.Error
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, errPartial):
		return exitPartial
	case errors.Is(err, client.ErrUnreachable):
		return exitUnreachable
	case errors.As(err, &answer) && (answer.Status == http.StatusNotFound || answer.Ambiguous()):
		return exitNotFound
	}
	return exitFailure
}

func newRoot(e *environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "headwater",
		Short: "A graph-native lineage and metadata catalog",
		Long: `Headwater keeps metadata as a graph: datasets, dashboards, jobs, columns, owners
and terms, with what they derive from and what they feed, now and in the past.

"headwater serve" runs the server; the other commands talk to a server.

` + exitHelp,
		SilenceUsage: true, SilenceErrors: true,
		Args: onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(e.flagError)
	root.AddCommand(newServe(e), newFollow(e), newIngest(e), newGet(e), newSearch(e), newLineage(e), newImpact(e), newTimeline(e),
		newTag(e), newTerm(e), newOwn(e), newDomain(e), newDescribe(e),
		newDelete(e), newRuns(e), newExport(e), newImport(e), newCopy(e), newReindex(e), newFollowers(e), newFeed(e), newProposals(e), newBrowser(e), newMCP(e),
		newBackup(e), newWebhooks(e), newHealth(e), newVersion(e), e.newBash())
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.InitDefaultCompletionCmd() // it writes to the output that is set now
	e.amendScripts(root)
	e.addCompletions(root)
	return root
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
			return usageError{err}
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
			return usageError{fmt.Errorf("--output must be table or json, not %q", e.output)}
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

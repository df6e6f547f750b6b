// Package agents has the command mcp, which serves agents over standard input and output.
package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newMCP(e)}
}

func newMCP(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve a server's tools to an agent over standard input and output",
		Long: `Serve the tools and prompts of a server to an agent by the Model Context Protocol,
over standard input and output. Agents that can reach the server over HTTP do not
need this command; they connect to <server>/mcp.

The command ends when its input ends.

` + cli.ExitHelp,
		Example: `  headwater mcp --server http://catalog.example:8080`,
		Args:    cli.ExactArgs(0),
		RunE:    func(c *cobra.Command, _ []string) error { return serveMCP(c.Context(), e) },
	}
	e.ClientFlags(c)
	return c
}

// serveMCP serves the tools and prompts of the server's /mcp over standard input and
// output.
func serveMCP(ctx context.Context, e *cli.Environment) error {
	f := &farServer{e: e}
	defer f.forget(nil)
	session, err := f.current(ctx)
	if err != nil {
		return err
	}
	offered := session.InitializeResult()
	near := mcp.NewServer(offered.ServerInfo, &mcp.ServerOptions{Instructions: offered.Instructions, Capabilities: &mcp.ServerCapabilities{}})
	if err := f.passOn(ctx, session, near); err != nil {
		return err
	}
	err = near.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(e.Stdin), Writer: keepOpen{e.Stdout}})
	if errors.Is(err, io.EOF) {
		return nil // the agent has closed its end
	}
	return err
}

// farServer is the server that answers the requests of the agent. An agent may run for
// days, so a session that fails, for example because the server restarts, is replaced.
type farServer struct {
	e       *cli.Environment
	mu      sync.Mutex
	session *mcp.ClientSession
}

// current returns the current session. It opens one if there is none.
func (f *farServer) current(ctx context.Context) (*mcp.ClientSession, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.session != nil {
		return f.session, nil
	}
	agent := mcp.NewClient(&mcp.Implementation{Name: "headwater-stdio", Version: f.e.Version}, nil)
	session, err := agent.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: strings.TrimRight(f.e.Server, "/") + "/mcp", DisableStandaloneSSE: true, MaxRetries: -1,
		HTTPClient: &http.Client{Timeout: f.e.Timeout, CheckRedirect: client.SameServer, Transport: bearer{f.e.Token, f.e.ActorIs}},
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", client.ErrUnreachable, err)
	}
	f.session = session
	return session, nil
}

// forget closes the current session if it is the given one. If session is nil, it closes
// any.
func (f *farServer) forget(session *mcp.ClientSession) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.session != nil && (session == nil || f.session == session) {
		_ = f.session.Close() // a failed close has no consequence
		f.session = nil
	}
}

// passedOn sends a request. If the request gets no answer, passedOn sends it once more in a
// new session, because calling a tool twice is harmless.
func passedOn[T any](ctx context.Context, f *farServer, send func(*mcp.ClientSession) (T, error)) (T, error) {
	for mayRepeat := true; ; mayRepeat = false {
		session, err := f.current(ctx)
		if err != nil {
			var none T
			return none, err
		}
		answer, err := send(session)
		var refused *jsonrpc.Error
		if err == nil || errors.As(err, &refused) || ctx.Err() != nil || !mayRepeat {
			return answer, err
		}
		f.forget(session)
	}
}

// passOn adds the tools and prompts of a session to the near server, which passes their
// requests on to the far server.
func (f *farServer) passOn(ctx context.Context, session *mcp.ClientSession, near *mcp.Server) error {
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		near.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return passedOn(ctx, f, func(session *mcp.ClientSession) (*mcp.CallToolResult, error) {
				return session.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
			})
		})
	}
	for prompt, err := range session.Prompts(ctx, nil) {
		if err != nil {
			return err
		}
		near.AddPrompt(prompt, func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return passedOn(ctx, f, func(session *mcp.ClientSession) (*mcp.GetPromptResult, error) {
				return session.GetPrompt(ctx, &mcp.GetPromptParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
			})
		})
	}
	return nil
}

// bearer adds the access token and the actor to each request.
type bearer struct{ token, actor string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	if b.actor != "" {
		r.Header.Set(client.ActorHeader, b.actor)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// keepOpen is a writer without Close, so that a session cannot close it.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

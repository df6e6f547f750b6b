package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/internal/client"
)

func newMCP(e *environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve a server's tools to an agent over standard input and output",
		Long: `Serve the tools and prompts of a server to an agent by the Model Context Protocol,
over standard input and output. Agents that can reach the server over HTTP do not
need this command; they connect to <server>/mcp.

The command ends when its input ends.

` + exitHelp,
		Example: `  headwater mcp --server http://catalog.example:8080`,
		Args:    exactArgs(0),
		RunE:    func(c *cobra.Command, _ []string) error { return e.serveMCP(c.Context()) },
	}
	e.clientFlags(c)
	return c
}

// serveMCP offers on standard input and output what the server offers at /mcp.
func (e *environment) serveMCP(ctx context.Context) error {
	far := mcp.NewClient(&mcp.Implementation{Name: "headwater-stdio", Version: version}, nil)
	session, err := far.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: strings.TrimRight(e.server, "/") + "/mcp", DisableStandaloneSSE: true, MaxRetries: -1,
		HTTPClient: &http.Client{Timeout: e.timeout, Transport: bearer{e.token}},
	}, nil)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", e.server, client.ErrUnreachable, err)
	}
	defer session.Close()
	offered := session.InitializeResult()
	near := mcp.NewServer(offered.ServerInfo, &mcp.ServerOptions{Instructions: offered.Instructions, Capabilities: &mcp.ServerCapabilities{}})
	if err := passOn(ctx, session, near); err != nil {
		return err
	}
	err = near.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(e.stdin), Writer: keepOpen{e.stdout}})
	if errors.Is(err, io.EOF) {
		return nil // the agent has ended
	}
	return err
}

// passOn adds the tools and prompts of a session to a server, which passes the
// requests on.
func passOn(ctx context.Context, session *mcp.ClientSession, near *mcp.Server) error {
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		near.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return session.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	for prompt, err := range session.Prompts(ctx, nil) {
		if err != nil {
			return err
		}
		near.AddPrompt(prompt, func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return session.GetPrompt(ctx, &mcp.GetPromptParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	return nil
}

// bearer sends an access token with each request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// keepOpen is a writer that is not closed with a session.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

package operate

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
)

func newBrowser(e *cli.Environment) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "browser",
		Short: "Show how to look at the graph in Neo4j Browser",
		Long: `Show the address of Neo4j Browser and the commands that load Headwater's style
sheet and guide into it. The server must keep its graph in Neo4j.

With --write, the style sheet, the guide and the questions of the guide are also
written to a directory: drop headwater.grass and queries.zip on the page of Neo4j
Browser to load them.

` + cli.ExitHelp,
		Example: `  headwater browser
  headwater browser --write neo4j-browser`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return browse(c.Context(), e, dir) },
	}
	c.Flags().StringVar(&dir, "write", "", "directory to write the style sheet, the guide and the questions to")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// errNoNeo4j is the error if the server has an embedded store.
var errNoNeo4j = errors.New(`this server keeps its graph in the embedded store, so there is no Neo4j to open.
To use Neo4j, start the server with --graph neo4j://user:password@host:7687; "headwater export"
and "headwater import" take the catalog along`)

// browserAnswer is the JSON output of the command.
type browserAnswer struct {
	// Open is the address of Neo4j Browser that opens the guide.
	Open     string `json:"open"`
	Browser  string `json:"browser"`
	Address  string `json:"address"`
	Database string `json:"database,omitempty"`
	Style    string `json:"style"`
	Guide    string `json:"guide"`
	Queries  string `json:"queries"`
	// Written are the files that --write has written.
	Written []string `json:"written,omitempty"`
}

func browse(ctx context.Context, e *cli.Environment, dir string) error {
	config, err := e.Client().Config(ctx)
	if err != nil {
		return err
	}
	if config.Neo4j.Address == "" {
		return errNoNeo4j
	}
	base, err := asNeo4jBrowserReadsIt(e.Server)
	if err != nil {
		return cli.BadUsage(err)
	}
	answer := browserAnswer{
		Browser: config.Neo4j.Browser, Address: config.Neo4j.Address, Database: config.Neo4j.Database,
		Style: base + "/browser/style.grass", Guide: base + "/browser/guide", Queries: base + "/browser/queries.zip",
	}
	query := url.Values{"cmd": {"play"}, "arg": {answer.Guide}}
	if answer.Database != "" {
		query.Set("db", answer.Database)
	}
	answer.Open = answer.Browser + "?" + query.Encode()
	if dir != "" {
		if answer.Written, err = writeBrowserFiles(ctx, e, dir); err != nil {
			return err
		}
	}
	if e.Output == "json" {
		return e.WriteJSON(answer)
	}
	showBrowser(e.Stdout, &answer, base)
	return nil
}

// asNeo4jBrowserReadsIt returns the address of a server with localhost in place of an
// address of this machine. Neo4j Browser reads files from localhost without further
// settings.
func asNeo4jBrowserReadsIt(server string) (string, error) {
	u, err := url.Parse(strings.TrimSuffix(server, "/"))
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("%q is not the address of a server", server)
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		u.Host = strings.Replace(u.Host, strings.TrimSuffix(u.Host, ":"+u.Port()), "localhost", 1)
	}
	u.User = nil
	return u.String(), nil
}

func showBrowser(to io.Writer, answer *browserAnswer, base string) {
	line := screen.Line
	fmt.Fprintf(to, "Neo4j Browser  %s\n", line(answer.Browser))
	fmt.Fprintf(to, "database       %s", line(answer.Address))
	if answer.Database != "" {
		fmt.Fprintf(to, ", %s", line(answer.Database))
	}
	fmt.Fprintf(to, "\nwith the guide %s\n", line(answer.Open))
	fmt.Fprintf(to, "\nIn Neo4j Browser, type:\n  :style %s\n  :play %s\n", line(answer.Style), line(answer.Guide))
	fmt.Fprintf(to, "\nFor saved queries, drop this file on its page:\n  %s\n", line(answer.Queries))
	if u, err := url.Parse(base); err == nil && u.Hostname() != "localhost" {
		fmt.Fprintf(to, "\nNeo4j Browser reads from other hosts than localhost if neo4j.conf names them:\n  browser.remote_content_hostname_whitelist=localhost,%s\n", line(u.Hostname()))
	}
	for i, name := range answer.Written {
		if i == 0 {
			fmt.Fprintln(to, "\nWritten:")
		}
		fmt.Fprintf(to, "  %s\n", line(name))
	}
}

// writeBrowserFiles downloads the files for Neo4j Browser, and unpacks the questions.
func writeBrowserFiles(ctx context.Context, e *cli.Environment, dir string) ([]string, error) {
	var written []string
	write := func(name string, content []byte) error {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		written = append(written, path)
		return os.WriteFile(path, content, 0o644)
	}
	var archive []byte
	client := e.Client()
	for _, f := range []struct {
		path, name string
		download   func(context.Context, string) ([]byte, error)
	}{
		{"/browser/style.grass", "headwater.grass", client.Download},
		{"/browser/guide", "guide.html", client.DownloadPage},
		{"/browser/queries.zip", "queries.zip", client.Download},
	} {
		content, err := f.download(ctx, f.path)
		if err != nil {
			return nil, err
		}
		if err := write(f.name, content); err != nil {
			return nil, err
		}
		archive = content // the last file is the archive of the questions
	}
	questions, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("the server's queries cannot be read: %w", err)
	}
	for _, f := range questions.File {
		if !filepath.IsLocal(f.Name) {
			return nil, fmt.Errorf("the server names a file outside of %s: %s", dir, f.Name)
		}
		text, err := unzipped(f)
		if err != nil {
			return nil, err
		}
		if err := write("queries/"+f.Name, text); err != nil {
			return nil, err
		}
	}
	return written, nil
}

// maxQuestion bounds the size of one query in bytes.
const maxQuestion = 1 << 20

// unzipped returns the content of a file in an archive.
func unzipped(f *zip.File) ([]byte, error) {
	content, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	text, err := io.ReadAll(io.LimitReader(content, maxQuestion+1))
	if err == nil && len(text) > maxQuestion {
		err = fmt.Errorf("the server's query %s is longer than %d bytes", f.Name, maxQuestion)
	}
	return text, err
}

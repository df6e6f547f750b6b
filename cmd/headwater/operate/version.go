package operate

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

func newVersion(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:     "version",
		Short:   "Show the version of this program, and of a server",
		Long:    "Show the version of this program and, with --server, of a running server.",
		Example: "  headwater version\n  headwater version --server http://127.0.0.1:8080",
		Args:    cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			lines := []struct{ name, value string }{
				{"version", e.Version},
				{"commit", e.Commit},
				{"go", runtime.Version()},
				{"platform", runtime.GOOS + "/" + runtime.GOARCH},
			}
			if c.Flags().Changed("server") {
				config, err := e.Client().Config(c.Context())
				if err != nil {
					return err
				}
				v := config.Versions["headwater"]
				lines = append(lines, struct{ name, value string }{"server", v.Version}, struct{ name, value string }{"server commit", v.Commit})
			}
			if e.Output == "json" {
				object := map[string]string{}
				for _, l := range lines {
					object[l.name] = l.value
				}
				return e.WriteJSON(object)
			}
			for _, l := range lines {
				fmt.Fprintf(e.Stdout, "%-14s %s\n", l.name, l.value)
			}
			return nil
		},
	}
	e.ServerFlags(c)
	e.OutputFlag(c)
	return c
}

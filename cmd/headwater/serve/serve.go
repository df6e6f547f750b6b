// Package serve has the commands serve and follow, which run a server.
package serve

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// Commands returns the commands of the family.
func Commands(e *cli.Environment) []*cobra.Command {
	return []*cobra.Command{newServe(e), newFollow(e)}
}

func newServe(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Run the server. Without any flags, it keeps everything in an embedded store under
./data and listens on 127.0.0.1:8080.

Each flag can also be given as the environment variable HEADWATER_<NAME>, with
underscores for dashes, or as a key in headwater.yaml; a flag overrides the others.
When the server is ready, it writes one line, "listening on <url>". On SIGTERM it
finishes running requests and exits with 0. On SIGHUP it reads the settings file,
certificates, keys and passwords again, and says in its log what takes effect.`,
		Example: `  headwater serve --sample
  headwater serve --data /var/lib/headwater --listen :8080 --auth on
  headwater serve --graph neo4j://neo4j:secret@graph.example:7687`,
		Args: cli.ExactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return runServer(e, c, func() (*config.Server, error) { return config.Load(c.Flags(), os.Environ()) })
		},
	}
	config.Flags(c.Flags())
	return c
}

package serve

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

func newFollow(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "follow URL",
		Short: "Run a replica of another server",
		Long: `Run a server that keeps its catalog level with that of the server at URL, and answers
all reads itself. Writes are refused with 403; they belong to the other server.

The URL kafka://host:port[,host:port…][/prefix] names a topic of Kafka to which the other
server sends what replicas read (--kafka-replicas). The replica is then filled from the
topic alone; the other server need not run.

The store must be empty at first. It is filled from the change log of the other server,
with all versions, the past of edges and time series, and then follows it. A replica that
was away catches up. GET /replica says how far behind it is. The stores of the two may be
of different kinds. A store that headwater serve opens is no replica any more.

The settings are those of headwater serve.`,
		Example: `  headwater follow http://catalog.example:8080 --data /var/lib/headwater-replica
  headwater follow http://127.0.0.1:8080 --data ./replica --listen 127.0.0.1:8081
  headwater follow kafka://kafka.example:9092 --data ./rebuilt`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runServer(e, c, func() (*config.Server, error) {
				settings, err := config.Load(c.Flags(), os.Environ())
				if err != nil {
					return nil, err
				}
				if settings.Follow, err = config.Source(args[0]); err != nil {
					return nil, err
				}
				if _, _, kafka := config.KafkaSource(settings.Follow); kafka && settings.KafkaReplicas {
					return nil, errors.New("a replica that is filled from Kafka does not send to replicas there; leave out --kafka-replicas")
				}
				return settings, nil
			})
		},
	}
	config.Flags(c.Flags())
	config.FollowFlags(c.Flags())
	return c
}

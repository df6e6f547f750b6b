package serve

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/app"
	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/tasks"
)

// runServer runs a server with the settings that a function reads. SIGHUP lets it read them
// again.
func runServer(e *cli.Environment, c *cobra.Command, read func() (*config.Server, error)) error {
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	reload := app.Reload{Asked: hangups(ctx, e, stop), Read: read} // before the start, which a signal must not end
	settings, err := read()
	if err != nil {
		return cli.BadUsage(err)
	}
	return startError(settings, app.Run(ctx, settings, app.Build{Version: e.Version, Commit: e.Commit}, reload, e.Stdout, e.Stderr))
}

// hangups receives the signals SIGHUP until the context ends. The one that says that the
// server's terminal was closed stops the server instead.
func hangups(ctx context.Context, e *cli.Environment, stop func()) <-chan os.Signal {
	onTerminal := screen.IsTerminal(e.Stderr)
	signals, asked := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	tasks.New("server", nil).Go("hang-ups", func() {
		defer signal.Stop(signals)
		for {
			select {
			case s := <-signals:
				if onTerminal && !screen.IsTerminal(e.Stderr) {
					stop()
					return
				}
				select {
				case asked <- s:
				default: // the settings are about to be read already
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return asked
}

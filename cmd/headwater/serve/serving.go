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

// runServer runs a server with the settings that read returns. On SIGHUP, the server calls
// read again.
func runServer(e *cli.Environment, c *cobra.Command, read func() (*config.Server, error)) error {
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	reload := app.Reload{Asked: hangups(ctx, e, stop), Read: read} // created before the start, so that SIGHUP during the start does not end the process
	settings, err := read()
	if err != nil {
		return cli.BadUsage(err)
	}
	return startError(settings, app.Run(ctx, settings, app.Build{Version: e.Version, Commit: e.Commit}, reload, e.Stdout, e.Stderr))
}

// hangups returns a channel of SIGHUP signals, until the context ends. If the signal means
// that the server's terminal was closed, hangups stops the server instead.
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
				default: // the settings will be read because of an earlier signal
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return asked
}

package transfer

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/app"
	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/wording"
)

func newBackup(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "backup",
		Short: "Back up and restore the embedded store",
		Long: `Back up and restore the embedded store. These commands do not talk to a server: they
read the files of the data directory, on the machine that has them, as the user whom
they belong to. The server may run during a backup.

A backup is one file. It contains the whole catalog with its history, but not the
search index, which is built again from it. Beside it is its checksum, in the format
of sha256sum.

` + cli.ExitHelp,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.BadUsage(fmt.Errorf("there is no command backup %q; see headwater backup --help", args[0]))
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	create := &cobra.Command{
		Use:   "create FILE",
		Short: "Write a backup to a new file, also while the server runs",
		Long: `Write the embedded store, as it is at one moment, to a new file, and check the file.
If FILE is a directory, the backup is a file in it that is named after the time. A name
that ends with a slash or has no dot (/backups) means a directory, which is made if it
is missing. Reads and writes of the server are not held up. What is written during the
backup is not in it, and stays in the store's write-ahead log until the backup ends.

` + cli.ExitHelp,
		Example: `  headwater backup create /backups
  headwater backup create catalog.db --data /var/lib/headwater`,
		Args: cli.ExactArgs(1),
	}
	create.RunE = func(c *cobra.Command, args []string) error {
		settings, err := dataSettings(c)
		if err != nil {
			return err
		}
		return showBackup(e, "backed up", func(ctx context.Context) (app.Backup, error) { return app.WriteBackup(ctx, settings, args[0]) }, c)
	}
	verify := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check that a backup is intact",
		Long: `Read all of a backup: whether it is a complete database, whether this release can use
it, and whether it has the checksum that was noted with it.

` + cli.ExitHelp,
		Example: `  headwater backup verify catalog.db`,
		Args:    cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return showBackup(e, "intact", func(ctx context.Context) (app.Backup, error) { return app.CheckBackup(ctx, args[0]) }, c)
		},
	}
	restore := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a backup the store of a new data directory",
		Long: `Check a backup and make it the store of a data directory that has none yet. Start the
server on that directory afterwards; it builds the search index.

` + cli.ExitHelp,
		Example: `  headwater backup restore catalog.db --data /var/lib/headwater-restored`,
		Args:    cli.ExactArgs(1),
	}
	restore.RunE = func(c *cobra.Command, args []string) error {
		settings, err := dataSettings(c)
		if err != nil {
			return err
		}
		return showBackup(e, "restored", func(ctx context.Context) (app.Backup, error) { return app.RestoreBackup(ctx, settings, args[0]) }, c)
	}
	for _, sub := range []*cobra.Command{create, restore} {
		sub.Flags().String("data", "", "directory of the embedded store (default: the setting of headwater serve)")
		sub.Flags().String("config", "", "settings file (default "+config.DefaultFile+", if it exists)")
	}
	for _, sub := range []*cobra.Command{create, verify, restore} {
		e.OutputFlag(sub)
		c.AddCommand(sub)
	}
	return c
}

// dataSettings reads the settings of the server, which name its data directory.
func dataSettings(c *cobra.Command) (*config.Server, error) {
	all := (&cobra.Command{}).Flags()
	config.Flags(all)
	for _, name := range []string{"data", "config"} {
		if flag := c.Flags().Lookup(name); flag.Changed {
			if err := all.Set(name, flag.Value.String()); err != nil {
				return nil, cli.BadUsage(err)
			}
		}
	}
	settings, err := config.Load(all, os.Environ())
	if err != nil {
		return nil, cli.BadUsage(err)
	}
	return settings, nil
}

// showBackup runs a function on a backup file and prints the content of the file.
func showBackup(e *cli.Environment, done string, run func(context.Context) (app.Backup, error), c *cobra.Command) error {
	b, err := run(c.Context())
	if err != nil {
		return err
	}
	if e.Output == "json" {
		return e.WriteJSON(b)
	}
	_, err = fmt.Fprintf(e.Stdout, "%s %s: %s, %s, schema %d, %.1f MiB\n", done, b.File, wording.Counted(int(b.Entities), "entity", "entities"), wording.Counted(int(b.Changes), "change", "changes"), b.Schema, float64(b.Bytes)/(1<<20))
	return err
}

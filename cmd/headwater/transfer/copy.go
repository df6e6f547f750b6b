package transfer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/copying"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/sending"
	"github.com/headwater-io/headwater/connectors/run"
	"github.com/headwater-io/headwater/internal/wording"
)

// longestAnswer bounds an answer of the server that a catalog is copied from, in bytes.
const longestAnswer = 64 << 20

// copyFlags are the flags of copy.
type copyFlags struct {
	tokenFile, differences string
	pipeline               string
	deleteAtMost           float64
	inFlight               int
	dryRun                 bool
}

func newCopy(e *cli.Environment) *cobra.Command {
	var o copyFlags
	c := &cobra.Command{
		Use:   "copy FROM",
		Short: "Copy a whole catalog from DataHub, or from another server with its interface",
		Long: `Copy a whole catalog into the server at --server. FROM is the address of the metadata
service of DataHub 0.10.5 or later, or of another Headwater: host:port, or a URL.

Entities of all types are copied, soft-deleted ones included, with the latest values of
their aspects, the runs that wrote them, and their time series. Each entity is read from
both servers, the values that are missing here are written, and what was written is read
back. At the end, the numbers of entities, aspects and time-series values of each type are
shown for both sides, and FROM is asked for its own numbers again. What FROM has and this
server does not have is a difference: the first ones are listed, --differences writes
all of them to a file, and the exit code is 5. What only this server has is left alone.

The same command continues an interrupted copy: what is here already is not written
again. --dry-run compares both servers and writes nothing.

With --pipeline-name, the copy follows deletions: entities that FROM had at the last copy of
this name, and does not have any more, are deleted here, too, with all that this server knows
of them. What the copy has seen is kept here under that name. If more than --delete-at-most
percent of what FROM had are gone, nothing is deleted, and that is a difference. Users, groups,
platforms and what servers have of their own are never deleted.

If FROM wants an access token, HEADWATER_SOURCE_TOKEN is the token, or
--source-token-file names a file with it.

` + cli.ExitHelp,
		Example: `  headwater copy https://datahub.example.com/api/gms --source-token-file token.txt
  headwater copy datahub.example.com:8080 --dry-run
  headwater copy http://127.0.0.1:8080 --server http://127.0.0.1:9090 --differences differences.jsonl`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.inFlight < 1 || o.inFlight > sending.MaxInFlight {
				return cli.BadUsage(fmt.Errorf("--in-flight must be from 1 to %d", sending.MaxInFlight))
			}
			if o.deleteAtMost < 0 || o.deleteAtMost > 100 {
				return cli.BadUsage(errors.New("--delete-at-most must be from 0 to 100"))
			}
			if strings.ContainsAny(o.pipeline, "(),") {
				return cli.BadUsage(errors.New("--pipeline-name must not contain parentheses or commas: it is a part of a URN"))
			}
			from, err := client.SourceAddress(args[0])
			if err != nil {
				return cli.BadUsage(err)
			}
			if cli.WithoutUser(from) == cli.WithoutUser(e.Server) {
				return cli.BadUsage(errors.New("FROM is the server at --server itself"))
			}
			token, err := sourceToken(o.tokenFile)
			if err != nil {
				return cli.BadUsage(err)
			}
			return copyCatalog(c.Context(), e, client.NewSource(from, token, e.Timeout, longestAnswer), &o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.tokenFile, "source-token-file", "", "file with the access token of FROM (instead of HEADWATER_SOURCE_TOKEN)")
	f.StringVar(&o.differences, "differences", "", "file to write every difference to, as JSON lines")
	f.IntVar(&o.inFlight, "in-flight", sending.DefaultInFlight, "number of parts to copy at a time")
	f.StringVar(&o.pipeline, "pipeline-name", "", "follow deletions in FROM since the last copy of this name")
	f.Float64Var(&o.deleteAtMost, "delete-at-most", 75, "percent of what FROM had at the last copy that may be deleted")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "compare, but write nothing")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// sourceToken reads the access token for the source of a copy. The token is never an
// argument, because other users of the machine can see arguments.
func sourceToken(file string) (string, error) {
	if file == "" {
		return os.Getenv("HEADWATER_SOURCE_TOKEN"), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("--source-token-file: %s does not contain one access token", file)
	}
	return token, nil
}

func copyCatalog(ctx context.Context, e *cli.Environment, source *client.Client, o *copyFlags) error {
	began := time.Now()
	options := copying.Options{Source: source, Target: e.Client(), InFlight: o.inFlight, DryRun: o.dryRun}
	if o.pipeline != "" {
		options.Follow = &copying.Follow{Pipeline: o.pipeline, States: run.Remote{Client: options.Target}, AtMost: o.deleteAtMost, Now: began}
	}
	if o.differences != "" {
		f, err := os.Create(o.differences)
		if err != nil {
			return cli.BadUsage(err)
		}
		defer f.Close()
		options.Differences = f
	}
	bar := e.CountBar("copying", 0)
	options.Progress = bar.SetOf
	report, err := copying.Copy(ctx, options)
	bar.Finish()
	if err != nil && !errors.Is(err, copying.ErrIncomplete) {
		return stoppedCopy(report, err)
	}
	if err := showCopy(e, source.Shown(), report, o, time.Since(began)); err != nil {
		return err
	}
	if report.DifferenceCount > 0 {
		return differences(report.DifferenceCount)
	}
	return nil
}

// differences is the error of a copy that leaves differences. It counts as an ErrPartial.
type differences int

func (d differences) Error() string {
	return "this server does not have everything that the source has: " + wording.Counted(int(d), "difference", "differences")
}

func (d differences) Is(target error) bool { return target == cli.ErrPartial }

// stoppedCopy returns the error of a copy that stopped before its end.
func stoppedCopy(report *copying.Report, err error) error {
	var refused *client.Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound { // the 404 is not about an entity on the command line, so it must not become the exit code
		err = errors.New(err.Error())
	}
	if report.Total.Entities.Source == 0 {
		return err
	}
	return fmt.Errorf("%w (%s compared; the same command continues)", err, wording.Counted(report.Total.Entities.Source, "entity is", "entities are"))
}

package transfer

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/wording"
)

func newExport(e *cli.Environment) *cobra.Command {
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the whole catalog to a file",
		Long: `Write the whole catalog to a file of JSON lines, compressed if its name ends in
.gz; - is standard output. The file contains all versions with their stamps, all
edges with their history, all time series, and therefore all runs. "headwater
import" loads it into another server, whichever store that server uses.

The file appears only when the export is complete. What is written to the server
during the export may or may not be in it; the number of such writes is reported
at the end.

` + cli.ExitHelp,
		Example: `  headwater export catalog.jsonl.gz
  headwater export - | gzip > catalog.jsonl.gz`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return exportCatalog(c.Context(), e, args[0]) },
	}
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

func exportCatalog(ctx context.Context, e *cli.Environment, name string) error {
	if name == "-" {
		end, err := copyExport(ctx, e, e.Stdout)
		if err != nil {
			return err
		}
		return showExport(e, e.Stderr, name, end)
	}
	partial := name + ".partial"
	f, err := os.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	end, err := exportTo(ctx, e, f, strings.HasSuffix(name, ".gz"))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(partial, name)
	}
	if err != nil {
		_ = os.Remove(partial) // the file is incomplete and useless
		return err
	}
	return showExport(e, e.Stdout, name, end)
}

func exportTo(ctx context.Context, e *cli.Environment, f *os.File, compress bool) (end *transfer.ExportEnd, err error) {
	if !compress {
		if end, err = copyExport(ctx, e, f); err != nil {
			return nil, err
		}
		return end, f.Sync()
	}
	packed := gzip.NewWriter(f)
	if end, err = copyExport(ctx, e, packed); err != nil {
		return nil, err
	}
	return end, errors.Join(packed.Close(), f.Sync())
}

// endLine is the beginning of the last line of an export.
const (
	endLine   = `{"end":`
	errorLine = `{"error":`
)

// copyExport copies the lines of an export, and decodes the last one.
func copyExport(ctx context.Context, e *cli.Environment, to io.Writer) (*transfer.ExportEnd, error) {
	body, err := e.Client().Stream(ctx, "/export")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	bar := e.CountBar("exporting", 0)
	defer bar.Finish()
	reader, out := bufio.NewReaderSize(body, 1<<20), bufio.NewWriterSize(to, 1<<20)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: the export ended early, after %d lines", client.ErrUnreachable, number-1)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", client.ErrUnreachable, err)
		}
		if strings.HasPrefix(string(line[:min(len(line), len(errorLine))]), errorLine) {
			var failed struct {
				Error client.Error `json:"error"`
			}
			if err := json.Unmarshal(line, &failed); err != nil {
				return nil, err
			}
			return nil, &failed.Error
		}
		if _, err := out.Write(line); err != nil {
			return nil, err
		}
		bar.Set(number)
		if strings.HasPrefix(string(line[:min(len(line), len(endLine))]), endLine) {
			var last transfer.ExportLine
			if err := json.Unmarshal(line, &last); err != nil {
				return nil, err
			}
			return last.End, out.Flush()
		}
	}
}

func showExport(e *cli.Environment, to io.Writer, name string, end *transfer.ExportEnd) error {
	if e.Output == "json" {
		return cli.WriteJSONTo(to, end)
	}
	fmt.Fprintf(to, "%s: %s, %s, %s, %s\n", name, wording.Counted(int(end.Entities), "entity", "entities"), wording.Counted(int(end.Versions), "version", "versions"),
		wording.Counted(int(end.Edges), "edge", "edges"), wording.Counted(int(end.Values), "time-series value", "time-series values"))
	if end.ChangesMeanwhile > 0 {
		fmt.Fprintf(to, "%s happened during the export and may not be in the file\n", wording.Counted(int(end.ChangesMeanwhile), "write", "writes"))
	}
	return nil
}

package main

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

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/client"
)

func newExport(e *environment) *cobra.Command {
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

` + exitHelp,
		Example: `  headwater export catalog.jsonl.gz
  headwater export - | gzip > catalog.jsonl.gz`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return e.exportCatalog(c.Context(), args[0]) },
	}
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

func (e *environment) exportCatalog(ctx context.Context, name string) error {
	if name == "-" {
		end, err := e.copyExport(ctx, e.stdout)
		if err != nil {
			return err
		}
		return e.showExport(e.stderr, name, end)
	}
	partial := name + ".partial"
	f, err := os.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	end, err := e.exportTo(ctx, f, strings.HasSuffix(name, ".gz"))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(partial, name)
	}
	if err != nil {
		_ = os.Remove(partial) // the file contains nothing useful
		return err
	}
	return e.showExport(e.stdout, name, end)
}

func (e *environment) exportTo(ctx context.Context, f *os.File, compress bool) (end *transfer.ExportEnd, err error) {
	if !compress {
		if end, err = e.copyExport(ctx, f); err != nil {
			return nil, err
		}
		return end, f.Sync()
	}
	packed := gzip.NewWriter(f)
	if end, err = e.copyExport(ctx, packed); err != nil {
		return nil, err
	}
	return end, errors.Join(packed.Close(), f.Sync())
}

// endLine is the beginning of the last line of an export.
const (
	endLine   = `{"end":`
	errorLine = `{"error":`
)

// copyExport copies the lines and returns the last one.
func (e *environment) copyExport(ctx context.Context, to io.Writer) (*transfer.ExportEnd, error) {
	body, err := e.client().Stream(ctx, "/export")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	bar := e.countBar("exporting", 0)
	defer bar.finish()
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
		bar.set(number)
		if strings.HasPrefix(string(line[:min(len(line), len(endLine))]), endLine) {
			var last transfer.ExportLine
			if err := json.Unmarshal(line, &last); err != nil {
				return nil, err
			}
			return last.End, out.Flush()
		}
	}
}

func (e *environment) showExport(to io.Writer, name string, end *transfer.ExportEnd) error {
	if e.output == "json" {
		return writeJSONTo(to, end)
	}
	fmt.Fprintf(to, "%s: %s, %s, %s, %s\n", name, catalog.Counted(int(end.Entities), "entity", "entities"), catalog.Counted(int(end.Versions), "version", "versions"),
		catalog.Counted(int(end.Edges), "edge", "edges"), catalog.Counted(int(end.Values), "time-series value", "time-series values"))
	if end.ChangesMeanwhile > 0 {
		fmt.Fprintf(to, "%s happened during the export and may not be in the file\n", catalog.Counted(int(end.ChangesMeanwhile), "write", "writes"))
	}
	return nil
}

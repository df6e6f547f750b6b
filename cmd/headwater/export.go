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
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/internal/client"
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
		RunE: func(c *cobra.Command, args []string) error { return e.export(c.Context(), args[0]) },
	}
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

func (e *environment) export(ctx context.Context, name string) error {
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
		return json.NewEncoder(to).Encode(end)
	}
	fmt.Fprintf(to, "%s: %s, %s, %s, %s\n", name, plural(int(end.Entities), "entity", "entities"), plural(int(end.Versions), "version", "versions"),
		plural(int(end.Edges), "edge", "edges"), plural(int(end.Values), "time-series value", "time-series values"))
	if end.ChangesMeanwhile > 0 {
		fmt.Fprintf(to, "%s happened during the export and may not be in the file\n", plural(int(end.ChangesMeanwhile), "write", "writes"))
	}
	return nil
}

func newImport(e *environment) *cobra.Command {
	var o transfer.ImportOptions
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Write an exported catalog to a server",
		Long: `Write a file from "headwater export" to a server, entity by entity, each exactly as
it was: all versions with their stamps, edges with their history, time series.
- is standard input; gzip is recognised.

An entity that is already stored with the same content is left alone, so an
interrupted import continues when it is started again. An entity that is stored
with different content fails, unless --replace is given to delete it first.

` + exitHelp,
		Example: `  headwater import catalog.jsonl.gz --dry-run
  headwater import catalog.jsonl.gz --server http://127.0.0.1:9090`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return e.importFile(c.Context(), args[0], o) },
	}
	f := c.Flags()
	f.BoolVar(&o.Replace, "replace", false, "first delete entities that are stored with different content")
	f.BoolVarP(&o.DryRun, "dry-run", "n", false, "check and compare, but write nothing")
	e.clientFlags(c)
	e.outputFlag(c)
	return c
}

// These bound one request of an import, in lines and bytes.
const (
	importedLines = 500
	importedBytes = 4 << 20
)

// importing is an import in progress.
type importing struct {
	e       *environment
	path    string
	chunk   strings.Builder
	lines   int
	total   transfer.ImportResult
	failed  map[string]bool
	started bool
	ended   bool
}

func (e *environment) importFile(ctx context.Context, name string, o transfer.ImportOptions) error {
	began := time.Now()
	in := e.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return usageError{err}
		}
		defer f.Close()
		in = f
	}
	bar := e.bytesBar(name)
	defer bar.finish()
	counted := &countingReader{Reader: in}
	reader, err := unpacked(counted)
	if err != nil {
		return err
	}
	i := &importing{
		e: e, path: fmt.Sprintf("/import?partial=true&replace=%t&dryRun=%t", o.Replace, o.DryRun), failed: map[string]bool{},
		total: transfer.ImportResult{Failures: []transfer.ImportFailure{}},
	}
	for number := 1; !i.ended; number++ {
		line, err := reader.ReadString('\n')
		if errors.Is(err, io.EOF) && strings.TrimSpace(line) == "" {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := i.add(ctx, line); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, number, err)
		}
		bar.report(counted.n, number)
	}
	if err := i.send(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	bar.finish()
	if !i.ended {
		return fmt.Errorf("%s has no last line, so it is incomplete; the lines before are written", name)
	}
	return i.show(o, time.Since(began))
}

type countingReader struct {
	io.Reader
	n int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	return n, err
}

// unpacked decompresses gzip and returns plain text unchanged.
func unpacked(in io.Reader) (*bufio.Reader, error) {
	reader := bufio.NewReaderSize(in, 1<<20)
	if head, err := reader.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		packed, err := gzip.NewReader(reader)
		if err != nil {
			return nil, err
		}
		return bufio.NewReaderSize(packed, 1<<20), nil
	}
	return reader, nil
}

// add takes a line; values of entities that failed are skipped.
func (i *importing) add(ctx context.Context, line string) error {
	var known struct {
		Header     *transfer.ExportHeader `json:"header"`
		Entity     *struct{}              `json:"entity"`
		TimeSeries *struct {
			URN string `json:"urn"`
		} `json:"timeSeries"`
		End *transfer.ExportEnd `json:"end"`
	}
	if err := json.Unmarshal([]byte(line), &known); err != nil {
		return fmt.Errorf("this is not a line of an export: %w", err)
	}
	switch {
	case !i.started && known.Header == nil:
		return errors.New("this is not an export: it does not begin with a header")
	case known.End != nil:
		i.ended = true
		return nil
	case known.TimeSeries != nil && i.failed[known.TimeSeries.URN]:
		return nil
	}
	i.started = true
	i.chunk.WriteString(strings.TrimRight(line, "\r\n"))
	i.chunk.WriteByte('\n')
	i.lines++
	if i.lines >= importedLines || i.chunk.Len() >= importedBytes {
		return i.send(ctx)
	}
	return nil
}

func (i *importing) send(ctx context.Context) error {
	if i.lines == 0 {
		return nil
	}
	var answer struct {
		Value transfer.ImportResult `json:"value"`
	}
	if err := i.e.client().Post(ctx, i.path, []byte(i.chunk.String()), &answer); err != nil {
		return fmt.Errorf("%w (%d entities are written; the same command continues)", err, i.total.Entities)
	}
	i.chunk.Reset()
	i.lines = 0
	v := &answer.Value
	i.total.Entities += v.Entities
	i.total.Unchanged += v.Unchanged
	i.total.Versions += v.Versions
	i.total.Edges += v.Edges
	i.total.Values += v.Values
	for _, failure := range v.Failures {
		i.failed[failure.URN] = true
		i.total.Failures = append(i.total.Failures, failure)
	}
	return nil
}

func (i *importing) show(o transfer.ImportOptions, took time.Duration) error {
	if i.e.output == "json" {
		if err := i.e.writeJSON(i.total); err != nil {
			return err
		}
	} else {
		verb := "written"
		if o.DryRun {
			verb = "would be written"
		}
		fmt.Fprintf(i.e.stdout, "%s %s (%s, %s, %s), %d unchanged, %d failed, in %s\n", plural(int(i.total.Entities), "entity", "entities"), verb,
			plural(int(i.total.Versions), "version", "versions"), plural(int(i.total.Edges), "edge", "edges"),
			plural(int(i.total.Values), "time-series value", "time-series values"), i.total.Unchanged, len(i.total.Failures), took.Round(time.Millisecond))
		for k := range min(len(i.total.Failures), shownFailures) {
			fmt.Fprintf(i.e.stderr, "%s: %s\n", i.total.Failures[k].URN, i.total.Failures[k].Message)
		}
	}
	if len(i.total.Failures) > 0 {
		return fmt.Errorf("%w: %d entities", errPartial, len(i.total.Failures))
	}
	return nil
}

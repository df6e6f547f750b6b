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
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/batches"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/sending"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

func newImport(e *cli.Environment) *cobra.Command {
	var o transfer.ImportOptions
	inFlight := sending.DefaultInFlight
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Write an exported catalog to a server",
		Long: `Write a file from "headwater export" to a server, entity by entity, each exactly as
it was: all versions with their stamps, edges with their history, time series.
- is standard input; gzip is recognised.

An entity that is already stored with the same content is left alone, so an
interrupted import continues when it is started again. An entity that is stored
with different content fails, unless --replace is given to delete it first.

` + cli.ExitHelp,
		Example: `  headwater import catalog.jsonl.gz --dry-run
  headwater import catalog.jsonl.gz --server http://127.0.0.1:9090`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if inFlight < 1 || inFlight > sending.MaxInFlight {
				return cli.BadUsage(fmt.Errorf("--in-flight must be from 1 to %d", sending.MaxInFlight))
			}
			return importFile(c.Context(), e, args[0], o, inFlight)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.Replace, "replace", false, "first delete entities that are stored with different content")
	f.IntVar(&inFlight, "in-flight", sending.DefaultInFlight, "number of requests to send at a time")
	f.BoolVarP(&o.DryRun, "dry-run", "n", false, "check and compare, but write nothing")
	e.ClientFlags(c)
	e.OutputFlag(c)
	return c
}

// The limits of one request of an import, in lines and bytes.
const (
	importedLines = 500
	importedBytes = 4 << 20
)

// importing is an import in progress.
type importing struct {
	client *client.Client
	path   string
	reader *bufio.Reader
	bytes  *countingReader
	// header is the first line of the export. Every request begins with it, so that the
	// server knows the format.
	header string
	number int
	ended  bool

	// lock guards the fields below.
	lock     sync.Mutex
	requests int
	total    transfer.ImportResult
	failed   map[string]bool
}

// importLine is a line to send.
type importLine struct {
	text string
	// series is the URN of the entity if the line has time-series values, otherwise "".
	series string
	// number is the number of the line, from 1. position is the number of bytes read up to
	// the line.
	number   int
	position int64
}

func importFile(ctx context.Context, e *cli.Environment, name string, o transfer.ImportOptions, inFlight int) error {
	began := time.Now()
	in := e.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return cli.BadUsage(err)
		}
		defer f.Close()
		in = f
	}
	bar := e.BytesBar(name)
	defer bar.Finish()
	counted := &countingReader{Reader: in}
	reader, err := unpacked(counted)
	if err != nil {
		return err
	}
	i := &importing{
		client: e.Client(), path: fmt.Sprintf("/import?partial=true&replace=%t&dryRun=%t", o.Replace, o.DryRun), reader: reader, bytes: counted,
		failed: map[string]bool{}, total: transfer.ImportResult{Failures: []transfer.ImportFailure{}},
	}
	err = batches.Run(ctx, batches.Bounds{Records: importedLines, Bytes: importedBytes, InFlight: inFlight}, batches.Work[importLine]{
		Next: i.next, Send: i.send,
		Sent: func(lines []importLine, through int) error {
			bar.Report(lines[len(lines)-1].position, through)
			return nil
		},
	})
	if err == nil && i.header != "" && i.requests == 0 {
		err = i.send(ctx, 0, nil) // an empty export is sent too, so that the server checks its header
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	bar.Finish()
	if !i.ended {
		return fmt.Errorf("%s has no last line, so it is incomplete; the lines before are written", name)
	}
	slices.SortFunc(i.total.Failures, func(a, b transfer.ImportFailure) int { return strings.Compare(a.URN, b.URN) })
	return showImport(e, &i.total, o, time.Since(began))
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

// unpacked returns the decompressed text of a gzip stream, and other text unchanged.
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

// next returns the next line to send: an entity, or its time series. The lines of an entity
// stay in order.
func (i *importing) next() (batches.Record[importLine], error) {
	for {
		text, err := i.reader.ReadString('\n')
		if errors.Is(err, io.EOF) && strings.TrimSpace(text) == "" {
			return batches.Record[importLine]{}, io.EOF
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return batches.Record[importLine]{}, err
		}
		i.number++
		record, err := i.record(strings.TrimRight(text, "\r\n") + "\n")
		if err != nil {
			return record, fmt.Errorf("line %d: %w", i.number, err)
		}
		if i.ended {
			return record, io.EOF
		}
		if record.Value.text != "" {
			return record, nil
		}
	}
}

// record decodes a line. For the header and the end of an export, the record has no text,
// because they are not sent as lines.
func (i *importing) record(text string) (batches.Record[importLine], error) {
	type named struct {
		URN string `json:"urn"`
	}
	var known struct {
		Header     *transfer.ExportHeader `json:"header"`
		Entity     *named                 `json:"entity"`
		TimeSeries *named                 `json:"timeSeries"`
		End        *transfer.ExportEnd    `json:"end"`
	}
	record := batches.Record[importLine]{}
	if err := json.Unmarshal([]byte(text), &known); err != nil {
		return record, fmt.Errorf("this is not a line of an export: %w", err)
	}
	switch {
	case i.header == "" && known.Header == nil:
		return record, errors.New("this is not an export: it does not begin with a header")
	case i.header == "":
		i.header = text
		return record, nil
	case known.Header != nil:
		return record, nil
	case known.End != nil:
		i.ended = true
		return record, nil
	}
	record.Size = len(text)
	record.Value = importLine{text: text, number: i.number, position: i.bytes.n}
	switch {
	case known.Entity != nil:
		record.Key = known.Entity.URN
	case known.TimeSeries != nil:
		record.Key, record.Value.series = known.TimeSeries.URN, known.TimeSeries.URN
	}
	return record, nil
}

// send sends lines, without the time series of entities that failed.
func (i *importing) send(ctx context.Context, _ int, lines []importLine) error {
	var body strings.Builder
	body.WriteString(i.header)
	for k := range lines {
		if !i.hasFailed(lines[k].series) {
			body.WriteString(lines[k].text)
		}
	}
	if body.Len() == len(i.header) && len(lines) > 0 {
		return nil
	}
	var answer struct {
		Value transfer.ImportResult `json:"value"`
	}
	err := i.client.PostPatiently(ctx, i.path, []byte(body.String()), &answer)
	i.lock.Lock()
	defer i.lock.Unlock()
	i.requests++
	if err != nil {
		return fmt.Errorf("%w (%d entities are written; the same command continues)", err, i.total.Entities)
	}
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

func (i *importing) hasFailed(urn string) bool {
	i.lock.Lock()
	defer i.lock.Unlock()
	return urn != "" && i.failed[urn]
}

func showImport(e *cli.Environment, total *transfer.ImportResult, o transfer.ImportOptions, took time.Duration) error {
	if e.Output == "json" {
		if err := e.WriteJSON(*total); err != nil {
			return err
		}
	} else {
		verb := "written"
		if o.DryRun {
			verb = "would be written"
		}
		fmt.Fprintf(e.Stdout, "%s %s (%s, %s, %s), %d unchanged, %d failed, in %s\n", wording.Counted(int(total.Entities), "entity", "entities"), verb,
			wording.Counted(int(total.Versions), "version", "versions"), wording.Counted(int(total.Edges), "edge", "edges"),
			wording.Counted(int(total.Values), "time-series value", "time-series values"), total.Unchanged, len(total.Failures), took.Round(time.Millisecond))
		for k := range min(len(total.Failures), cli.ShownFailures) {
			fmt.Fprintf(e.Stderr, "%s: %s\n", screen.Line(total.Failures[k].URN), screen.Line(total.Failures[k].Message))
		}
	}
	if len(total.Failures) > 0 {
		return fmt.Errorf("%w: %d entities", cli.ErrPartial, len(total.Failures))
	}
	return nil
}

// Package sending has the parts that commands share which send records to a server: their flags, the records that a
// translation makes, and the report of a load.
package sending

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// The number of requests that a command sends at a time.
const (
	DefaultInFlight = 4
	MaxInFlight     = 64
)

// Flags are the flags of a command that sends records.
type Flags struct {
	Options ingest.Options
	// failures is the file that receives every failed record, "" for none.
	failures string
}

// Add adds the flags, and the flags of a client, to a command.
func (s *Flags) Add(e *cli.Environment, c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.Options.RunID, "run-id", "", "run id for records without one (default: generated)")
	f.StringVar(&s.Options.Pipeline, "pipeline-name", "", "name of the source that records without one are from")
	f.IntVar(&s.Options.BatchSize, "batch-size", limits.DefaultBatch, "number of records to send together")
	f.IntVar(&s.Options.InFlight, "in-flight", DefaultInFlight, "number of requests to send at a time")
	f.BoolVar(&s.Options.StopOnError, "stop-on-error", false, "stop at the first record that is refused")
	f.StringVar(&s.failures, "failures", "", "file to write every failed record to, as JSON lines")
	e.ClientFlags(c)
	e.OutputFlag(c)
}

// Prepare checks the flags, and completes the options. finish closes the file of failures. An error is one of the
// command line, or says that the file could not be made.
func (s *Flags) Prepare(e *cli.Environment) (finish func(), err error) {
	o := &s.Options
	if o.BatchSize < 1 {
		return nil, cli.BadUsage(fmt.Errorf("--batch-size must be at least 1"))
	}
	if o.InFlight < 1 || o.InFlight > MaxInFlight {
		return nil, cli.BadUsage(fmt.Errorf("--in-flight must be from 1 to %d", MaxInFlight))
	}
	if o.RunID == "" {
		o.RunID = "headwater-" + time.Now().UTC().Format("20060102T150405") + "-" + rand.Text()[:6]
	}
	o.Client, o.Registry, o.Stdin = e.Client(), model.Default(), e.Stdin
	if s.failures == "" {
		return func() {}, nil
	}
	f, err := os.Create(s.failures)
	if err != nil {
		return nil, err
	}
	o.Failures = f
	return func() { f.Close() }, nil
}

// Lines returns proposals as JSON lines that "headwater ingest -" reads.
func Lines(proposals []model.FileProposal) ([]byte, error) {
	var b bytes.Buffer
	for i := range proposals {
		if err := writeLine(&b, &proposals[i]); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func writeLine(b *bytes.Buffer, p *model.FileProposal) error {
	type content struct {
		JSON json.RawMessage `json:"json"`
	}
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		EntityType string  `json:"entityType"`
		EntityURN  string  `json:"entityUrn"`
		ChangeType string  `json:"changeType"`
		AspectName string  `json:"aspectName"`
		Aspect     content `json:"aspect"`
	}{p.EntityType, p.EntityURN, p.ChangeType, p.AspectName, content{json.RawMessage(p.Aspect.Value)}})
}

// Source reads proposals as lines, each proposal when its line is asked for, so that many proposals need no memory
// at once.
type Source struct {
	next    func() (*model.FileProposal, error, bool)
	stop    func()
	pending bytes.Buffer
	err     error
}

// NewSource returns a source of proposals. The sequence ends at its first error, which Read returns. The caller
// closes the source.
func NewSource(proposals iter.Seq2[*model.FileProposal, error]) *Source {
	next, stop := iter.Pull2(proposals)
	return &Source{next: next, stop: stop}
}

// Read implements io.Reader.
func (s *Source) Read(into []byte) (int, error) {
	for s.pending.Len() == 0 && s.err == nil {
		p, err, more := s.next()
		switch {
		case !more:
			s.err = io.EOF
		case err != nil:
			s.err = err
		default:
			s.err = writeLine(&s.pending, p)
		}
	}
	if s.pending.Len() == 0 {
		return 0, s.err // a reader that reads on gets the same error
	}
	return s.pending.Read(into)
}

// Close ends the sequence.
func (s *Source) Close() { s.stop() }

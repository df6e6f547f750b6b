package transfer

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/headwater-io/headwater/client/ingest"
	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/run"
)

// The structured report of a run, in the form of the Python client's: pages show the counts and the messages.
type (
	structuredReport struct {
		Source reportPart `json:"source"`
		Sink   reportPart `json:"sink"`
	}
	reportPart struct {
		Type   string `json:"type"`
		Report any    `json:"report"`
	}
	sourceReport struct {
		Events   int             `json:"events_produced"`
		Scanned  map[string]int  `json:"scanned,omitempty"`
		Filtered []string        `json:"filtered,omitempty"`
		Failures []reportMessage `json:"failures"`
		Warnings []reportMessage `json:"warnings"`
	}
	sinkReport struct {
		Written  int             `json:"total_records_written"`
		Failures []reportMessage `json:"failures"`
	}
	reportMessage struct {
		Message string   `json:"message"`
		Context []string `json:"context"`
	}
)

// The structured report of a test of a connection, in the form of the Python client's.
type (
	connectionReport struct {
		InternalFailure bool                     `json:"internal_failure"`
		Basic           abilityReport            `json:"basic_connectivity"`
		Found           map[string]abilityReport `json:"capability_report"`
	}
	abilityReport struct {
		Capable bool   `json:"capable"`
		Reason  string `json:"failure_reason,omitempty"`
	}
)

func testReport(found *connectors.Capabilities) connectionReport {
	r := connectionReport{Basic: abilityOf(found.Basic), Found: map[string]abilityReport{}}
	for name, why := range found.Found {
		r.Found[strings.ToUpper(strings.ReplaceAll(name, " ", "_"))] = abilityOf(why)
	}
	return r
}

func abilityOf(why error) abilityReport {
	if why == nil {
		return abilityReport{Capable: true}
	}
	return abilityReport{Reason: why.Error()}
}

// runReport returns the report of a run that has written the aspects that the summary counts, and that may have ended
// with an error.
func runReport(r *run.Run, written *ingest.Summary, err error) structuredReport {
	source := sourceReport{
		Events: written.Succeeded + written.Failed, Scanned: r.Report.Scanned, Filtered: r.Report.Filtered, Failures: messages(r.Report.Failures), Warnings: messages(r.Report.Warnings),
	}
	if err != nil {
		source.Failures = append(source.Failures, reportMessage{err.Error(), []string{}})
	}
	sink := sinkReport{Written: written.Succeeded, Failures: []reportMessage{}}
	for i := range written.Failures {
		sink.Failures = append(sink.Failures, reportMessage{written.Failures[i].Message, []string{}})
	}
	return structuredReport{Source: reportPart{r.Recipe.Source.Type, source}, Sink: reportPart{"datahub-rest", sink}}
}

func messages(texts []string) []reportMessage {
	list := []reportMessage{}
	for _, text := range texts {
		list = append(list, reportMessage{text, []string{}})
	}
	return list
}

// writeReport writes a report to the file that --report names.
func (s *sourceIngestion) writeReport(report any) error {
	if s.report == "" {
		return nil
	}
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	return os.WriteFile(s.report, append(text, '\n'), 0o600)
}

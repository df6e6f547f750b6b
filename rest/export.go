package rest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
)

func exportEndpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/export", tag: "Service", long: true, streams: true,
			summary: "The whole catalog as JSON lines: every version, every edge with its past, every time-series value. The last line is the end; without it the answer was cut off.",
			handle:  (*call).export,
		},
		{
			method: http.MethodPost, path: "/import", tag: "Service", long: true, streams: true,
			summary: "Write lines of an export, each entity just as it was. What is stored so already is left alone, what is stored otherwise is a failure of that entity, and of the request when the others are written. May be repeated.",
			parameters: []parameter{
				{"replace", "boolean", "delete first what is stored otherwise", false},
				{"dryRun", "boolean", "check and compare, and change nothing", false},
				{"partial", "boolean", "failures of entities are told in the result of a request that succeeds", false},
			},
			example: example{query: "dryRun=true", body: `{"header":{"format":1,"time":0}}`},
			handle:  (*call).importLines,
		},
	}
}

const mediaTypeLines = "application/x-ndjson"

// exportFailure is the last line of an export that failed on its way.
type exportFailure struct {
	Error itemError `json:"error"`
}

func (c *call) export() error {
	begun := false
	out := bufio.NewWriterSize(c.Writer, 64<<10)
	err := c.catalog.Export(c.Request.Context(), func(line *catalog.ExportLine) error {
		if !begun {
			begun = true
			c.Header("Content-Type", mediaTypeLines)
			c.Status(http.StatusOK)
		}
		return line.Encode(out)
	})
	if err == nil {
		return out.Flush()
	}
	if !begun {
		return err
	}
	c.logger.ErrorContext(c.Request.Context(), "the export was cut off", "error", err)
	status, body := statusAndBody(err)
	if err := json.NewEncoder(out).Encode(exportFailure{itemError{status, body.Message}}); err != nil {
		return nil //nolint:nilerr // the caller is gone
	}
	_ = out.Flush() // likewise
	return nil
}

func (c *call) importLines() error {
	var options catalog.ImportOptions
	var err error
	var partial bool
	for name, into := range map[string]*bool{"replace": &options.Replace, "dryRun": &options.DryRun, "partial": &partial} {
		if *into, err = c.boolean(name); err != nil {
			return err
		}
	}
	write, err := c.writeOptions(nil)
	if err != nil {
		return err
	}
	lines := c.catalog.NewImport(options, write)
	ctx := c.Request.Context()
	stream := intake.NewStream(ctx, c.Request.Body, intake.Line, limits.LineBodies*c.MaxBodyBytes)
	for number := 1; ; number++ {
		text, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		var line catalog.ExportLine
		if err == nil {
			err = json.Unmarshal(text, &line)
		}
		if err != nil {
			return lineError("line", number, err)
		}
		if err := lines.Add(ctx, &line); err != nil {
			return err
		}
		if stream.Keep(); !lines.Waiting() {
			stream.Drop(lines.FailedBytes())
		}
	}
	result, err := lines.Finish(ctx)
	if err == nil && !partial {
		err = lines.Refused()
	}
	if err != nil {
		return err
	}
	return c.value(result)
}

package operations

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// transferHandlers export and import the whole catalog.
type transferHandlers struct {
	catalog *services.Services
	logger  *slog.Logger
	// maxBody is the largest body in bytes, except for streams. A line of a stream may be
	// longer.
	maxBody int64
}

// exportFailure is the last line of an export that failed after it had begun.
type exportFailure struct {
	Error call.ItemError `json:"error"`
}

func (h transferHandlers) export(c *call.Call) error {
	begun := false
	out := bufio.NewWriterSize(c.Writer, 64<<10)
	err := h.catalog.Transfer.Export(c.Request.Context(), func(line *transfer.ExportLine) error {
		if !begun {
			begun = true
			c.Header("Content-Type", call.MediaTypeLines)
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
	h.logger.ErrorContext(c.Request.Context(), "the export is incomplete", "error", err)
	status, body := call.StatusAndBody(err)
	if err := json.NewEncoder(out).Encode(exportFailure{call.ItemError{Status: status, Message: body.Message}}); err != nil {
		return nil //nolint:nilerr // the caller is gone
	}
	_ = out.Flush() // an error means that the caller is gone
	return nil
}

func (h transferHandlers) importLines(c *call.Call) error {
	var options transfer.ImportOptions
	var err error
	var partial bool
	for name, into := range map[string]*bool{"replace": &options.Replace, "dryRun": &options.DryRun, "partial": &partial} {
		if *into, err = c.Boolean(name); err != nil {
			return err
		}
	}
	write, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	lines := h.catalog.Transfer.NewImport(options, write)
	ctx := c.Request.Context()
	stream := intake.NewStream(ctx, c.Request.Body, intake.Line, limits.LineBodies*h.maxBody)
	for number := 1; ; number++ {
		text, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		var line transfer.ExportLine
		if err == nil {
			err = json.Unmarshal(text, &line)
		}
		if err != nil {
			return call.LineError("line", number, err)
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
	return c.Answer(result)
}

package catalogtest

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/transfer"
)

// Exported are the lines of an export.
func (h *Harness) Exported() []string {
	h.T.Helper()
	var lines []string
	err := h.Transfer.Export(context.Background(), func(line *transfer.ExportLine) error {
		if line.Header == nil {
			var text strings.Builder
			h.Want("", line.Encode(&text))
			lines = append(lines, text.String())
		}
		return nil
	})
	h.Want("", err)
	return lines
}

func (h *Harness) Imported(options transfer.ImportOptions, lines []string) *transfer.ImportResult {
	h.T.Helper()
	i := h.Transfer.NewImport(options, catalog.WriteOptions{})
	for _, text := range lines {
		var line transfer.ExportLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			h.T.Fatal(err)
		}
		h.Want("", i.Add(context.Background(), &line))
	}
	result, err := i.Finish(context.Background())
	h.Want("", err)
	return result
}

package main

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/headwater-io/headwater/internal/screen"
)

// writeJSON writes a value, or the text of one, indented.
func (e *environment) writeJSON(v any) error { return writeJSONTo(e.stdout, v) }

func writeJSONTo(w io.Writer, v any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(screen.JSON(b.Bytes()))
	return err
}

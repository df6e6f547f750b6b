package cli

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/headwater-io/headwater/internal/screen"
)

// WriteJSON writes a value, or JSON text, indented.
func (e *Environment) WriteJSON(v any) error { return WriteJSONTo(e.Stdout, v) }

// WriteJSONTo writes a value, or JSON text, indented and without control characters.
func WriteJSONTo(w io.Writer, v any) error {
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

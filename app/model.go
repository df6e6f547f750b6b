package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// loadModel reads the custom model files. An error names the file and, if it is known,
// the line.
func loadModel(files []string) (*model.Registry, error) {
	if len(files) == 0 {
		return model.Default(), nil
	}
	texts := make([][]byte, len(files))
	for i, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("custom model (--model): %w", err)
		}
		texts[i] = text
	}
	registry, err := model.Load(texts...)
	if err == nil {
		return registry, nil
	}
	for i := range texts {
		if _, err := model.Load(texts[:i+1]...); err != nil {
			return nil, fmt.Errorf("custom model %s: %w", placeOf(files[i], texts[i], err), rootOf(err))
		}
	}
	return nil, err
}

// placeOf returns the file and, if it is known, the line of an error.
func placeOf(file string, text []byte, err error) string {
	var (
		syntax *json.SyntaxError
		kind   *json.UnmarshalTypeError
	)
	at := -1
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at = int(kind.Offset)
	default:
		if _, name, ok := strings.Cut(err.Error(), "unknown field "); ok {
			if bytes.Count(text, []byte(name)) == 1 { // at several places, the name may be a value or a known field
				at = bytes.Index(text, []byte(name))
			}
		}
	}
	if at < 0 {
		return file
	}
	return fmt.Sprintf("%s, line %d", file, 1+bytes.Count(text[:min(at, len(text))], []byte("\n")))
}

// rootOf removes the number of the model file from an error. The caller names the file
// instead.
func rootOf(err error) error {
	if cause := errors.Unwrap(err); cause != nil && strings.HasPrefix(err.Error(), "custom model ") {
		return cause
	}
	return err
}

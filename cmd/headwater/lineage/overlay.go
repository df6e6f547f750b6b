package lineage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
)

// ask asks the server, over the overlay of a file if one is named.
func ask(ctx context.Context, e *cli.Environment, path, overlay string, into any) (json.RawMessage, error) {
	if overlay == "" {
		return e.Ask(ctx, path, into)
	}
	file, err := os.Open(overlay)
	if err != nil {
		return nil, cli.BadUsage(err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limits.DefaultBodyBytes+1))
	if err != nil {
		return nil, err
	}
	var form struct{ Overlay *[]json.RawMessage }
	switch {
	case len(text) > limits.DefaultBodyBytes:
		return nil, cli.BadUsage(fmt.Errorf("%s has more than %d bytes", overlay, limits.DefaultBodyBytes))
	case json.Unmarshal(text, &form) != nil || form.Overlay == nil:
		return nil, cli.BadUsage(fmt.Errorf(`%s is no overlay: {"overlay": [proposals]}, as headwater check --overlay-out writes it`, overlay))
	}
	var raw json.RawMessage
	if err := e.Client().Post(ctx, path, text, &raw); err != nil {
		return nil, err
	}
	return raw, cli.DecodeAnswer(raw, into)
}

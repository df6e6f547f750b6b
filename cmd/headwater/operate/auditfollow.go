package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
)

// followAudit shows the entries since a moment, and each that comes, until the context ends.
func followAudit(ctx context.Context, e *cli.Environment, o *auditOptions) error {
	query, err := o.query(ctx, e)
	if err != nil {
		return err
	}
	query.Del("limit")
	return e.Client().Follow(ctx, "/audit?"+query.Encode(), func(data []byte) error {
		if e.Output == "json" {
			_, err := fmt.Fprintf(e.Stdout, "%s\n", screen.JSON(data))
			return err
		}
		var entry audit.Entry
		if err := json.Unmarshal(data, &entry); err != nil {
			return fmt.Errorf("an entry of the audit trail: %w", err)
		}
		row := cells(&entry)
		for i := range row {
			row[i] = screen.Line(row[i])
		}
		_, err := fmt.Fprintln(e.Stdout, strings.Join(row, "  "))
		return err
	})
}

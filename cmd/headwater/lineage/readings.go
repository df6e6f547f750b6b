package lineage

import (
	"fmt"
	"io"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/model"
)

// writeReadings writes, side by side, the readings of the same SQL by a client's parser and by the server, where they differ.
func writeReadings(w io.Writer, edges []lineage.Link, urns bool) error {
	table := screen.Table{Columns: []screen.Column{{Head: "SQL OF"}, {Head: "THE CLIENT READS"}, {Head: "THE SERVER READS"}, {Head: "FOLLOWED"}}}
	seen := map[string]bool{}
	name := func(urn string) string {
		switch holder, path, isColumn := model.ColumnOf(model.StoredURN(urn)); {
		case urns:
			return urn
		case isColumn:
			return show.LeafOf(holder.String()) + "." + model.PlainPath(path)
		}
		return show.LeafOf(urn)
	}
	list := func(r *statements.Reading) string {
		names := make([]string, len(r.Upstreams))
		for i, urn := range r.Upstreams {
			names[i] = name(urn)
		}
		if len(names) == 0 {
			names = []string{"nothing"}
		}
		text := strings.Join(names, ", ")
		if r.Confidence != nil {
			text += fmt.Sprintf(" (%.0f %%)", 100**r.Confidence)
		}
		return text
	}
	followed := map[string]string{statements.PreferClient: "both", statements.PreferOwn: "the server's"}
	for i := range edges {
		if edges[i].Provenance == nil || edges[i].Provenance.Readings == nil || seen[edges[i].Provenance.Readings.Downstream] {
			continue
		}
		r := edges[i].Provenance.Readings
		seen[r.Downstream] = true
		table.Add(name(r.Downstream), list(&r.Client), list(&r.Own), followed[r.Preferred])
	}
	if len(seen) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return table.Write(w, screen.WidthOf(w))
}

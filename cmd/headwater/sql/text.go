package sql

import (
	"fmt"
	"io"
	"strings"

	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/sql/lineage"
)

// writeText writes statements for people.
func writeText(w io.Writer, name string, withName bool, statements []lineage.Statement) error {
	var b strings.Builder
	for _, s := range statements {
		place := fmt.Sprintf("line %d", s.Line)
		if withName {
			place = name + ", " + place
		}
		fmt.Fprintf(&b, "%s (%s)\n", strings.ToUpper(s.Kind), place)
		if len(s.Reads) > 0 {
			fmt.Fprintf(&b, "  reads   %s\n", strings.Join(s.Reads, ", "))
		}
		if len(s.Writes) > 0 {
			fmt.Fprintf(&b, "  writes  %s\n", strings.Join(s.Writes, ", "))
		}
		writeColumns(&b, s.Columns)
		for _, r := range s.ColumnsRead {
			fmt.Fprintf(&b, "  %s: %s.%s%s, line %d\n", r.Clause, r.Table, r.Column, doubt(r.Possible), r.Line)
		}
		for _, p := range s.NotUnderstood {
			fmt.Fprintf(&b, "  not understood, line %d: %s (%s)\n", p.Line, p.Text, p.Why)
		}
	}
	_, err := io.WriteString(w, screen.Text(b.String()))
	return err
}

func writeColumns(b *strings.Builder, outputs []lineage.Output) {
	widest := 0
	for _, o := range outputs {
		widest = max(widest, len(o.Output))
	}
	for _, o := range outputs {
		var from []string
		for _, s := range o.Sources {
			from = append(from, s.Table+"."+s.Column+doubt(s.Possible))
		}
		how := string(o.How)
		if len(from) == 0 {
			from, how = []string{"no column"}, "constant"
		}
		fmt.Fprintf(b, "  %-*s ← %s (%s)\n", widest, o.Output, strings.Join(from, ", "), how)
	}
}

func doubt(possible bool) string {
	if possible {
		return "?"
	}
	return ""
}

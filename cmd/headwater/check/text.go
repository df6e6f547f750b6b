package check

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog/announced"
	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/change/report"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// write writes the report in all forms that were asked for.
func (o *options) write(e *cli.Environment, said *outcome) error {
	r := said.Report
	if o.markdown != "" {
		if err := os.WriteFile(o.markdown, []byte(r.Markdown()), 0o644); err != nil {
			return err
		}
	}
	if o.sarif != "" {
		if err := writeTo(o.sarif, func(w io.Writer) error { return cli.WriteJSONTo(w, r.SARIF()) }); err != nil {
			return err
		}
	}
	if o.junit != "" {
		text, err := r.JUnit()
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.junit, text, 0o644); err != nil {
			return err
		}
	}
	if e.Output == "json" {
		return e.WriteJSON(said)
	}
	if err := writeText(e.Stdout, r); err != nil {
		return err
	}
	said.tellAnnounced(e)
	return nil
}

// outcome is a report with its announcement.
type outcome struct {
	*report.Report
	// Announced is nil if nothing was announced.
	Announced *announced.Change `json:"announced,omitempty"`
	// asked: the change was announced, or there was nothing to announce. left counts the changes that were
	// not announced.
	asked bool
	left  int
}

// tellAnnounced prints the announcement.
func (o *outcome) tellAnnounced(e *cli.Environment) {
	switch {
	case o.Announced != nil && o.Announced.State == announced.StateWithdrawn:
		fmt.Fprintf(e.Stdout, "\nwithdrawn as %s: %s\n", o.Announced.URN, screen.Line(o.Announced.Reason))
	case o.Announced != nil:
		fmt.Fprintf(e.Stdout, "\nannounced as %s: %s\n", o.Announced.URN, wording.Counted(len(o.Announced.Changes), "change", "changes"))
	case o.asked:
		fmt.Fprintln(e.Stdout, "\nnothing is announced")
	}
	if o.asked && o.left > 0 {
		fmt.Fprintf(e.Stdout, "%s not announced: no dataset of the catalog is known for them, or there are too many\n", wording.Counted(o.left, "change is", "changes are"))
	}
}

func writeTo(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// writeText writes a report for people.
func writeText(w io.Writer, r *report.Report) error {
	width := screen.WidthOf(w)
	fmt.Fprintln(w, r.Summary())
	if r.Incomplete != "" {
		fmt.Fprintf(w, "this is incomplete: %s\n", screen.Line(r.Incomplete))
	}
	if len(r.Changes) > 0 {
		t := &screen.Table{Columns: []screen.Column{{Head: "SURE", Right: true}, {Head: "CHANGE", Least: 30}, {Head: "HOW", Least: 24}}, Below: true}
		for i := range r.Changes {
			c := &r.Changes[i]
			t.Add(strconv.FormatFloat(c.Sure, 'g', -1, 64), report.Sentence(c), c.How)
		}
		if err := section(w, t, width); err != nil {
			return err
		}
	}
	if len(r.Certain)+len(r.Possible) > 0 {
		t := &screen.Table{Columns: []screen.Column{
			{Head: "EFFECT"}, {Head: "NAME", Least: 16}, {Head: "TYPE"}, {Head: "PLATFORM"}, {Head: "OWNERS", Least: 12}, {Head: "PLACE", Least: 16, Front: true}, {Head: "WHY", Least: 24},
		}, Below: true}
		for i := range r.Certain {
			addImpact(t, change.Certain, &r.Certain[i])
		}
		for i := range r.Possible {
			addImpact(t, change.Possible, &r.Possible[i])
		}
		if err := section(w, t, width); err != nil {
			return err
		}
	}
	return writeRest(w, r, width)
}

func section(w io.Writer, t *screen.Table, width int) error {
	fmt.Fprintln(w)
	return t.Write(w, width)
}

func addImpact(t *screen.Table, effect string, i *change.Impact) {
	t.Add(effect, i.Name, i.Type, i.Platform, report.OwnerNames(i.Owners), place(i.File, i.Line), i.Why)
}

func place(file string, line int) string {
	if file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// writeRest writes contracts, assertions, personal data, SQL that was not understood, and exceptions.
func writeRest(w io.Writer, r *report.Report, width int) error {
	t := &screen.Table{Columns: []screen.Column{{Head: "HURT"}, {Head: "NAME", Least: 16}, {Head: "EFFECT"}, {Head: "ABOUT", Least: 16, Front: true}, {Head: "OWNERS", Least: 12}, {Head: "WHY", Least: 24}}, Below: true}
	for k, list := range [][]change.Hurt{r.Contracts, r.Assertions, r.Forms, r.Properties} {
		for i := range list {
			h := &list[i]
			t.Add([]string{"contract", "assertion", "form", "property"}[k], h.Name, h.Effect, strings.TrimSuffix(h.Table+"."+h.Column, "."), report.OwnerNames(h.Owners), h.Why)
		}
	}
	if len(r.Contracts)+len(r.Assertions)+len(r.Forms)+len(r.Properties) > 0 {
		if err := section(w, t, width); err != nil {
			return err
		}
	}
	var lines []string
	for i := range r.NewPersonalData {
		p := &r.NewPersonalData[i]
		lines = append(lines, fmt.Sprintf("personal data: values of %s (%s) would reach %s.%s", p.From, p.Label, p.Table, p.Column))
	}
	for i := range r.Unused {
		u := &r.Unused[i]
		lines = append(lines, fmt.Sprintf("unused afterwards: %s %s: %s (%s read it)", strings.TrimSuffix(u.Table+"."+u.Column, "."), place(u.File, u.Line), u.Why, u.Was))
	}
	for _, n := range r.NotUnderstood {
		lines = append(lines, fmt.Sprintf("not understood: %s %s: %s (%s)", n.Name, place(n.File, n.Line), n.Text, n.Why))
	}
	for i := range r.Verdict.Excused {
		x := &r.Verdict.Excused[i]
		lines = append(lines, fmt.Sprintf("excused until %s by %s: %s, %s (%s)", x.Until, x.Who, x.Name, x.Rule, x.Reason))
	}
	for i := range r.Verdict.Expired {
		x := &r.Verdict.Expired[i]
		lines = append(lines, fmt.Sprintf("the exception of %s for %s expired on %s (line %d)", x.Who, x.Name, x.Until, x.Line))
	}
	if len(lines) > 0 {
		fmt.Fprintln(w)
	}
	for _, line := range lines {
		fmt.Fprintln(w, screen.Line(line))
	}
	return nil
}

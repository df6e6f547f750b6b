package report

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/wording"
)

// Marker begins a comment on a pull request, so that the next run finds it and writes over it.
const Marker = "<!-- headwater check -->"

// Markdown returns a comment for a pull request: the decision and the certain failures, and the rest folded.
func (r *Report) Markdown() string {
	var b strings.Builder
	b.WriteString(Marker + "\n")
	word := "passes"
	if r.Verdict.Refused {
		word = "is refused"
	}
	fmt.Fprintf(&b, "### This change %s\n\n%s\n", word, r.Summary())
	if r.Incomplete != "" {
		fmt.Fprintf(&b, "\nThis is incomplete: %s\n", plainText(r.Incomplete))
	}
	r.links(&b)
	r.impacts(&b, r.Certain)
	r.hurts(&b, "Contracts that it hurts", r.Contracts)
	r.hurts(&b, "Assertions that it hurts", r.Assertions)
	r.hurts(&b, "Forms that it hurts", r.Forms)
	r.hurts(&b, "Structured properties that it hurts", r.Properties)
	if len(r.NewPersonalData) > 0 {
		b.WriteString("\n**Personal data that it moves**\n\n| column | from | label |\n| --- | --- | --- |\n")
		rows(&b, len(r.NewPersonalData), func(i int) string {
			p := &r.NewPersonalData[i]
			return fmt.Sprintf("| %s | %s | %s |", r.link(p.Table+"."+p.Column, p.URN), plainText(p.From), plainText(p.Label))
		})
	}
	fold(&b, wording.Counted(len(r.Changes), "change", "changes"), len(r.Changes), "| change | sure | why |\n| --- | --- | --- |\n", func(i int) string {
		c := &r.Changes[i]
		return fmt.Sprintf("| %s | %g | %s |", plainText(Sentence(c)), c.Sure, plainText(c.How))
	})
	fold(&b, wording.Counted(len(r.Possible), "possible effect", "possible effects"), len(r.Possible), "| name | type | owners | why |\n| --- | --- | --- | --- |\n", func(i int) string { return r.impactRow(&r.Possible[i]) })
	fold(&b, fmt.Sprintf("Unused afterwards (%d)", len(r.Unused)), len(r.Unused), "| name | who read it | why |\n| --- | --- | --- |\n", func(i int) string {
		u := &r.Unused[i]
		return fmt.Sprintf("| %s | %s | %s |", r.link(strings.TrimSuffix(u.Table+"."+u.Column, "."), u.URN), plainText(u.Was), plainText(u.Why))
	})
	fold(&b, wording.Counted(len(r.NotUnderstood), "part that is not understood", "parts that are not understood"), len(r.NotUnderstood), "| where | text | why |\n| --- | --- | --- |\n", func(i int) string {
		n := &r.NotUnderstood[i]
		return fmt.Sprintf("| %s:%d | %s | %s |", plainText(r.place(n.File)), n.Line, plainText(n.Text), plainText(n.Why))
	})
	r.exceptions(&b)
	return b.String()
}

// links leads to the page that draws the change, and to the announced change.
func (r *Report) links(b *strings.Builder) {
	var links []string
	if page := strings.TrimSuffix(r.Page, "/"); page != "" && r.Draws {
		if r.Drawn != "" {
			links = append(links, "[The change in the lineage graph]("+page+"/ui/change#"+r.Drawn+")")
		} else {
			links = append(links, "The change is too large for a link: [open there]("+page+"/ui/change) the file of `--overlay-out`")
		}
	}
	if r.Announced != "" {
		links = append(links, r.link("the announced change", r.Announced))
	}
	if len(links) > 0 {
		b.WriteString("\n" + strings.Join(links, " · ") + "\n")
	}
}

// Summary says the findings and the decision in one sentence.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%s: %s and %s", wording.Counted(len(r.Changes), "change", "changes"),
		wording.Counted(len(r.Certain), "certain effect", "certain effects"), wording.Counted(len(r.Possible), "possible one", "possible ones"))
	rules := map[string]int{}
	var order []string
	for i := range r.Verdict.Because {
		rule := string(r.Verdict.Because[i].Rule)
		if rules[rule]++; rules[rule] == 1 {
			order = append(order, rule)
		}
	}
	for i, rule := range order {
		order[i] = fmt.Sprintf("%s (%d)", rule, rules[rule])
	}
	if len(order) > 0 {
		text += "; it is refused because of " + strings.Join(order, ", ")
	}
	return text + "."
}

func (r *Report) impacts(b *strings.Builder, list []change.Impact) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n**Fails for certain**\n\n| name | type | owners | why |\n| --- | --- | --- | --- |\n")
	rows(b, len(list), func(i int) string { return r.impactRow(&list[i]) })
}

func (r *Report) impactRow(i *change.Impact) string {
	kind := i.Type
	if i.Platform != "" {
		kind += " (" + i.Platform + ")"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", r.link(i.Name, i.URN), plainText(kind), plainText(OwnerNames(i.Owners)), plainText(i.Why))
}

// OwnerNames lists owners by their addresses or names.
func OwnerNames(owners []change.Owner) string {
	names := make([]string, len(owners))
	for i, o := range owners {
		switch {
		case o.Email != "":
			names[i] = o.Email
		case o.Name != "":
			names[i] = o.Name
		default:
			names[i] = o.URN
		}
	}
	return strings.Join(names, ", ")
}

func (r *Report) hurts(b *strings.Builder, title string, list []change.Hurt) {
	fold(b, fmt.Sprintf("%s (%d)", title, len(list)), len(list), "| name | about | effect | owners | why |\n| --- | --- | --- | --- | --- |\n", func(i int) string {
		h := &list[i]
		return fmt.Sprintf("| %s | %s | %s | %s | %s |", r.link(h.Name, h.URN), plainText(strings.TrimSuffix(h.Table+"."+h.Column, ".")), h.Effect, plainText(OwnerNames(h.Owners)), plainText(h.Why))
	})
}

func (r *Report) exceptions(b *strings.Builder) {
	v := r.Verdict
	fold(b, wording.Counted(len(v.Excused), "exception", "exceptions"), len(v.Excused), "| name | rule | who | until | reason |\n| --- | --- | --- | --- | --- |\n", func(i int) string {
		e := &v.Excused[i]
		return fmt.Sprintf("| %s | %s | %s | %s | %s |", plainText(e.Name), e.Rule, plainText(e.Who), e.Until, plainText(e.Reason))
	})
	fold(b, wording.Counted(len(v.Expired), "exception that has expired", "exceptions that have expired"), len(v.Expired), "| name | rule | who | until | reason |\n| --- | --- | --- | --- | --- |\n", func(i int) string {
		e := &v.Expired[i]
		return fmt.Sprintf("| %s | %s | %s | %s | %s |", plainText(e.Name), e.Rule, plainText(e.Who), e.Until, plainText(e.Reason))
	})
}

// fold writes a table that is opened by a click, nothing if it is empty.
func fold(b *strings.Builder, title string, n int, head string, row func(i int) string) {
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%s", title, head)
	rows(b, n, row)
	b.WriteString("\n</details>\n")
}

// rows writes the first rows, and says how many are left out.
func rows(b *strings.Builder, n int, row func(i int) string) {
	for i := range min(n, limits.CheckRows) {
		b.WriteString(row(i) + "\n")
	}
	if n > limits.CheckRows {
		fmt.Fprintf(b, "\n%d more are left out.\n", n-limits.CheckRows)
	}
}

// link returns a name that leads to the page of the entity, if there is one.
func (r *Report) link(name, urn string) string {
	if r.Page == "" || urn == "" {
		return plainText(name)
	}
	return "[" + plainText(name) + "](" + strings.TrimSuffix(r.Page, "/") + "/ui/entity/" + strings.NewReplacer("(", "%28", ")", "%29").Replace(url.PathEscape(urn)) + ")"
}

// maxCell is how many letters of a text a cell shows.
const maxCell = 300

// plainText returns a text on one line in which Markdown and HTML mean nothing, and which calls nobody by name.
func plainText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > maxCell {
		text = string(letters[:maxCell]) + "…"
	}
	return markdown.Replace(text)
}

var markdown = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "~", `\~`, "@", "@\u200b", "://", ":&#8203;//",
)

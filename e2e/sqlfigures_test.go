package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// sqlResult is how the command sql and a judge agree on a statement.
type sqlResult struct {
	ID      string   `json:"id"`
	Dialect string   `json:"dialect"`
	Kinds   []string `json:"kinds"`
	SQL     string   `json:"sql"`
	// Known: the judge knows the answer. Parsed: the command has parsed the statement; otherwise Told says why not.
	Known  bool     `json:"known"`
	Parsed bool     `json:"parsed"`
	Told   []string `json:"told"`
	// Differs is the reason why the answers differ on purpose, "" if they need not.
	Differs string `json:"differs"`
	// Edges and Reads are the numbers of columns that are right, wrong and missing, How the number of ways that are
	// right and that of all.
	Edges    [3]int   `json:"edges"`
	Reads    [3]int   `json:"reads"`
	How      [2]int   `json:"how"`
	Mistakes []string `json:"mistakes"`
}

// wrong says whether the statement is read wrongly. A way alone that differs does not count.
func (r *sqlResult) wrong() bool {
	return r.Known && r.Parsed && r.Differs == "" && (r.Edges[1]+r.Edges[2]+r.Reads[1]+r.Reads[2] > 0)
}

// sqlFigures sums up results.
type sqlFigures struct {
	name                              string
	statements, parsed, judged, wrong int
	differ                            int
	edges, reads                      [3]int
	how                               [2]int
}

// figuresBy sums up results by the names that a result counts for, sorted.
func figuresBy(results []sqlResult, names func(sqlResult) []string) []*sqlFigures {
	sums := map[string]*sqlFigures{}
	for _, r := range results {
		for _, name := range names(r) {
			if sums[name] == nil {
				sums[name] = &sqlFigures{name: name}
			}
			sums[name].add(&r)
		}
	}
	var figures []*sqlFigures
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		figures = append(figures, sums[name])
	}
	return figures
}

func (f *sqlFigures) add(r *sqlResult) {
	f.statements++
	if r.Differs != "" {
		f.differ++
	}
	if r.Parsed || r.Differs != "" {
		f.parsed++
	}
	if !r.Known || !r.Parsed || r.Differs != "" {
		return
	}
	f.judged++
	if r.wrong() {
		f.wrong++
	}
	for i := range 3 {
		f.edges[i] += r.Edges[i]
		f.reads[i] += r.Reads[i]
	}
	f.how[0] += r.How[0]
	f.how[1] += r.How[1]
}

// share returns part divided by the sum of part and rest, and 1 if both are 0.
func share(part, rest int) float64 {
	if part+rest == 0 {
		return 1
	}
	return float64(part) / float64(part+rest)
}

func (f *sqlFigures) parsedShare() float64 { return share(f.parsed, f.statements-f.parsed) }

// require fails the test if a share is smaller than required.
func (f *sqlFigures) require(t *testing.T, parsed, precision, recall float64) {
	t.Helper()
	if f.judged == 0 {
		t.Errorf("%s: nothing was judged", f.name)
	}
	for _, one := range []struct {
		name             string
		measured, needed float64
	}{
		{"is parsed", f.parsedShare(), parsed},
		{"of the edges is right", share(f.edges[0], f.edges[1]), precision},
		{"of the expected edges is found", share(f.edges[0], f.edges[2]), recall},
	} {
		if one.measured < one.needed {
			t.Errorf("%s: %.4f %s, which must be %.2f or more", f.name, one.measured, one.name, one.needed)
		}
	}
}

// requireReads fails the test if fewer columns than required are rightly said to be read.
func (f *sqlFigures) requireReads(t *testing.T, needed float64) {
	t.Helper()
	if f.reads[0] == 0 {
		t.Errorf("%s: nothing is read: nothing was judged", f.name)
	}
	if right := share(f.reads[0], f.reads[1]); right < needed {
		t.Errorf("%s: %.4f of the columns that are said to be read are read, which must be %.2f or more", f.name, right, needed)
	}
	if found := share(f.reads[0], f.reads[2]); found < needed {
		t.Errorf("%s: %.4f of the columns that are read are found, which must be %.2f or more", f.name, found, needed)
	}
}

func figuresTable(first string, figures []*sqlFigures) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | statements | parsed | compared | edges: precision | edges: recall | columns read: precision | columns read: recall | kinds of edges that agree |\n", first)
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, f := range figures {
		fmt.Fprintf(&b, "| %s | %d | %.1f %% | %d | %.4f | %.4f | %.4f | %.4f | %d of %d |\n", f.name, f.statements, 100*f.parsedShare(), f.judged,
			share(f.edges[0], f.edges[1]), share(f.edges[0], f.edges[2]), share(f.reads[0], f.reads[1]), share(f.reads[0], f.reads[2]), f.how[0], f.how[1])
	}
	return b.String()
}

func constructsTable(figures []*sqlFigures) string {
	var b strings.Builder
	b.WriteString("| construct | statements | not parsed | read wrongly | edges: precision | edges: recall |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, f := range figures {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %.4f | %.4f |\n", f.name, f.statements, f.statements-f.parsed, f.wrong,
			share(f.edges[0], f.edges[1]), share(f.edges[0], f.edges[2]))
	}
	return b.String()
}

func databasesTable(figures []*sqlFigures) string {
	var b strings.Builder
	b.WriteString("| database | views | parsed | columns read | precision | recall |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, f := range figures {
		fmt.Fprintf(&b, "| %s | %d | %.1f %% | %d | %.4f | %.4f |\n", f.name, f.statements, 100*f.parsedShare(), f.reads[0]+f.reads[2],
			share(f.reads[0], f.reads[1]), share(f.reads[0], f.reads[2]))
	}
	return b.String()
}

// shownMistakes is how many statements a table of mistakes shows.
const shownMistakes = 40

// mistakesTable shows the shortest statements that are not parsed or read wrongly.
func mistakesTable(results []sqlResult) string {
	wrong := slices.DeleteFunc(slices.Clone(results), func(r sqlResult) bool { return r.Parsed && !r.wrong() || r.Differs != "" })
	slices.SortStableFunc(wrong, func(a, b sqlResult) int { return len(a.SQL) - len(b.SQL) })
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d statements", len(wrong), len(results))
	if len(wrong) > shownMistakes {
		fmt.Fprintf(&b, ", the shortest %d of which are", shownMistakes)
		wrong = wrong[:shownMistakes]
	}
	b.WriteString(":\n\n| dialect | statement | mistake |\n| --- | --- | --- |\n")
	for _, r := range wrong {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.Dialect, inCode(r.SQL), inCode(r.mistake()))
	}
	return b.String()
}

// differencesTable names the cases of other people that differ, without their texts.
func differencesTable(results []sqlResult) string {
	var b strings.Builder
	b.WriteString("| case | dialect | difference | on purpose, because |\n| --- | --- | --- | --- |\n")
	for _, r := range results {
		if r.Differs != "" || !r.Parsed || r.wrong() {
			r.Told = nil // their texts are other people's
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.ID, r.Dialect, inCode(r.mistake()), r.Differs)
		}
	}
	return b.String()
}

func (r *sqlResult) mistake() string {
	told := r.Mistakes
	if !r.Parsed {
		told = append([]string{"not parsed"}, r.Told...)
	}
	text := []rune(strings.Join(strings.Fields(strings.Join(told, "; ")), " "))
	if len(text) > 200 {
		text = append(text[:200], '…')
	}
	return string(text)
}

// inCode returns a text as code in a table.
func inCode(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

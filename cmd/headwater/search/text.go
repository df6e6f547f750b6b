package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
)

// searchFound is the shown part of the server's answer.
type searchFound struct {
	Value struct {
		NumEntities int         `json:"numEntities"`
		From        int         `json:"from"`
		Entities    []searchHit `json:"entities"`
		Typed       *typedWords `json:"typed"`
		Metadata    struct {
			Aggregations []struct {
				Name         string `json:"name"`
				DisplayName  string `json:"displayName"`
				FilterValues []struct {
					Value      string `json:"value"`
					FacetCount int    `json:"facetCount"`
				} `json:"filterValues"`
			} `json:"aggregations"`
		} `json:"metadata"`
	} `json:"value"`
}

// searchHit is a found entity, with the fields that contain the words.
type searchHit struct {
	Entity        string         `json:"entity"`
	MatchedFields []matchedField `json:"matchedFields"`
	// Missing are the words that the entity does not have.
	Missing []string `json:"missing"`
}

// typedWords tells how the server read words as people type them.
type typedWords struct {
	Words   []string `json:"words"`
	Without []string `json:"without"`
	// All counts the entities with all words.
	All int `json:"all"`
}

type matchedField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func showSearch(ctx context.Context, e *cli.Environment, found *searchFound, input string, o *searchOptions) error {
	hits := found.Value.Entities
	if len(hits) == 0 {
		fmt.Fprintln(e.Stdout, nothingFound(found, input, o))
		return nil
	}
	urns := make([]string, len(hits))
	for i := range hits {
		urns[i] = hits[i].Entity
	}
	cards, err := show.ReadCards(ctx, e.Client(), urns)
	if err != nil {
		return err
	}
	table := &screen.Table{Columns: []screen.Column{
		{Head: "NAME", Least: 16}, {Head: "TYPE"}, {Head: "PLATFORM"}, {Head: "PATH", Least: 16, Front: true}, {Head: "MATCHED"},
	}, Below: true}
	for i := range hits {
		c := cards[hits[i].Entity]
		path := c.Path
		if path == c.Name {
			path = ""
		}
		table.Add(c.Name, show.TypeWord(c.Type), c.Platform, path, whyMatched(&hits[i], input))
	}
	if err := table.Write(e.Stdout, screen.WidthOf(e.Stdout)); err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "\n%s\n", pageLine(found.Value.From, len(hits), found.Value.NumEntities))
	for _, line := range typedLines(found.Value.Typed, found.Value.From, hits) {
		fmt.Fprintln(e.Stdout, line)
	}
	if o.facets {
		return showFacets(e, found)
	}
	return nil
}

// typedLines tells which hits of a page have only most of the words, and which words were left
// out of the search.
func typedLines(said *typedWords, from int, hits []searchHit) []string {
	if said == nil {
		return nil
	}
	var lines []string
	switch end := from + len(hits); {
	case end <= said.All:
	case said.All == 0:
		lines = append(lines, "no entity has all the words; these have most of them")
	default:
		lines = append(lines, wording.Counted(said.All, "entity has", "entities have")+" all the words; the others have most of them")
	}
	if len(said.Without) > 0 {
		lines = append(lines, "left out of the search: "+screen.Line(strings.Join(said.Without, " ")))
	}
	return lines
}

// pageLine returns a line with the shown range of hits and their number, and how to show
// the next page.
func pageLine(from, shown, total int) string {
	if from == 0 && shown == total {
		return wording.Counted(total, "hit", "hits")
	}
	line := fmt.Sprintf("%d to %d of %s", from+1, from+shown, wording.Counted(total, "hit", "hits"))
	if from+shown < total {
		line += fmt.Sprintf("; --start %d shows the next", from+shown)
	}
	return line
}

// nothingFound returns suggestions for a search without hits.
func nothingFound(found *searchFound, input string, o *searchOptions) string {
	if found.Value.NumEntities > 0 {
		return fmt.Sprintf("%s, and --start %d is beyond the last", wording.Counted(found.Value.NumEntities, "hit", "hits"), o.start)
	}
	text := "nothing is found"
	if input != "*" {
		text = fmt.Sprintf("nothing is found for %q", screen.Line(input))
	}
	var tries []string
	if len(o.types) > 0 {
		tries = append(tries, "without --type")
	}
	if len(o.filters) > 0 {
		tries = append(tries, "without --filter")
	}
	typed := strings.Fields(input)
	switch {
	case strings.HasPrefix(input, "/q"):
		tries = append(tries, "with OR between the words")
	case len(typed) > 1:
		tries = append(tries, "with fewer words")
	case input != "*" && !strings.ContainsAny(input, ":*\"'"):
		tries = append(tries, "with the beginning of the word, such as "+show.ShellWord(string([]rune(input)[:(len([]rune(input))+1)/2])+"*"))
	}
	if len(tries) == 0 {
		return text
	}
	return text + "; try " + strings.Join(tries, ", or ")
}

// matchedWords has the words for fields in which a search finds words, the best reasons
// first. Other fields come after these, with their own names.
var matchedWords = []struct{ field, word string }{
	{"name", "name"},
	{"displayName", "name"},
	{"title", "title"},
	{"fullName", "name"},
	{"id", "name"},
	{"jobId", "name"},
	{"flowId", "name"},
	{"ldap", "name"},
	{"fieldPaths", "column"},
	{"tags", "tag"},
	{"glossaryTerms", "term"},
	{"editedDescription", "description"},
	{"description", "description"},
	{"definition", "description"},
	{"fieldTags", "column tag"},
	{"editedFieldTags", "column tag"},
	{"fieldGlossaryTerms", "column term"},
	{"editedFieldGlossaryTerms", "column term"},
	{"fieldDescriptions", "column description"},
	{"editedFieldDescriptions", "column description"},
	{"owners", "owner"},
	{"domains", "domain"},
	{"customProperties", "property"},
	{"container", "container"},
	{"platform", "platform"},
	{"tool", "platform"},
	{"email", "email"},
}

// unhelpful are fields that repeat other fields.
var unhelpful = []string{"urn", "qualifiedName"}

// shownReasons is how many reasons a line shows at most.
const shownReasons = 2

// whyMatched returns the fields in which a hit contains the words, the best reasons first.
func whyMatched(hit *searchHit, input string) string {
	rank := func(field string) int {
		for i := range matchedWords {
			if matchedWords[i].field == field {
				return i
			}
		}
		return len(matchedWords)
	}
	fields := slices.Clone(hit.MatchedFields)
	slices.SortStableFunc(fields, func(a, b matchedField) int { return cmp.Compare(rank(a.Name), rank(b.Name)) })
	var reasons, kinds []string
	for _, f := range fields {
		word := f.Name
		if r := rank(f.Name); r < len(matchedWords) {
			word = matchedWords[r].word
		}
		if slices.Contains(unhelpful, f.Name) || slices.Contains(kinds, word) || len(reasons) == shownReasons {
			continue
		}
		kinds = append(kinds, word)
		reasons = append(reasons, reason(word, f.Value, input))
	}
	if len(hit.Missing) > 0 {
		reasons = slices.Insert(reasons, 0, "without "+screen.Line(strings.Join(hit.Missing, ", ")))
	}
	return strings.Join(reasons, ", ")
}

// reason returns the text about one field that contains the words. It returns no text for
// the name, which the line already shows.
func reason(word, value, input string) string {
	switch {
	case word == "name" || word == "title":
		return word
	case strings.HasPrefix(value, "urn:"):
		return word + " " + screen.Line(show.LeafOf(value))
	case strings.HasSuffix(word, "description"):
		return word + ` "` + excerpt(screen.Line(value), input) + `"`
	}
	return word + " " + excerpt(screen.Line(value), input)
}

// excerptLength is the length of an excerpt in characters.
const excerptLength = 48

// longestBack bounds how many characters an excerpt begins earlier, so that it begins with
// a whole word.
const longestBack = 15

// excerpt returns a text or, if it is long, the part around the first word of the input.
func excerpt(text, input string) string {
	letters := []rune(text)
	if len(letters) <= excerptLength {
		return text
	}
	at := len(letters)
	lower := strings.ToLower(text)
	for _, word := range strings.FieldsFunc(strings.ToLower(input), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if i := strings.Index(lower, word); i >= 0 {
			at = min(at, len([]rune(lower[:i])))
		}
	}
	from := 0
	if at < len(letters) {
		from = min(max(at-excerptLength/3, 0), len(letters)-excerptLength)
	}
	for back := range min(from, longestBack) { // move back to the beginning of a word
		if letters[from-back-1] == ' ' {
			from -= back
			break
		}
	}
	quoted := strings.TrimSpace(string(letters[from:min(from+excerptLength, len(letters))]))
	if from > 0 {
		quoted = "…" + quoted
	}
	if from+excerptLength < len(letters) {
		quoted += "…"
	}
	return quoted
}

// showFacets writes the number of hits with each value of each facet.
func showFacets(e *cli.Environment, found *searchFound) error {
	for _, facet := range found.Value.Metadata.Aggregations {
		if len(facet.FilterValues) == 0 || facet.Name == "entity" { // the facet "entity" repeats _entityType
			continue
		}
		fmt.Fprintf(e.Stdout, "\n%s (--filter %s=…)\n", screen.Line(facet.DisplayName), screen.Line(facet.Name))
		table := &screen.Table{Columns: []screen.Column{{}, {Right: true}}, Indent: 2}
		for _, v := range facet.FilterValues {
			table.Add(show.LeafOf(v.Value), fmt.Sprint(v.FacetCount))
		}
		if err := table.Write(e.Stdout, screen.WidthOf(e.Stdout)); err != nil {
			return err
		}
	}
	return nil
}

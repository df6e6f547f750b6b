package get

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/headwater-io/headwater/cmd/headwater/internal/show"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/screen"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// facts returns the lines of the page beside the description and the lists.
func (p *page) facts() []show.Fact {
	var facts []show.Fact
	add := func(name string, values ...string) {
		values = slices.DeleteFunc(values, func(v string) bool { return strings.TrimSpace(v) == "" })
		if len(values) > 0 {
			facts = append(facts, show.Fact{Name: name, Values: values})
		}
	}
	add("Owners", strings.Join(p.cards.Owners(p.aspects[model.AspectOwnership]), ", "))
	add("Domain", p.namesIn(model.AspectDomains, "domains", ""))
	add("Tags", p.namesIn(model.AspectGlobalTags, "tags", "tag"))
	add("Terms", p.namesIn(model.AspectGlossaryTerms, "terms", "urn"))
	add("Part of", p.parent())
	add("Groups", p.namesIn(model.AspectGroupMembership, "groups", ""), p.namesIn(model.AspectNativeGroupMembership, "nativeGroups", ""))
	add("Same as", p.siblings()...)
	for _, f := range p.qualityFacts() {
		add(f.Name, f.Values...)
	}
	for _, f := range p.stated() {
		add(f.Name, f.Values...)
	}
	add("Properties", p.properties()...)
	add("Links", p.links()...)
	add("Written by", p.runs()...)
	return facts
}

// namesIn returns the names of the entities in a list of an aspect. The items of the list
// are URNs or objects with a URN in the member.
func (p *page) namesIn(aspect, list, member string) string {
	urns := jsontree.Texts(p.aspects[aspect], list)
	for _, item := range jsontree.Items(p.aspects[aspect], list) {
		urns = append(urns, jsontree.Text(item, member))
	}
	var different []string
	for _, urn := range urns {
		if urn != "" && !slices.Contains(different, urn) {
			different = append(different, urn)
		}
	}
	return strings.Join(p.cards.NamesOf(different), ", ")
}

// parent returns the name of the entity's container, flow, folder or other parent, "" for
// none.
func (p *page) parent() string {
	for _, candidate := range []string{
		jsontree.Text(p.aspects[model.AspectContainer], "container"), show.FirstText(p.aspects, "flowUrn", "parentNode", "parentDomain", "parentContainer"),
	} {
		if candidate != "" {
			return p.cards.NameOf(candidate) + " (" + show.TypeWord(show.PlaceOf(candidate).Type) + ")"
		}
	}
	return ""
}

// siblings returns the places of the entity's siblings, which are the same data on other
// platforms.
func (p *page) siblings() []string {
	var same []string
	for _, urn := range jsontree.Texts(p.aspects[model.AspectSiblings], "siblings") {
		at := show.PlaceOf(urn)
		same = append(same, strings.TrimSpace(at.Platform+" "+at.Path))
	}
	return same
}

// shownElsewhere are members of aspects that the page shows at other places, or that repeat
// the name or the lineage.
var shownElsewhere = map[string]bool{
	"name": true, "displayName": true, "fullName": true, "firstName": true, "lastName": true, "description": true, "definition": true, "aboutMe": true,
	"customProperties": true, "tags": true, "fields": true, "flowUrn": true, "parentNode": true, "parentDomain": true, "parentContainer": true,
	"charts": true, "chartEdges": true, "datasets": true, "datasetEdges": true, "dashboards": true, "inputs": true, "inputEdges": true,
	"mlFeatures": true, "members": true, "assets": true, "statement": true, "qualifiedName": true, "logoUrl": true,
}

// statedNames has readable words for members whose names are not readable.
var statedNames = map[string]string{
	"externalUrl": "Address", "dashboardUrl": "Address", "chartUrl": "Address", "uri": "Address", "email": "Email", "colorHex": "Colour",
	"termSource": "Source", "hasRelatedTerms": "Related",
}

// stated returns lines about the remaining members of the descriptive aspects: texts,
// numbers, and lists of them.
func (p *page) stated() []show.Fact {
	byName := map[string][]string{}
	for _, aspect := range show.SortedKeys(p.aspects) {
		if !show.IsDescriptive(aspect) {
			continue
		}
		for _, member := range show.SortedKeys(p.aspects[aspect]) {
			value := p.readable(member, p.aspects[aspect][member])
			if shownElsewhere[member] || value == "" || member == "title" && value == screen.Line(p.self.Name) {
				continue
			}
			name := statedNames[member]
			if name == "" {
				name = words(member)
			}
			if !slices.Contains(byName[name], value) {
				byName[name] = append(byName[name], value)
			}
		}
	}
	facts := make([]show.Fact, 0, len(byName))
	for _, name := range show.SortedKeys(byName) {
		facts = append(facts, show.Fact{Name: name, Values: byName[name]})
	}
	return facts
}

// readable returns a value as text, or "" if the value is not worth a line.
func (p *page) readable(member string, value any) string {
	switch v := value.(type) {
	case string:
		if strings.HasPrefix(v, "urn:") {
			return p.cards.NameOf(v)
		}
		return screen.Line(v)
	case bool:
		switch {
		case member == "active" && !v:
			return "no"
		case member != "active" && v:
			return "yes"
		}
	case []any:
		var texts []string
		for _, item := range v {
			if text := p.readable("", item); text != "" {
				texts = append(texts, text)
			}
		}
		if n := p.limit(2 * pageItems); len(texts) > n {
			texts = append(texts[:n], fmt.Sprintf("and %d more", len(texts)-n))
		}
		return strings.Join(texts, ", ")
	case map[string]any:
		if len(v) == 1 { // a union, such as {"string": "PYTHON"}
			for _, inner := range v {
				return p.readable(member, inner)
			}
		}
	case nil:
	default:
		if at := jsontree.Integer(value); at > 1e11 && (strings.HasSuffix(member, "Time") || strings.HasSuffix(member, "At")) {
			return show.TimeOf(at)
		}
		return jsontree.ScalarText(value)
	}
	return ""
}

// words splits the name of a member into words: lastObserved becomes Last observed.
func words(member string) string {
	var b strings.Builder
	for i, r := range member {
		switch {
		case i == 0:
			r = unicode.ToUpper(r)
		case unicode.IsUpper(r):
			b.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return screen.Line(b.String())
}

// properties returns the lines about custom and structured properties.
func (p *page) properties() []string {
	var lines []string
	for _, aspect := range p.aspects {
		for name, value := range jsontree.Member(aspect, "customProperties") {
			lines = append(lines, screen.Line(name+" = "+jsontree.ScalarText(value)))
		}
	}
	for _, item := range jsontree.Items(p.aspects[model.AspectStructuredProperties], "properties") {
		lines = append(lines, screen.Line(p.cards.NameOf(jsontree.Text(item, "propertyUrn"))+" = "+p.readable("", jsontree.Array(item, "values"))))
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if n := p.limit(2 * pageItems); len(lines) > n {
		lines = append(lines[:n], fmt.Sprintf("and %d more: headwater get %s --all", len(lines)-n, show.ShellWord(p.asked)))
	}
	return lines
}

func (p *page) links() []string {
	var links []string
	for _, item := range jsontree.Items(p.aspects[model.AspectInstitutionalMemory], "elements") {
		links = append(links, screen.Line(strings.TrimLeft(jsontree.Text(item, "description")+": "+jsontree.Text(item, "url"), ": ")))
	}
	return links
}

// runs returns the runs that wrote the aspects of the entity, the latest first.
func (p *page) runs() []string {
	type run struct {
		id      string
		aspects int
		latest  int64
	}
	byID := map[string]*run{}
	for name := range p.entity.Aspects {
		aspect := p.entity.Aspects[name]
		system, err := jsontree.DecodeObject(aspect.System)
		id := jsontree.Text(system, "runId")
		if err != nil || id == "" {
			continue
		}
		if byID[id] == nil {
			byID[id] = &run{id: id}
		}
		byID[id].aspects++
		byID[id].latest = max(byID[id].latest, aspect.Created.Time)
	}
	all := slices.SortedFunc(maps.Values(byID), func(a, b *run) int {
		if a.latest != b.latest {
			return int(b.latest - a.latest)
		}
		return strings.Compare(a.id, b.id)
	})
	var lines []string
	for _, r := range all[:min(len(all), p.limit(pageItems))] {
		lines = append(lines, fmt.Sprintf("%s  %s, %s", r.id, wording.Counted(r.aspects, "aspect", "aspects"), show.TimeOf(r.latest)))
	}
	return lines
}

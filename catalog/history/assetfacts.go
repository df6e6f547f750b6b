package history

import (
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// propertyFacts returns the structured properties of an entity with their values. The values of
// one property are one fact, whichever source states them.
func propertyFacts(_ *timeline, v *model.Value) facts {
	found := facts{}
	values := map[string][]string{}
	for urn, text := range model.EachStructuredValue(v) {
		values[urn] = append(values[urn], text)
	}
	for urn, list := range values {
		text := strings.Join(list, ", ")
		found.add("", urn, fact{
			modifier: urn, parameters: map[string]any{"propertyUrn": urn, "propertyValues": text},
			what: "Structured property " + urn, content: strings.Join(list, "\x00"), text: text, quoted: true,
		})
	}
	return found
}

// relatedTermLists are the members of a glossary term that list its related terms, with the
// words for each related term.
var relatedTermLists = [][2]string{
	{"isRelatedTerms", "Is-a term"}, {"hasRelatedTerms", "Contained term"}, {"values", "Value"}, {"relatedTerms", "Related term"},
}

// relatedTermFacts returns the related terms of a glossary term.
func relatedTermFacts(v *model.Value) facts {
	found := facts{}
	for _, list := range relatedTermLists {
		for _, f := range urnFacts(jsontree.Texts(v.Tree, list[0]), "termUrn", list[1]) {
			f.parameters["relationship"] = list[0]
			found.add("", list[0]+"\x00"+f.thing, f)
		}
	}
	return found
}

func applicationFacts(_ *timeline, v *model.Value) facts {
	return urnFacts(jsontree.Texts(v.Tree, "applications"), "applicationUrn", "Application")
}

// membershipFacts returns the assets of a data product.
func membershipFacts(_ *timeline, v *model.Value) facts {
	var urns []string
	for _, asset := range jsontree.Items(v.Tree, "assets") {
		urns = append(urns, jsontree.Text(asset, "destinationUrn"))
	}
	return urnFacts(urns, "assetUrn", "Asset")
}

// versionFacts returns the place of an entity in its version set. The set decides which version
// is the latest, so a change of isLatest is no change of this version.
func versionFacts(_ *timeline, v *model.Value) facts {
	set, tag, comment := jsontree.Text(v.Tree, "versionSet"), jsontree.Text(jsontree.Member(v.Tree, "version"), "versionTag"), jsontree.Text(v.Tree, "comment")
	found := facts{}
	found.add("", set, fact{
		modifier: set, parameters: map[string]any{"versionSetUrn": set, "versionTag": tag, "comment": comment},
		what: "The version in " + set, content: tag + "\x00" + comment, text: tag, quoted: true,
	})
	return found
}

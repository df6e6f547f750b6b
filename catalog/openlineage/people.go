package openlineage

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// Owners and tags of events are added to those that people and other sources have given. An owner or tag of events is
// removed when no event states it any more.

// people adds the owners and tags that facets state, and returns the owners and tags that come from events.
func (w *work) people(of about, given map[string][]string, all factSet) (map[string][]string, error) {
	owners, types := ownersOf(all)
	tags := tagsOf(all)
	next := map[string][]string{}
	var err error
	if next[model.AspectOwnership], err = w.give(of, model.AspectOwnership, given[model.AspectOwnership], owners, func(owner string) (string, any) {
		return "/owners/" + escape(owner) + "/" + types[owner], catalog.Tree{
			"owner": owner, "type": types[owner], "source": catalog.Tree{"type": "SERVICE"},
		}
	}); err != nil {
		return nil, err
	}
	if next[model.AspectGlobalTags], err = w.give(of, model.AspectGlobalTags, given[model.AspectGlobalTags], tags, func(tag string) (string, any) {
		return "/tags/" + escape(tag), catalog.Tree{"tag": tag}
	}); err != nil {
		return nil, err
	}
	for name, list := range next {
		if len(list) == 0 {
			delete(next, name)
		}
	}
	if len(next) == 0 {
		return nil, nil
	}
	return next, nil
}

// give patches an aspect so that it has the wanted items and, of those given before, no others.
func (w *work) give(of about, aspect string, given, wanted []string, item func(string) (path string, value any)) ([]string, error) {
	if len(given)+len(wanted) == 0 {
		return nil, nil
	}
	latest, err := w.latest(of.urn, aspect)
	if err != nil {
		return nil, err
	}
	stored := ""
	if latest != nil {
		stored = string(latest.Value)
	}
	var operations []catalog.Tree
	var next []string
	for _, one := range wanted {
		path, value := item(one)
		if slices.Contains(given, one) {
			next = append(next, one)
			continue
		}
		if !strings.Contains(stored, `"`+one+`"`) {
			operations = append(operations, catalog.Tree{"op": "add", "path": path, "value": value})
			next = append(next, one)
		}
	}
	for _, one := range given {
		if !slices.Contains(wanted, one) && strings.Contains(stored, `"`+one+`"`) {
			for _, path := range placesOf(aspect, one, latest.Value) {
				operations = append(operations, catalog.Tree{"op": "remove", "path": path})
			}
		}
	}
	if len(operations) == 0 {
		return next, nil
	}
	text, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	w.proposals = append(w.proposals, write.Proposal{
		EntityType: of.urn.EntityType(), EntityURN: of.urn.String(), ChangeType: write.Patch, AspectName: aspect,
		Aspect: &write.GenericAspect{Value: text, ContentType: "application/json-patch+json"}, System: of.system(),
	})
	return next, nil
}

// placesOf returns the paths in a stored value of the owners, tags and terms that were given from here. Of an owner,
// these are the types that a service has given.
func placesOf(aspect, item string, stored json.RawMessage) (paths []string) {
	if aspect != model.AspectOwnership {
		return []string{"/tags/" + escape(item)}
	}
	for _, o := range read[struct {
		Owners []struct {
			Owner  string `json:"owner"`
			Type   string `json:"type"`
			Source struct {
				Type string `json:"type"`
			} `json:"source"`
		} `json:"owners"`
	}](stored).Owners {
		if o.Owner == item && o.Source.Type == "SERVICE" {
			paths = append(paths, "/owners/"+escape(item)+"/"+o.Type)
		}
	}
	return paths
}

// escape escapes a member of a JSON pointer.
func escape(member string) string {
	return strings.ReplaceAll(strings.ReplaceAll(member, "~", "~0"), "/", "~1")
}

// ownerTypes are the types of the model by the texts that producers write.
var ownerTypes = map[string]string{
	"": "TECHNICAL_OWNER", "OWNER": "TECHNICAL_OWNER", "MAINTAINER": "TECHNICAL_OWNER", "TECHNICAL_OWNER": "TECHNICAL_OWNER", "TECHNICAL OWNER": "TECHNICAL_OWNER",
	"BUSINESS_OWNER": "BUSINESS_OWNER", "BUSINESS OWNER": "BUSINESS_OWNER", "STEWARD": "DATA_STEWARD", "DATA_STEWARD": "DATA_STEWARD", "DATA STEWARD": "DATA_STEWARD",
	"DEVELOPER": "DEVELOPER", "PRODUCER": "PRODUCER", "CONSUMER": "CONSUMER", "STAKEHOLDER": "STAKEHOLDER", "DELEGATE": "DELEGATE", "DATAOWNER": "DATAOWNER",
}

// ownersOf returns the URNs of owners, in order, and their types.
func ownersOf(all factSet) (owners []string, types map[string]string) {
	types = map[string]string{}
	for _, owner := range read[ownership](all.value("ownership")).Owners {
		entity, name := model.EntityCorpuser, strings.TrimSpace(owner.Name)
		if prefix, rest, found := strings.Cut(name, ":"); found {
			switch strings.ToLower(prefix) {
			case "user":
				name = rest
			case "team", "group":
				entity, name = model.EntityCorpGroup, rest
			}
		}
		urn, err := model.BuildURN("li", entity, name)
		if name == "" || err != nil {
			continue
		}
		kind := ownerTypes[strings.ToUpper(strings.TrimSpace(owner.Type))]
		if kind == "" {
			kind = "CUSTOM"
		}
		if _, known := types[urn.String()]; !known {
			owners = append(owners, urn.String())
			types[urn.String()] = kind
		}
	}
	slices.Sort(owners)
	return owners, types
}

// tagsOf returns the URNs of the tags of an entity, in order; tags of columns are not among them.
func tagsOf(all factSet) []string {
	var tags []string
	for _, tag := range read[tagsFacet](all.value("tags")).Tags {
		if urn, ok := tagURN(tag.Key, tag.Value); ok && tag.Field == "" {
			tags = append(tags, urn)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// tagURN returns the tag <key>:<value>, or <key> if its value says only that it is there. For a tag without a value,
// Airflow writes the key as the value.
func tagURN(key, value string) (string, bool) {
	name := key
	if value != "" && value != key && !strings.EqualFold(value, "true") {
		name += ":" + value
	}
	urn, err := model.BuildURN("li", model.EntityTag, strings.NewReplacer("(", "%28", ")", "%29", ",", "%2C").Replace(name))
	return urn.String(), key != "" && err == nil
}

func tagList(urns []string) []catalog.Tree {
	list := make([]catalog.Tree, len(urns))
	for i, urn := range urns {
		list[i] = catalog.Tree{"tag": urn}
	}
	return list
}

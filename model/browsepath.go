package model

import "strings"

// DefaultBrowsePath returns the browse path of an entity that states none, without the
// entity's own name. It returns "" for types without a default path. The names of datasets
// are split at the delimiter.
func DefaultBrowsePath(u URN, delimiter string) string {
	place, parts, ok := placeOf(u)
	if !ok {
		return ""
	}
	path := ""
	for _, i := range place.browse {
		part := parts[i]
		if place.platformURN && i == place.platform {
			part = part[strings.LastIndexByte(part, ':')+1:]
		}
		path += "/" + part
	}
	for _, step := range place.steps(parts, delimiter) {
		path += "/" + step
	}
	if place.keepsCase {
		return path
	}
	return strings.ToLower(path)
}

// BrowseStep is one step of a browse path. It has the URN of an entity if the step stands
// for one.
type BrowseStep struct {
	ID  string `json:"id"`
	URN string `json:"urn,omitempty"`
}

// DefaultBrowseSteps returns the steps below the platform in the path of an entity that
// states none.
func DefaultBrowseSteps(u URN, delimiter string) []BrowseStep {
	place, parts := keyPlaces[u.EntityType()], u.Parts()
	var path []BrowseStep
	if place.ofFirst {
		path = append(path, BrowseStep{ID: parts[0], URN: parts[0]})
	}
	for _, step := range place.steps(parts, delimiter) {
		path = append(path, BrowseStep{ID: strings.ToLower(step)})
	}
	if len(path) == 0 {
		return []BrowseStep{{ID: "Default"}}
	}
	return path
}

// steps returns the steps of the name in a key, without the last step and without empty
// ones.
func (p *keyPlace) steps(parts []string, delimiter string) []string {
	if p.stepsIn == 0 {
		return nil
	}
	var steps []string
	names := strings.Split(parts[p.stepsIn], delimiter)
	for _, name := range names[:len(names)-1] {
		if name != "" {
			steps = append(steps, name)
		}
	}
	return steps
}

package model

import "strings"

// keyPlace says which parts of an entity type's keys describe the place of an entity.
type keyPlace struct {
	// platform is the index of the key part that names the platform. With platformURN, the
	// part is a URN, otherwise an id.
	platform    int
	platformURN bool
	// browse has the indexes of the parts of the default browse path. The path is in lower
	// case, unless keepsCase is set.
	browse    []int
	keepsCase bool
	// stepsIn is the index of the part whose name has several steps. The steps before the
	// last one continue the path. 0 means none.
	stepsIn int
	// ofFirst: the indexes refer to the key of the entity that the first part names.
	ofFirst bool
}

// keyPlaces has the entity types whose keys contain a place.
var keyPlaces = map[string]keyPlace{
	EntityDataset:           {platform: 0, platformURN: true, browse: []int{2, 0}, stepsIn: 1},
	EntityMlModel:           {platform: 0, platformURN: true},
	EntityMlModelGroup:      {platform: 0, platformURN: true},
	EntityMlModelDeployment: {platform: 0, platformURN: true},
	EntityMlFeatureTable:    {platform: 0, platformURN: true},
	EntityChart:             {platform: 0, browse: []int{0}, keepsCase: true},
	EntityDashboard:         {platform: 0, browse: []int{0}},
	EntityDataFlow:          {platform: 0, browse: []int{0, 2}},
	EntityDataJob:           {platform: 0, browse: []int{0, 2}, ofFirst: true},
	EntityDataProcess:       {platform: 1},
}

// placeOf returns the keyPlace of an entity, and the key parts to which its indexes refer.
func placeOf(u URN) (place keyPlace, parts []string, ok bool) {
	if place, ok = keyPlaces[u.EntityType()]; !ok {
		return keyPlace{}, nil, false
	}
	if parts = u.Parts(); place.ofFirst {
		first, err := ParseURN(parts[0])
		if err != nil {
			return keyPlace{}, nil, false
		}
		if parts = first.Parts(); len(parts) != flowParts {
			return keyPlace{}, nil, false
		}
	}
	return place, parts, true
}

// flowParts is the number of parts in the key of a data flow.
const flowParts = 3

// PlatformInKey returns the URN of the platform in an entity's key, "" if the key names
// none.
func PlatformInKey(u URN) string {
	place, parts, ok := placeOf(u)
	switch {
	case !ok:
		return ""
	case place.platformURN:
		return parts[place.platform]
	}
	return "urn:" + u.Namespace() + ":" + EntityDataPlatform + ":" + strings.ToLower(parts[place.platform])
}

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

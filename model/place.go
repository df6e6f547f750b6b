package model

import "strings"

// keyPlace is what the keys of an entity type contain about the place of an
// entity.
type keyPlace struct {
	// platform is the part of the key that names the platform: its URN with
	// platformURN, else its id.
	platform    int
	platformURN bool
	// browse are the parts that the default browse path consists of, in lower
	// case unless keepsCase.
	browse    []int
	keepsCase bool
	// stepsIn is the part whose name has several steps; the steps before the last
	// continue the path. 0 is none.
	stepsIn int
	// ofFirst: the parts are those of the entity that the first part names.
	ofFirst bool
}

// keyPlaces are the entity types whose keys contain a place.
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

// placeOf returns the keyPlace of an entity, and the parts of the key to which it
// applies.
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

// flowParts is how many parts the key of a flow has.
const flowParts = 3

// PlatformInKey returns the URN of the platform that an entity's key names, ""
// for none.
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

// DefaultBrowsePath returns the browse path, without its own name, of an entity
// that states none; "" for types that have none. The names of datasets are split
// at the delimiter.
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

// BrowseStep is one step of a browse path, with the URN of the entity that it
// stands for, if any.
type BrowseStep struct {
	ID  string `json:"id"`
	URN string `json:"urn,omitempty"`
}

// DefaultBrowseSteps returns the path below the platform of an entity that states
// none.
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

// steps returns the steps of the name in a key, except the last and empty ones.
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

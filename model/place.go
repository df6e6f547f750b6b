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

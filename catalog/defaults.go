package catalog

import (
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// These aspects are written by default for an entity that does not have them.
const (
	browsePathsAspect      = "browsePaths"
	browsePathsV2Aspect    = "browsePathsV2"
	platformInstanceAspect = "dataPlatformInstance"
	platformInfoAspect     = "dataPlatformInfo"
)

// defaultsOf lists the default aspects of an entity type.
func defaultsOf(e *model.Entity) []string {
	names := []string{e.KeyAspect}
	for _, name := range []string{browsePathsAspect, browsePathsV2Aspect, platformInstanceAspect} {
		if e.Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// delimiterKey names the aspect that contains the delimiter for a dataset's
// name.
func delimiterKey(ch *change) (graphstore.AspectKey, bool) {
	if ch.entity.Name != "dataset" {
		return graphstore.AspectKey{}, false
	}
	return graphstore.AspectKey{URN: ch.urn.Parts()[0], Name: platformInfoAspect}, true
}

// addDefaults writes the default aspects that are neither stored nor part of
// the request, with the request's system metadata.
func (s *session) addDefaults(ch *change) error {
	urn := ch.urn.String()
	if s.defaulted[urn] {
		return nil
	}
	s.defaulted[urn] = true
	for _, name := range defaultsOf(ch.entity) {
		key := graphstore.AspectKey{URN: urn, Name: name}
		if s.states[key].Latest != nil || s.requested[key] {
			continue
		}
		text, err := s.defaultValue(ch, name)
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		aspect, _ := s.c.registry.Aspect(name) // every registered entity's aspects are registered
		value, err := s.c.registry.ParseStored(name, text)
		if err != nil {
			return err
		}
		added := *ch
		added.kind, added.aspect, added.value = Upsert, aspect, value
		added.draft = nil
		if _, err := s.put(&added, value); err != nil {
			return err
		}
	}
	return nil
}

// defaultValue computes a default aspect, nil when the entity does not get one.
func (s *session) defaultValue(ch *change, name string) (json.RawMessage, error) {
	switch name {
	case browsePathsAspect, browsePathsV2Aspect:
		return defaultPath(name, ch.urn, s.delimiter(ch))
	case platformInstanceAspect:
		platform := platformOf(ch)
		if platform == "" {
			return nil, nil
		}
		return json.Marshal(map[string]any{"platform": platform})
	}
	return s.c.registry.KeyValue(ch.urn)
}

// unknownDelimiter splits the names of datasets whose platform does not state a
// delimiter.
const unknownDelimiter = "."

// delimiter returns the delimiter for the name of a change's dataset.
func (s *session) delimiter(ch *change) string {
	if key, ok := delimiterKey(ch); ok {
		if state := s.states[key]; state != nil && state.Latest != nil {
			return delimiterIn(state.Latest.Value)
		}
	}
	return unknownDelimiter
}

// delimiterIn returns the delimiter that a platform's info states for the names
// of its datasets. The info may be nil.
func delimiterIn(info json.RawMessage) string {
	var said struct {
		Delimiter string `json:"datasetNameDelimiter"`
	}
	if json.Unmarshal(info, &said) != nil || said.Delimiter == "" {
		return unknownDelimiter
	}
	return said.Delimiter
}

// defaultPath computes one of the two aspects with browse paths.
func defaultPath(aspect string, u model.URN, delimiter string) (json.RawMessage, error) {
	if aspect == browsePathsAspect {
		return json.Marshal(map[string]any{"paths": []string{defaultBrowsePath(u, delimiter)}})
	}
	return json.Marshal(map[string]any{"path": defaultBrowsePathV2(u, delimiter)})
}

// lastPart is the last colon-separated part of a URN's text.
func lastPart(urn string) string { return urn[strings.LastIndexByte(urn, ':')+1:] }

// defaultBrowsePath returns the path, without the entity's own name.
func defaultBrowsePath(u model.URN, delimiter string) string {
	parts := u.Parts()
	switch u.EntityType() {
	case "dataset":
		names := strings.Split(parts[1], delimiter)
		path := "/" + parts[2] + "/" + lastPart(parts[0])
		for _, name := range names[:len(names)-1] {
			if name != "" {
				path += "/" + name
			}
		}
		return strings.ToLower(path)
	case "chart":
		return "/" + parts[0]
	case "dashboard":
		return "/" + strings.ToLower(parts[0])
	case "dataFlow":
		return "/" + strings.ToLower(parts[0]+"/"+parts[2])
	case "dataJob":
		flow, err := model.ParseURN(parts[0])
		if err == nil && len(flow.Parts()) == 3 {
			return "/" + strings.ToLower(flow.Parts()[0]+"/"+flow.Parts()[2])
		}
	}
	return ""
}

// pathEntry is one step of a browse path.
type pathEntry struct {
	ID  string `json:"id"`
	URN string `json:"urn,omitempty"`
}

func defaultBrowsePathV2(u model.URN, delimiter string) []pathEntry {
	var path []pathEntry
	switch u.EntityType() {
	case "dataset":
		names := strings.Split(u.Parts()[1], delimiter)
		for _, name := range names[:len(names)-1] {
			if name != "" {
				path = append(path, pathEntry{ID: strings.ToLower(name)})
			}
		}
	case "dataJob":
		flow := u.Parts()[0]
		path = append(path, pathEntry{ID: flow, URN: flow})
	}
	if len(path) == 0 {
		path = []pathEntry{{ID: "Default"}}
	}
	return path
}

// platformOf returns the URN of the platform that an entity's key names.
func platformOf(ch *change) string {
	parts := ch.urn.Parts()
	named := func(name string) string {
		return "urn:" + ch.dialect.Namespace + ":dataPlatform:" + strings.ToLower(name)
	}
	switch ch.entity.Name {
	case "dataset", "mlModel", "mlModelGroup", "mlFeatureTable", "mlModelDeployment":
		return parts[0]
	case "chart", "dashboard", "dataFlow":
		return named(parts[0])
	case "dataProcess":
		return named(parts[1])
	case "dataJob":
		flow, err := model.ParseURN(parts[0])
		if err == nil && len(flow.Parts()) == 3 {
			return named(flow.Parts()[0])
		}
	}
	return ""
}

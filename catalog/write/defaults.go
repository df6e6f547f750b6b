package write

import (
	"bytes"
	"encoding/json"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// defaultsOf lists the default aspects of an entity type.
func defaultsOf(e *model.Entity) []string {
	names := []string{e.KeyAspect}
	for _, name := range []string{model.AspectBrowsePaths, model.AspectBrowsePathsV2, model.AspectDataPlatformInstance} {
		if e.Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// delimiterKey names the aspect that contains the delimiter for a dataset's
// name.
func delimiterKey(ch *change) (graphstore.AspectKey, bool) {
	if ch.entity.Name != model.EntityDataset {
		return graphstore.AspectKey{}, false
	}
	return graphstore.AspectKey{URN: ch.urn.Parts()[0], Name: model.AspectDataPlatformInfo}, true
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
		aspect, _ := s.w.Registry().Aspect(name) // every registered entity's aspects are registered
		value, err := s.w.Registry().ParseStored(name, text)
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
	case model.AspectBrowsePaths, model.AspectBrowsePathsV2:
		return defaultPath(name, ch.urn, s.delimiter(ch))
	case model.AspectDataPlatformInstance:
		platform := model.PlatformInKey(ch.urn)
		if platform == "" {
			return nil, nil
		}
		return json.Marshal(map[string]any{"platform": platform})
	}
	return s.w.Registry().KeyValue(ch.urn)
}

// unknownDelimiter splits the names of datasets whose platform does not state a
// delimiter.
const unknownDelimiter = "."

// delimiter returns the delimiter for the name of a change's dataset.
func (s *session) delimiter(ch *change) string {
	if key, ok := delimiterKey(ch); ok {
		if state := s.states[key]; state != nil && state.Latest != nil {
			if info := state.Latest.Value; s.platform.delimiter == "" || !bytes.Equal(info, s.platform.info) {
				s.platform.info, s.platform.delimiter = info, delimiterIn(info)
			}
			return s.platform.delimiter
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
	if aspect == model.AspectBrowsePaths {
		return json.Marshal(map[string]any{"paths": []string{model.DefaultBrowsePath(u, delimiter)}})
	}
	return json.Marshal(map[string]any{"path": model.DefaultBrowseSteps(u, delimiter)})
}

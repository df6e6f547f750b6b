package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// object is a JSON object. Its numbers are texts.
type object = map[string]any

// mirror is the expected content of the catalog after all changes sent to it.
type mirror struct {
	facts  *facts
	latest map[string]map[string]any            // URN, aspect: value
	series map[string]map[string]map[string]any // URN, aspect, time and partition: value
}

func newMirror(f *facts) *mirror {
	return &mirror{f, map[string]map[string]any{}, map[string]map[string]map[string]any{}}
}

// kind is the kind of a change.
type kind int

const (
	upsert       kind = iota
	deleteAspect      // deletes the latest value
	deleteEntity      // deletes the entity and everything that it states
)

// op is one change.
type op struct {
	kind   kind
	urn    string
	aspect string
	value  any
}

// apply changes the mirror as the catalog must change.
func (m *mirror) apply(o op) {
	switch o.kind {
	case deleteEntity:
		delete(m.latest, o.urn)
		delete(m.series, o.urn)
		return
	case deleteAspect:
		delete(m.latest[o.urn], o.aspect)
		return
	}
	if m.latest[o.urn] == nil {
		m.latest[o.urn] = map[string]any{}
	}
	value := canonical(o.value)
	if o.aspect == "dataPlatformInfo" { // the default paths of datasets depend on the platform's delimiter
		m.latest[o.urn][o.aspect] = m.movePaths(o.urn, value)
	}
	if m.facts.timeSeries[o.aspect] {
		m.applySeries(o, value)
	} else {
		m.latest[o.urn][o.aspect] = value
	}
	m.addDefaults(o.urn)
}

// movePaths sets the info of a platform, and gives its datasets default browse paths with the new
// delimiter. It returns the info.
func (m *mirror) movePaths(platform string, info any) any {
	defaults := func(urn string) map[string]any {
		return map[string]any{"browsePaths": object{"paths": []any{m.defaultPath(urn)}}, "browsePathsV2": object{"path": m.defaultPathV2(urn)}}
	}
	moving := map[string]map[string]bool{} // by dataset and aspect: whether the path is the default
	for urn, aspects := range m.latest {
		if typeOf(urn) != "dataset" || partsOf(urn)[0] != platform {
			continue
		}
		moving[urn] = map[string]bool{}
		for name, value := range defaults(urn) {
			moving[urn][name] = text(aspects[name]) == text(value)
		}
	}
	m.latest[platform]["dataPlatformInfo"] = info
	for urn, names := range moving {
		for name, value := range defaults(urn) {
			if names[name] {
				m.latest[urn][name] = value
			}
		}
	}
	return info
}

// applySeries stores a value. It replaces one with the same time, granularity, message and
// partition.
func (m *mirror) applySeries(o op, value any) {
	if m.series[o.urn] == nil {
		m.series[o.urn] = map[string]map[string]any{}
	}
	if m.series[o.urn][o.aspect] == nil {
		m.series[o.urn][o.aspect] = map[string]any{}
	}
	said := value.(object)
	partition := ""
	at(said, "partitionSpec/partition", func(v any) { partition, _ = v.(string) })
	key := text([]any{said["timestampMillis"], said["eventGranularity"], said["messageId"], partition})
	m.series[o.urn][o.aspect][key] = value
}

// addDefaults adds the aspects that every entity has without a write.
func (m *mirror) addDefaults(urn string) {
	entity := m.facts.entities[typeOf(urn)]
	if entity == nil {
		return
	}
	aspects := m.latest[urn]
	put := func(name string, value any) {
		if _, exists := aspects[name]; !exists {
			aspects[name] = value
		}
	}
	put(entity.KeyAspect, m.key(urn, entity))
	if entity.has("browsePaths") {
		put("browsePaths", object{"paths": []any{m.defaultPath(urn)}})
	}
	if entity.has("browsePathsV2") {
		put("browsePathsV2", object{"path": m.defaultPathV2(urn)})
	}
	if platform := platformOf(urn); platform != "" && entity.has("dataPlatformInstance") {
		put("dataPlatformInstance", object{"platform": platform})
	}
}

// key returns the value of the key aspect, which follows from the URN.
func (m *mirror) key(urn string, entity *entityFact) any {
	value, parts := object{}, partsOf(urn)
	for i, field := range m.facts.fields[lastName(entity.KeyRecord)] {
		if i < len(parts) {
			value[field.Name] = parts[i]
		}
	}
	return value
}

// namesAbove returns the parts of a dataset's name without the last, split at the
// platform's delimiter.
func (m *mirror) namesAbove(urn string) []string {
	parts, delimiter := partsOf(urn), "."
	if info, ok := m.latest[parts[0]]["dataPlatformInfo"].(object); ok {
		if said, _ := info["datasetNameDelimiter"].(string); said != "" {
			delimiter = said
		}
	}
	names := strings.Split(strings.ToLower(parts[1]), strings.ToLower(delimiter))
	return slices.DeleteFunc(names[:len(names)-1], func(name string) bool { return name == "" })
}

func (m *mirror) defaultPath(urn string) string {
	parts := partsOf(urn)
	switch typeOf(urn) {
	case "dataset":
		steps := append([]string{"", strings.ToLower(parts[2]), strings.ToLower(calledAs(parts[0]))}, m.namesAbove(urn)...)
		return strings.Join(steps, "/")
	case "chart":
		return "/" + parts[0]
	case "dashboard":
		return "/" + strings.ToLower(parts[0])
	case "dataFlow":
		return strings.ToLower("/" + parts[0] + "/" + parts[2])
	case "dataJob":
		return m.defaultPath(parts[0])
	}
	return ""
}

func (m *mirror) defaultPathV2(urn string) []any {
	var path []any
	switch typeOf(urn) {
	case "dataset":
		for _, name := range m.namesAbove(urn) {
			path = append(path, object{"id": name})
		}
	case "dataJob":
		flow := partsOf(urn)[0]
		path = append(path, object{"id": flow, "urn": flow})
	}
	if path == nil {
		path = append(path, object{"id": "Default"})
	}
	return path
}

// platformOf returns the platform in a URN.
func platformOf(urn string) string {
	parts := partsOf(urn)
	called := func(name string) string { return "urn:li:dataPlatform:" + strings.ToLower(name) }
	switch typeOf(urn) {
	case "dataset", "mlModel", "mlModelGroup", "mlFeatureTable", "mlModelDeployment":
		return parts[0]
	case "chart", "dashboard", "dataFlow":
		return called(parts[0])
	case "dataProcess":
		return called(parts[1])
	case "dataJob":
		return platformOf(parts[0])
	}
	return ""
}

// removed reports whether an entity is soft-deleted.
func (m *mirror) removed(urn string) bool {
	status, _ := m.latest[urn]["status"].(object)
	return status["removed"] == true
}

// state reports whether an entity was written and whether it is soft-deleted. A column has
// the state of its entity.
func (m *mirror) state(urn string) (exists, removed bool) {
	if typeOf(urn) == column {
		urn = partsOf(urn)[0]
	}
	_, exists = m.latest[urn]
	return exists, m.removed(urn)
}

// urns returns the entities that exist, in order.
func (m *mirror) urns() []string { return slices.Sorted(maps.Keys(m.latest)) }

// canonical returns a value as decoded from JSON: with numbers as texts and without nulls.
func canonical(value any) any {
	decoder := json.NewDecoder(strings.NewReader(text(value)))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		panic(err) // cannot fail, because text has encoded it
	}
	return withoutNulls(plain)
}

func withoutNulls(value any) any {
	switch value := value.(type) {
	case object:
		for name, member := range value {
			if member == nil {
				delete(value, name)
			} else {
				value[name] = withoutNulls(member)
			}
		}
	case []any:
		for i := range value {
			value[i] = withoutNulls(value[i])
		}
	case json.Number:
		if n, err := value.Float64(); err == nil && n == float64(int64(n)) && n < 1e15 && n > -1e15 {
			return int64(n) // 1.0 and 1 are equal
		}
	}
	return value
}

// text returns a value as JSON. It is only for values that can be encoded.
func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

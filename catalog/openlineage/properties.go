package openlineage

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
)

// properties are the custom properties of an entity: texts by names.
type properties map[string]string

// set adds a text, cut to its limit, unless the properties are full.
func (p properties) set(name, text string) {
	if text == "" || name == "" {
		return
	}
	if _, known := p[name]; !known && len(p) >= limits.OpenLineageProperties {
		return
	}
	if secretName.MatchString(name) {
		text = "***"
	}
	p[name] = clip.Text(text, limits.OpenLineagePropertyBytes)
}

// secretName matches the names of properties whose values may be secret.
var secretName = regexp.MustCompile(`(?i)passw|secret|token|credential|api_?key|private_?key|access_?key`)

// flatten adds the texts, numbers and truth values in a facet. The name of a property is the path to it, or
// only the last member of the path.
func (p properties) flatten(path string, facet json.RawMessage, lastOnly bool) {
	p.walk(path, read[any](facet), lastOnly, 0)
}

func (p properties) walk(path string, value any, lastOnly bool, depth int) {
	switch v := value.(type) {
	case map[string]any:
		if depth >= limits.OpenLineageDepth {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if strings.HasPrefix(name, "_") && depth == 0 {
				continue // _producer, _schemaURL
			}
			below := name
			if !lastOnly && path != "" {
				below = path + "." + name
			}
			p.walk(below, v[name], lastOnly, depth+1)
		}
	case nil:
	case string:
		p.set(path, v)
	default:
		if text, err := json.Marshal(v); err == nil {
			p.set(path, string(text))
		}
	}
}

// member returns a member of a facet as a facet of its own, nil if there is none.
func member(facet json.RawMessage, name string) json.RawMessage {
	return read[map[string]json.RawMessage](facet)[name]
}

// engine adds the properties that jobs and runs show of their engine.
func (p properties) engine(facet json.RawMessage) {
	engine := read[processingEngine](facet)
	p.set("processingEngine", engine.Name)
	p.set("processingEngineVersion", engine.Version)
	p.set("openlineageAdapterVersion", engine.Adapter)
}

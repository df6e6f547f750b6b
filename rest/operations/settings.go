package operations

import (
	"maps"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/features"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/rest/call"
)

// Setting is a setting of the server as everybody may read it. The value of a secret is not the
// setting's.
type Setting struct {
	Name, Value string
	Secret      bool
}

// settingHandlers tell which settings and features the server has.
type settingHandlers struct {
	catalog  *services.Services
	version  string
	settings func() []Setting
}

// component is a part of the server, as the reference has them.
type component struct {
	Name       string            `json:"name"`
	Status     string            `json:"status"`
	Version    string            `json:"version"`
	Properties map[string]string `json:"properties"`
}

// components are the server, and what reads the change log and the proposals in it.
type components struct {
	Server    component `json:"gms"`
	Changes   component `json:"maeConsumer"`
	Proposals component `json:"mceConsumer"`
}

// settingInfo is a setting with where it is from.
type settingInfo struct {
	Key        string `json:"key"`
	Value      string `json:"value"`
	Source     string `json:"source"`
	SourceType string `json:"sourceType"`
	Resolved   string `json:"resolvedValue"`
}

// settingSource is where settings are from.
type settingSource struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Count int    `json:"propertyCount"`
}

// redacted stands for the value of a secret, as the reference spells it.
const redacted = "***REDACTED***"

// viewAccess is a property that clients ask for. Whoever may ask may read everything.
const viewAccess = "authorization.view.enabled"

// properties are the settings, and what is no setting here but a property that clients ask for.
func (h settingHandlers) properties() []Setting {
	all := []Setting{{Name: viewAccess, Value: "false"}}
	if h.settings != nil {
		all = append(all, h.settings()...)
	}
	for i := range all {
		if all[i].Secret && all[i].Value != "" {
			all[i].Value = redacted
		}
	}
	return all
}

func (h settingHandlers) simple() map[string]string {
	values := map[string]string{}
	for _, s := range h.properties() {
		values[s.Name] = s.Value
	}
	return values
}

func (h settingHandlers) components() components {
	within := map[string]string{"deployment": "embedded"}
	return components{
		component{"GMS", "AVAILABLE", h.version, h.simple()},
		component{"MAE Consumer", "AVAILABLE", h.version, within},
		component{"MCE Consumer", "AVAILABLE", h.version, within},
	}
}

func (h settingHandlers) systemInfo(c *call.Call) error {
	return c.JSON(http.StatusOK, map[string]components{"springComponents": h.components()})
}

func (h settingHandlers) componentInfo(c *call.Call) error {
	return c.JSON(http.StatusOK, h.components())
}

func (h settingHandlers) simpleInfo(c *call.Call) error { return c.JSON(http.StatusOK, h.simple()) }

func (h settingHandlers) propertyInfo(c *call.Call) error {
	const source, kind = "settings", "headwater"
	all, secrets := map[string]settingInfo{}, 0
	for _, s := range h.properties() {
		all[s.Name] = settingInfo{s.Name, s.Value, source, kind, s.Value}
		if s.Value == redacted {
			secrets++
		}
	}
	return c.JSON(http.StatusOK, struct {
		Properties map[string]settingInfo `json:"properties"`
		Sources    []settingSource        `json:"propertySources"`
		Total      int                    `json:"totalProperties"`
		Redacted   int                    `json:"redactedProperties"`
	}{all, []settingSource{{source, kind, len(all)}}, len(all), secrets})
}

func (h settingHandlers) features() map[string]bool {
	all := map[string]bool{}
	for _, f := range features.Of(h.catalog.ReadOnly()) {
		all[f.Name] = f.On
	}
	return all
}

func (h settingHandlers) featureFlags(c *call.Call) error { return c.JSON(http.StatusOK, h.features()) }

func (h settingHandlers) featureFlag(c *call.Call) error {
	all, name := h.features(), c.Parts["name"]
	on, known := all[name]
	if !known {
		return catalog.Errorf(catalog.NotFound, "unknown feature %s%s", name, nearest.Among(name, slices.Sorted(maps.Keys(all)), "features"))
	}
	return c.JSON(http.StatusOK, map[string]bool{name: on})
}

package operations

import (
	"maps"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/features"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/rest/call"
)

// Setting is a setting of the server in the form that everybody may read. The value of a
// secret setting is not the real one.
type Setting struct {
	Name, Value string
	Secret      bool
}

// settingHandlers serve the settings and features of the server.
type settingHandlers struct {
	catalog  *services.Services
	version  string
	settings func() []Setting
}

// component is a component of the server in the reference's form.
type component struct {
	Name       string            `json:"name"`
	Status     string            `json:"status"`
	Version    string            `json:"version"`
	Properties map[string]string `json:"properties"`
}

// components are the server, and its readers of the change log and of proposals. In this
// server, all are one process.
type components struct {
	Server    component `json:"gms"`
	Changes   component `json:"maeConsumer"`
	Proposals component `json:"mceConsumer"`
}

// settingInfo is a setting and its source.
type settingInfo struct {
	Key        string `json:"key"`
	Value      string `json:"value"`
	Source     string `json:"source"`
	SourceType string `json:"sourceType"`
	Resolved   string `json:"resolvedValue"`
}

// settingSource is a source of settings.
type settingSource struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Count int    `json:"propertyCount"`
}

// redacted replaces the value of a secret, in the reference's spelling.
const redacted = "***REDACTED***"

// viewAccess is a property that clients ask for. It is false: every caller who can send requests may read
// everything.
const viewAccess = "authorization.view.enabled"

// properties returns the settings, and the properties that clients expect among them.
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

// forAdministrators refuses callers who do not manage the system.
func forAdministrators(handle func(*call.Call) error) func(*call.Call) error {
	return func(c *call.Call) error {
		if ctx := c.Request.Context(); !permission.Holds(ctx, call.ManageSystem) {
			return catalog.Errorf(catalog.Forbidden, "%s is not authorized for system operations: the settings of the server need %s", requestinfo.CallerOf(ctx).Actor, call.ManageSystem)
		}
		return handle(c)
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

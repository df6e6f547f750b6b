// Package forms knows the settings of the usual kinds of ingestion sources, as DataHub's Python client has
// them, so that a page can make forms of them and a recipe can be checked before it runs.
//
// settings.json is made by client/settings.py from an installed client ("make ingestion-forms"). It has names,
// kinds and defaults, and no prose.
package forms

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Kind is the kind of the values of a setting.
type Kind string

// The kinds.
const (
	Text    Kind = "text"
	Secret  Kind = "secret"
	Boolean Kind = "boolean"
	Integer Kind = "integer"
	Number  Kind = "number"
	// Choice is one of a few texts.
	Choice Kind = "choice"
	// Moment is a text such as 2026-01-31T12:00:00Z.
	Moment Kind = "moment"
	// Texts is a list of texts.
	Texts Kind = "texts"
	// Pattern is an object with the regular expressions allow and deny.
	Pattern Kind = "pattern"
	// List and Object are written as YAML or JSON.
	List   Kind = "list"
	Object Kind = "object"
)

// Setting is a setting of a source.
type Setting struct {
	// Path is the names of the objects around the setting and its own name, joined by dots: profiling.enabled.
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	// Required tells that no recipe works without the setting.
	Required bool `json:"required,omitempty"`
	// Loose tells that values of other kinds are accepted too.
	Loose bool `json:"loose,omitempty"`
	// Default is the scalar that counts if the setting is left out, or nil.
	Default any `json:"default,omitempty"`
	// Choices are the values of a Choice.
	Choices []string `json:"choices,omitempty"`
	// Basic tells that most recipes have the setting.
	Basic bool `json:"-"`
}

// Form has the settings of one kind of source: first the basic settings in the order in which people fill them
// in, then the others in the order of their paths.
type Form struct {
	// Type is the type of the source in recipes, such as unity-catalog; Title is the name of the product.
	Type     string    `json:"type"`
	Title    string    `json:"title"`
	Settings []Setting `json:"settings"`
	// groups are the paths of the objects around settings.
	groups map[string]bool
	byPath map[string]*Setting
}

//go:embed settings.json
var settings []byte

// own are the forms of the sources that this program alone reads.
//
//go:embed own.json
var own []byte

type client struct {
	// Client is the version of the client that the settings were read from.
	Client string  `json:"client"`
	Forms  []*Form `json:"forms"`
	// native are the types that package connectors or a command of this program reads.
	native map[string]bool
}

// read reads the embedded settings once, when they are first needed.
var read = sync.OnceValue(func() *client {
	var c client
	if err := json.Unmarshal(settings, &c); err != nil {
		panic("the embedded settings of sources: " + err.Error())
	}
	var ours []*Form
	if err := json.Unmarshal(own, &ours); err != nil {
		panic("the embedded settings of this program's own sources: " + err.Error())
	}
	c.native = setOf("dbt", "mariadb", "mysql", "postgres")
	for _, form := range ours {
		c.native[form.Type] = true
	}
	c.Forms = append(c.Forms, ours...)
	for _, form := range c.Forms {
		form.groups, form.byPath = map[string]bool{}, map[string]*Setting{}
		for i := range form.Settings {
			setting := &form.Settings[i]
			setting.Basic = setting.Required || slices.Contains(basic, setting.Path)
			for around := setting.Path; ; {
				dot := strings.LastIndexByte(around, '.')
				if dot < 0 {
					break
				}
				around = around[:dot]
				form.groups[around] = true
			}
		}
		slices.SortStableFunc(form.Settings, func(a, b Setting) int { return cmp.Compare(rank(&a), rank(&b)) })
		for i := range form.Settings {
			form.byPath[form.Settings[i].Path] = &form.Settings[i]
		}
	}
	return &c
})

// rank is the place of a setting in its form: first the basic settings, then the others.
func rank(s *Setting) int {
	switch at := slices.Index(basic, s.Path); {
	case at >= 0:
		return at
	case s.Required:
		return len(basic)
	}
	return len(basic) + 1
}

// basic are the settings that most people fill in, in the order in which they do.
var basic = []string{
	"platform", "connect_uri", "host_port", "host", "account_id", "workspace_url", "base_url", "base_path", "connection.bootstrap", "connection.schema_registry_url",
	"workspace", "project_id", "project_ids", "manifest_path", "catalog_path", "target_platform", "filename", "path", "dialect", "server", "path_specs", "okta_domain", "tenant_id", "authority", "token_url",
	"catalog", "database", "service_name", "warehouse", "warehouse_id", "role", "username", "password", "client_id", "client_secret", "token", "token_name", "token_value", "okta_api_token",
	"credential.project_id", "credential.client_email", "credential.private_key_id", "credential.private_key",
	"platform_instance", "env", "schema_pattern", "table_pattern", "topic_patterns", "profiling.enabled", "stateful_ingestion.enabled",
}

// IsNative tells whether the server reads sources of a type itself, without the Python client.
func IsNative(sourceType string) bool { return read().native[sourceType] }

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// Client is the version of the client whose settings the forms have.
func Client() string { return read().Client }

// All returns the forms, in the order in which people are offered them. Callers must not change them.
func All() []*Form { return read().Forms }

// Of returns the form of a type of sources, or nil if the type has no form.
func Of(sourceType string) *Form {
	all := read().Forms
	if i := slices.IndexFunc(all, func(f *Form) bool { return f.Type == sourceType }); i >= 0 {
		return all[i]
	}
	return nil
}

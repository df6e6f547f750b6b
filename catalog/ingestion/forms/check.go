package forms

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/python"
)

// Problem is a fault of a recipe.
type Problem struct {
	// Path is the place in the recipe, such as source.config.host_port, "" for the whole.
	Path string
	// Message describes the fault.
	Message string
	// Warning tells that a run may work nevertheless.
	Warning bool
}

// members are the members of a recipe.
var members = setOf("source", "sink", "transformers", "pipeline_name", "run_id", "datahub_api", "reporting", "failure_log", "flags", "extensions")

// Check returns the faults of a recipe, JSON, in the order of its paths, up to [limits.MaxRecipeProblems]. Of
// a type without a form, Check sees only the settings that all recipes have in common.
func Check(recipe string) []Problem {
	c := checker{}
	var tree map[string]any
	decoder := json.NewDecoder(strings.NewReader(recipe))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil || tree == nil {
		return []Problem{{Message: "A recipe is an object with the member source."}}
	}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if !members[name] && !c.full() {
			c.add(name, "A recipe has no member "+name+nearest.Question(nearest.Names(name, maps.Keys(members)))+".", false)
		}
	}
	c.source(tree["source"])
	return c.found
}

type checker struct {
	form  *Form
	found []Problem
}

// full tells that no further fault is told.
func (c *checker) full() bool { return len(c.found) >= limits.MaxRecipeProblems }

func (c *checker) add(path, message string, warning bool) {
	if c.full() {
		return
	}
	c.found = append(c.found, Problem{path, message, warning})
}

func (c *checker) source(given any) {
	source, ok := given.(map[string]any)
	if !ok {
		c.add("source", "The recipe needs a source, an object with type and config.", false)
		return
	}
	sourceType, ok := source["type"].(string)
	if !ok || sourceType == "" {
		c.add("source.type", "The source needs a type, such as postgres.", false)
		return
	}
	config, ok := source["config"].(map[string]any)
	if source["config"] != nil && !ok {
		c.add("source.config", "The config of a source is an object.", false)
		return
	}
	if c.form = Of(sourceType); c.form == nil {
		names := func(yield func(string) bool) {
			for _, form := range All() {
				if !yield(form.Type) {
					return
				}
			}
		}
		if near := nearest.Names(sourceType, names); len(near) > 0 {
			c.add("source.type", "The type "+sourceType+" is not among the usual ones"+nearest.Question(near)+".", true)
		}
		return
	}
	c.object("", config)
	for i := range c.form.Settings {
		setting := &c.form.Settings[i]
		if setting.Required && config[setting.Path] == nil {
			c.add(placeOf(setting.Path), setting.Path+" is required.", false)
		}
	}
	slices.SortStableFunc(c.found, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
}

func placeOf(path string) string { return "source.config." + path }

// object checks the members of an object of the config.
func (c *checker) object(path string, object map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if c.full() {
			return
		}
		inner, value := name, object[name]
		if path != "" {
			inner = path + "." + name
		}
		switch setting := c.form.byPath[inner]; {
		case setting != nil:
			c.value(setting, value)
		case c.form.groups[inner]:
			if below, ok := value.(map[string]any); ok {
				c.object(inner, below)
			} else if value != nil {
				c.add(placeOf(inner), inner+" is an object.", false)
			}
		default:
			c.unknown(inner)
		}
	}
}

// unknown warns of a setting that the form does not have: the client accepts some former names.
func (c *checker) unknown(path string) {
	c.add(placeOf(path), "The source "+c.form.Type+" of the client "+Client()+" has no setting "+path+nearest.Question(nearest.Names(path, maps.Keys(c.form.byPath)))+".", true)
}

func (c *checker) value(setting *Setting, value any) {
	place := placeOf(setting.Path)
	if text, ok := value.(string); ok && setting.Kind == Secret && text != "" && !refers(text) {
		c.add(place, setting.Path+" is in the recipe for everybody who may read it. Store it as a secret, and write ${NAME}.", true)
		return
	}
	if value == nil || setting.Loose {
		return
	}
	if text, ok := value.(string); ok && refers(text) {
		return
	}
	if wrong := setting.wrong(value); wrong != "" {
		c.add(place, setting.Path+" "+wrong+".", false)
	}
}

// reference matches a place of a text that stands for the value of a secret.
var reference = regexp.MustCompile(`\$\{?\w`)

func refers(text string) bool { return reference.MatchString(text) }

// wrong says why a value is not of the setting's kind, or returns "". The client reads numbers and truth
// values from texts too.
func (s *Setting) wrong(value any) string {
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	if isNumber {
		text = number.String()
	}
	switch s.Kind {
	case Text, Secret:
		if !isText && !isNumber {
			return "is a text"
		}
	case Boolean:
		_, isBool := value.(bool)
		if _, known := python.Truth(text); !isBool && !known {
			return "is true or false"
		}
	case Integer:
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return "is a whole number"
		}
	case Number:
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			return "is a number"
		}
	case Choice:
		if !slices.ContainsFunc(s.Choices, func(choice string) bool { return strings.EqualFold(choice, text) }) {
			return "is one of " + strings.Join(s.Choices, ", ")
		}
	case Moment:
		if _, err := time.Parse(time.RFC3339, text); err != nil && !day.MatchString(text) {
			return "is a moment such as 2026-01-31T12:00:00Z"
		}
	case Texts:
		return wrongTexts(value)
	case Pattern:
		return wrongPattern(value)
	case List:
		if _, ok := value.([]any); !ok {
			return "is a list"
		}
	case Object:
	}
	return ""
}

// day matches the beginning of the forms of moments that the client reads.
var day = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)

func wrongTexts(value any) string {
	list, ok := value.([]any)
	if !ok || slices.ContainsFunc(list, func(one any) bool { _, isText := one.(string); return !isText }) {
		return "is a list of texts"
	}
	return ""
}

// wrongPattern says why a value is not a pattern. The client's expressions are Python's, which this server
// does not compile.
func wrongPattern(value any) string {
	pattern, ok := value.(map[string]any)
	if !ok {
		return "is an object with allow and deny, which are lists of regular expressions"
	}
	for _, name := range slices.Sorted(maps.Keys(pattern)) {
		switch name {
		case "allow", "deny":
			if wrongTexts(pattern[name]) != "" {
				return "has a list of regular expressions in " + name
			}
		case "ignoreCase":
			if _, ok := pattern[name].(bool); !ok {
				return "has true or false in ignoreCase"
			}
		default:
			return "has the members allow, deny and ignoreCase, not " + name
		}
	}
	return ""
}

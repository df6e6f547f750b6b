// Package run runs recipes whose sources are read without Python: it reads a recipe, finds its connector, and adds
// the parts that all sources have in common. The command line and executors use it.
package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/variables"
)

// Recipe is a recipe as the Python client reads it. Its sink is not used: who runs it says where to write.
type Recipe struct {
	Source struct {
		Type   string         `yaml:"type"`
		Config map[string]any `yaml:"config"`
	} `yaml:"source"`
	// Pipeline names the state of the source.
	Pipeline string `yaml:"pipeline_name"`
	RunID    string `yaml:"run_id"`
	// Sink, and other sections that a recipe may have and that change nothing here.
	Sink      any `yaml:"sink"`
	Server    any `yaml:"datahub_api"`
	Reporting any `yaml:"reporting"`
	Flags     any `yaml:"flags"`
	// Transformers change proposals; only the Python client has them.
	Transformers []any `yaml:"transformers"`
}

// ReadRecipe reads a recipe in YAML or JSON. Names of variables such as ${PASSWORD} are replaced by the results of
// variable, also inside texts; ${NAME:-text} has a value for an absent one. An error never has the value of a variable.
func ReadRecipe(from io.Reader, variable func(name string) (string, bool)) (*Recipe, error) {
	text, err := io.ReadAll(io.LimitReader(from, limits.IngestionRecipe+1))
	if err != nil {
		return nil, err
	}
	if len(text) > limits.IngestionRecipe {
		return nil, fmt.Errorf("the recipe is larger than %d bytes", limits.IngestionRecipe)
	}
	r := &Recipe{}
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("the recipe: %w", unquoted(err))
	}
	if r.Source.Type == "" {
		return nil, errors.New("the recipe lacks source.type, such as postgres")
	}
	if len(r.Transformers) > 0 {
		return nil, errors.New("the recipe has transformers, which need the Python client")
	}
	e := &expansion{variable: variable}
	config, _ := e.value("source.config", r.Source.Config).(map[string]any)
	r.Source.Config = config
	r.Pipeline, r.RunID = e.text("pipeline_name", r.Pipeline), e.text("run_id", r.RunID)
	return r, errors.Join(e.errors...)
}

// unquoted removes the values that YAML's errors repeat: one may be a password.
func unquoted(err error) error {
	var types *yaml.TypeError
	if !errors.As(err, &types) {
		return err
	}
	var list []error
	for _, text := range types.Errors {
		list = append(list, errors.New(valueInError.ReplaceAllString(text, "a value")))
	}
	return errors.Join(list...)
}

var valueInError = regexp.MustCompile("`[^`]*`")

// OSVariable returns a variable of the environment.
func OSVariable(name string) (string, bool) { return os.LookupEnv(name) }

// expansion replaces the names of variables.
type expansion struct {
	variable func(string) (string, bool)
	errors   []error
}

func (e *expansion) value(path string, v any) any {
	switch v := v.(type) {
	case string:
		return e.text(path, v)
	case map[string]any:
		made := make(map[string]any, len(v))
		for name, one := range v {
			made[name] = e.value(path+"."+name, one)
		}
		return made
	case []any:
		made := slices.Clone(v)
		for i := range made {
			made[i] = e.value(fmt.Sprintf("%s[%d]", path, i), made[i])
		}
		return made
	}
	return v
}

func (e *expansion) text(path, text string) string {
	if !strings.HasPrefix(text, "$") && len(variables.Braced(text)) == 0 {
		return text // the client too takes a $ inside of a text as it is, as in {{ $match }}
	}
	expanded, absent := variables.Expand(text, e.variable)
	for _, name := range absent {
		e.errors = append(e.errors, fmt.Errorf("%s: the environment lacks the variable %s", path, name))
	}
	return expanded
}

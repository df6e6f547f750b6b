// Package settings reads the settings of a source from its recipe: each by its name and type, so that an error has the
// path of the setting, and so that the settings that nobody read are known.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/python"
)

// Reader reads the settings of one section of a recipe. A value that is null counts as absent. Numbers and truth values
// may be texts, because the value of a variable of the environment is one.
type Reader struct {
	path   string
	values map[string]any
	read   map[string]bool
	all    *all
}

// all is the state that the readers of a recipe share.
type all struct {
	errors  []error
	foreign []string
	// reasons say why only the client can follow a setting, by path.
	reasons map[string]string
	readers []*Reader
	secrets []string
}

// New returns a reader of a source's settings.
func New(values map[string]any) *Reader {
	return (&all{}).reader("", values)
}

func (a *all) reader(path string, values map[string]any) *Reader {
	r := &Reader{path: path, values: values, read: map[string]bool{}, all: a}
	a.readers = append(a.readers, r)
	return r
}

// Path returns the path of a setting, such as profiling.enabled.
func (r *Reader) Path(name string) string { return strings.TrimPrefix(r.path+"."+name, ".") }

func (r *Reader) value(name string) any {
	r.read[name] = true
	return r.values[name]
}

// Fail says that a setting is wrong. reason must not contain the value of a secret.
func (r *Reader) Fail(name, reason string) {
	r.all.errors = append(r.all.errors, fmt.Errorf("%s %s", r.Path(name), reason))
}

// Foreign says that a setting has a value with which the source is one for the Python client.
func (r *Reader) Foreign(name string) { r.all.foreign = append(r.all.foreign, r.Path(name)) }

// Refuse says that a setting has a value with which the source is one for the Python client, and why.
func (r *Reader) Refuse(name, reason string) {
	r.Foreign(name)
	if r.all.reasons == nil {
		r.all.reasons = map[string]string{}
	}
	r.all.reasons[r.Path(name)] = reason
}

// Names returns the names of the settings that are there, sorted.
func (r *Reader) Names() []string { return slices.Sorted(maps.Keys(r.values)) }

// JSON returns a setting of any form as JSON, nil if it is absent.
func (r *Reader) JSON(name string) json.RawMessage {
	v := r.value(name)
	if v == nil {
		return nil
	}
	text, err := jsontree.Encode(v)
	if err != nil {
		r.Fail(name, "must be a text, a number, true or false, or a list of those")
		return nil
	}
	return text
}

// Has reports whether a setting is there.
func (r *Reader) Has(name string) bool { return r.value(name) != nil }

// Text returns a text.
func (r *Reader) Text(name, fallback string) string {
	switch v := r.value(name).(type) {
	case nil:
		return fallback
	case string:
		return v
	case int, int64, float64:
		return fmt.Sprint(v) // YAML reads a name such as 2024 as a number
	default:
		r.Fail(name, "must be a text")
		return fallback
	}
}

// Secret returns a text that errors must not show.
func (r *Reader) Secret(name string) string {
	text := r.Text(name, "")
	r.Hide(text)
	return text
}

// Hide notes a text that errors must not show.
func (r *Reader) Hide(secret string) {
	if secret != "" {
		r.all.secrets = append(r.all.secrets, secret)
	}
}

// Bool returns a truth value.
func (r *Reader) Bool(name string, fallback bool) bool {
	switch v := r.value(name).(type) {
	case nil:
		return fallback
	case bool:
		return v
	case string:
		if truth, known := python.Truth(v); known {
			return truth
		}
	}
	r.Fail(name, "must be true or false")
	return fallback
}

// Whole returns a whole number from least to most.
func (r *Reader) Whole(name string, fallback, least, most int64) int64 {
	n := r.Number(name, float64(fallback), float64(least), float64(most))
	if n != math.Trunc(n) {
		r.Fail(name, "must be a whole number")
		return fallback
	}
	return int64(n)
}

// Number returns a number from least to most.
func (r *Reader) Number(name string, fallback, least, most float64) float64 {
	var n float64
	switch v := r.value(name).(type) {
	case nil:
		return fallback
	case int:
		n = float64(v)
	case int64:
		n = float64(v)
	case uint64:
		n = float64(v)
	case float64:
		n = v
	case string:
		parsed, err := strconv.ParseFloat(v, 64)
		if err != nil {
			r.Fail(name, "must be a number")
			return fallback
		}
		n = parsed
	default:
		r.Fail(name, "must be a number")
		return fallback
	}
	if !(n >= least && n <= most) {
		r.Fail(name, fmt.Sprintf("must be from %s to %s", short(least), short(most)))
		return fallback
	}
	return n
}

func short(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Texts returns a list of at most `most` texts.
func (r *Reader) Texts(name string, most int) []string {
	v := r.value(name)
	if v == nil {
		return nil
	}
	items, ok := v.([]any)
	if !ok {
		r.Fail(name, "must be a list of texts")
		return nil
	}
	if len(items) > most {
		r.Fail(name, fmt.Sprintf("has %d entries, more than %d", len(items), most))
		return nil
	}
	texts := make([]string, 0, len(items))
	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			r.Fail(fmt.Sprintf("%s[%d]", name, i), "must be a text")
			continue
		}
		texts = append(texts, text)
	}
	return texts
}

// Section returns the reader of a section, which is empty if it is absent.
func (r *Reader) Section(name string) *Reader {
	values := map[string]any{}
	switch v := r.value(name).(type) {
	case nil:
	case map[string]any:
		values = v
	default:
		r.Fail(name, "must be a section with settings of its own")
	}
	return r.all.reader(r.Path(name), values)
}

// OneOf returns a text that is one of some, in any letter case.
func (r *Reader) OneOf(name, fallback string, some ...string) string {
	text := r.Text(name, fallback)
	for _, one := range some {
		if strings.EqualFold(text, one) {
			return one
		}
	}
	r.Fail(name, "must be one of "+strings.Join(some, ", "))
	return fallback
}

// WithoutEffect names settings that are known and change nothing here.
func (r *Reader) WithoutEffect(names ...string) {
	for _, name := range names {
		r.read[name] = true
	}
}

// OnlyFalse names settings that are known as long as they are false, empty or absent.
func (r *Reader) OnlyFalse(names ...string) {
	for _, name := range names {
		switch v := r.value(name).(type) {
		case nil:
		case bool:
			if v {
				r.Foreign(name)
			}
		case map[string]any:
			if len(v) > 0 && v["enabled"] != false {
				r.Foreign(name)
			}
		default:
			r.Foreign(name)
		}
	}
}

// Unknown returns the paths of the settings that nobody read, and of the settings for the Python client, sorted.
func (r *Reader) Unknown() []string {
	paths := slices.Clone(r.all.foreign)
	for _, reader := range r.all.readers {
		for name := range reader.values {
			if !reader.read[name] {
				paths = append(paths, reader.Path(name))
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Err returns the faults of the settings as one error, or nil. An unknown setting is a fault, and the error names the nearest known
// one.
func (r *Reader) Err() error {
	list := slices.Clone(r.all.errors)
	for _, path := range r.Unknown() {
		list = append(list, r.unknown(path))
	}
	return errors.Join(list...)
}

func (r *Reader) unknown(path string) error {
	if slices.Contains(r.all.foreign, path) {
		if reason := r.all.reasons[path]; reason != "" {
			return fmt.Errorf("%s has a value that only the Python client can follow: %s", path, reason)
		}
		return fmt.Errorf("%s has a value that only the Python client can follow", path)
	}
	for _, reader := range r.all.readers {
		name := strings.TrimPrefix(strings.TrimPrefix(path, reader.path), ".")
		if _, has := reader.values[name]; !has || reader.Path(name) != path || reader.read[name] {
			continue
		}
		if near := nearest.Names(name, maps.Keys(reader.read)); len(near) > 0 {
			return fmt.Errorf("%s is not a setting; did you mean %s?", path, reader.Path(near[0]))
		}
	}
	return fmt.Errorf("%s is not a setting that can be read without the Python client", path)
}

// Without returns an error whose text has no secret of the recipe. The chain of the error ends here, because the errors
// of drivers may have secrets in their members.
func (r *Reader) Without(err error) error {
	if err == nil {
		return nil
	}
	return &hidden{text: r.Hidden(err.Error()), is: err}
}

// Hidden returns a text without the secrets of the recipe.
func (r *Reader) Hidden(text string) string {
	for _, secret := range r.all.secrets {
		text = strings.ReplaceAll(text, secret, "********")
	}
	return text
}

type hidden struct {
	text string
	is   error
}

func (h *hidden) Error() string { return h.text }

// Is reports whether the error was another one: the error itself cannot be unwrapped.
func (h *hidden) Is(other error) bool { return errors.Is(h.is, other) }

package config

import (
	"reflect"
	"slices"
)

// Differences returns the names of the settings in which a and b differ, sorted.
func Differences(a, b *Server) []string {
	var names []string
	eachSetting(a, b, func(name string, ofA, ofB reflect.Value) {
		if !reflect.DeepEqual(ofA.Interface(), ofB.Interface()) {
			names = append(names, name)
		}
	})
	slices.Sort(names)
	return names
}

// With returns a copy of s in which the named settings have other's values.
func (s *Server) With(other *Server, names ...string) *Server {
	changed := *s
	eachSetting(&changed, other, func(name string, to, from reflect.Value) {
		if slices.Contains(names, name) {
			to.Set(from)
		}
	})
	return &changed
}

func eachSetting(a, b *Server, do func(name string, ofA, ofB reflect.Value)) {
	ofA, ofB := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range ofA.NumField() {
		if name := ofA.Type().Field(i).Tag.Get("koanf"); name != "-" {
			do(name, ofA.Field(i), ofB.Field(i))
		}
	}
}

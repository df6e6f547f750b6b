package config

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
)

// Shown is a setting in the form that everybody may read.
type Shown struct {
	Name, Value string
	// Secret: the value must not be shown.
	Secret bool
}

// Shown returns the settings, sorted by name. Addresses are without passwords.
func (s *Server) Shown() []Shown {
	var all []Shown
	eachSetting(s, s, func(name string, value, _ reflect.Value) {
		one := Shown{Name: name, Value: fmt.Sprint(value.Interface())}
		switch name {
		case "graph":
			one.Value = s.GraphRedacted()
		case "search":
			one.Value = s.SearchRedacted()
		case "otlp-endpoint":
			if u, err := url.Parse(one.Value); err == nil {
				one.Value = u.Redacted()
			}
		case "kafka-password", "secrets-key", "source-token":
			one.Secret = true
		}
		if list, ok := value.Interface().([]string); ok {
			one.Value = strings.Join(list, ",")
		}
		all = append(all, one)
	})
	return all
}

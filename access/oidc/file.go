package oidc

import (
	"fmt"
	"os"
	"strings"

	"github.com/headwater-io/headwater/internal/strictyaml"
)

// ReadFile reads the settings of providers from a YAML or JSON file.
func ReadFile(path string, getenv func(string) string) (Settings, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Settings{}, fmt.Errorf("settings of identity providers: %w", err)
	}
	s, err := parse(text, getenv)
	if err != nil {
		return Settings{}, fmt.Errorf("settings of identity providers in %s: %w", path, err)
	}
	return s, nil
}

func parse(text []byte, getenv func(string) string) (Settings, error) {
	var s Settings
	if err := strictyaml.Decode(text, &s); err != nil {
		return Settings{}, withoutValues(err)
	}
	if len(s.Providers) == 0 {
		return Settings{}, fmt.Errorf("the list providers is missing or empty")
	}
	return s, s.complete(getenv)
}

// withoutValues removes the values that the parser quotes in its errors: a value may be a secret.
func withoutValues(err error) error {
	text := err.Error()
	for {
		from := strings.IndexByte(text, '`')
		if from < 0 {
			return fmt.Errorf("%s", text)
		}
		length := strings.IndexByte(text[from+1:], '`')
		if length < 0 {
			return fmt.Errorf("%s…", text[:from])
		}
		text = text[:from] + "(value)" + text[from+length+2:]
	}
}

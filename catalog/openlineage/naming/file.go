package naming

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/strictyaml"
)

// ReadFile reads settings from a YAML or JSON file. Its members are those of [Settings], in camel case.
func ReadFile(path string) (Settings, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Settings{}, fmt.Errorf("names of OpenLineage: %w", err)
	}
	s, err := parseSettings(text)
	if err != nil {
		return Settings{}, fmt.Errorf("names of OpenLineage in %s: %w", path, err)
	}
	return s, nil
}

func parseSettings(text []byte) (Settings, error) {
	if len(text) > limits.OpenLineageNamesBytes {
		return Settings{}, fmt.Errorf("the file may have %d bytes", limits.OpenLineageNamesBytes)
	}
	var s Settings
	if err := strictyaml.Decode(text, &s); err != nil {
		return Settings{}, err
	}
	return s, s.check()
}

// partsOfURNs are the characters that are special in URNs, so that a part of a name may not have them.
const partsOfURNs = ",()␟\x00"

// check refuses settings from which no URN can be made, and patterns that name no folder.
func (s *Settings) check() error {
	faults := []error{checkPart("env", s.Env), checkPart("orchestrator", s.Orchestrator)}
	for key, n := range s.Namespaces {
		at := "namespaces." + key
		if strings.Contains(strings.TrimSuffix(key, "*"), "*") {
			faults = append(faults, fmt.Errorf("%s: an asterisk stands for any text at the end of a namespace only", at))
		}
		if n.StripDatabase && n.KeepDatabase {
			faults = append(faults, fmt.Errorf("%s: stripDatabase and keepDatabase contradict each other", at))
		}
		faults = append(faults, checkPart(at+".instance", n.Instance), checkPart(at+".env", n.Env), checkPart(at+".cluster", n.Cluster))
	}
	for i, pattern := range s.Tables {
		if !strings.Contains(pattern, "{table}") {
			faults = append(faults, fmt.Errorf("tables[%d]: the pattern %q does not have the folder {table}", i, pattern))
		}
	}
	return errors.Join(faults...)
}

func checkPart(name, value string) error {
	if at := strings.IndexAny(value, partsOfURNs); at >= 0 {
		return fmt.Errorf("%s: %q has a character that is special in URNs: one of , ( ) ␟", name, value)
	}
	return nil
}

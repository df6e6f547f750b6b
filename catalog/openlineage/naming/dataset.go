package naming

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// DatasetURN is the URN of a dataset. It is the zero URN if the dataset is only in memory (Passing). A dataset
// without a name has an error around ErrNoName; every other dataset has a URN.
func (s *Settings) DatasetURN(d Dataset) (model.URN, error) {
	if s.Passing(d) {
		return model.URN{}, nil
	}
	return s.urnWith(d, func(name string) string { return name })
}

// urnWith is the URN of a dataset whose name a function spells.
func (s *Settings) urnWith(d Dataset, spell func(name string) string) (model.URN, error) {
	framework, namespace := frameworkOf(d.Namespace)
	special := s.namespace(namespace)
	name := spell(s.name(framework, Dataset{namespace, d.Name}, special))
	if name == "" {
		return model.URN{}, fmt.Errorf("the dataset %.200q of the namespace %.200q has no URN: %w", d.Name, d.Namespace, ErrNoName)
	}
	if special.Instance != "" {
		name = special.Instance + "." + name
	}
	platform := "urn:" + urnNamespace + ":" + model.EntityDataPlatform + ":" + fit(s.Platform(d.Namespace), maxPlatformBytes)
	return build(model.EntityDataset, maxURNBytes, 1, platform, name, fit(s.env(special), maxClusterBytes))
}

// name is the name of the entity of a dataset, without the platform instance.
func (s *Settings) name(framework string, d Dataset, special Namespace) string {
	at := parse(d.Namespace)
	known := storeOf[at.scheme]
	if framework != "" {
		known = storeOf[hive]
	}
	name := d.Name
	if special.AnyCase && known != nil && known.kind == tables {
		name = strings.ToLower(name)
	}
	if known != nil {
		if known.kind == storage {
			name = s.tableFolder(known, at, name)
		}
		if clean := known.name(at, name, special); clean != "" || known.kind == storage {
			name = clean
		}
		if known.kind == tables && special.StripDatabase {
			if _, rest, ok := strings.Cut(name, "."); ok && rest != "" {
				name = rest
			}
		}
	}
	if special.Lowercase {
		name = strings.ToLower(name)
	}
	return name
}

// Spellings are the URNs of names that differ from the name of a table in letter case only: each of its last three
// parts as it was sent, in lower case and in upper case. There are none unless the settings of the namespace say
// anyCase. The URN of the dataset itself is not among them.
func (s *Settings) Spellings(d Dataset) ([]model.URN, error) {
	framework, namespace := frameworkOf(d.Namespace)
	special := s.namespace(namespace)
	known := storeOf[parse(namespace).scheme]
	if !special.AnyCase || framework != "" || known == nil || known.kind != tables {
		return nil, nil
	}
	own, err := s.DatasetURN(d)
	if err != nil {
		return nil, err
	}
	special.AnyCase, special.Lowercase = false, false
	var urns []model.URN
	for _, spelling := range spellingsOf(s.name(framework, Dataset{namespace, d.Name}, special)) {
		urn, err := s.urnWith(d, func(string) string { return spelling })
		if err != nil {
			return nil, err
		}
		if urn != own && !slices.Contains(urns, urn) {
			urns = append(urns, urn)
		}
	}
	return urns, nil
}

// spelledParts is how many of the last parts of a name are spelled in several ways.
const spelledParts = 3

func spellingsOf(name string) []string {
	parts := strings.Split(name, ".")
	from := max(len(parts)-spelledParts, 0)
	spellings := []string{strings.Join(parts[:from], ".")}
	for i, part := range parts[from:] {
		var longer []string
		for _, before := range spellings {
			for _, spelled := range []string{part, strings.ToLower(part), strings.ToUpper(part)} {
				if i > 0 || from > 0 {
					spelled = before + "." + spelled
				}
				longer = append(longer, spelled)
			}
		}
		slices.Sort(longer)
		spellings = slices.Compact(longer)
	}
	return spellings
}

// tableMark is the folder of a pattern that is a table.
const tableMark = "{table}"

// tableFolder cuts a path behind the folder that is a table.
func (s *Settings) tableFolder(known *store, at address, name string) string {
	folders := strings.Split(name, "/")
	for _, pattern := range s.Tables {
		if n, ok := fits(pattern, known, at, folders); ok {
			return strings.Join(folders[:n], "/")
		}
	}
	if s.Partition == nil {
		return name
	}
	for i, folder := range folders {
		if folder == "" || strings.Join(folders[:i], "") == "" {
			continue
		}
		if found := s.Partition.FindStringIndex(folder); found != nil && found[0] == 0 && found[1] == len(folder) {
			return strings.Join(folders[:i], "/")
		}
	}
	return name
}

// fits reports how many of the folders of a path belong to a table by a pattern.
func fits(pattern string, known *store, at address, folders []string) (n int, ok bool) {
	want := parse(pattern)
	if storeOf[want.scheme] != known {
		return 0, false
	}
	if match, err := path.Match(want.authority, at.authority); err != nil || !match {
		return 0, false
	}
	rest := steps(want.path)
	base := steps(at.path)
	for i := range len(base) + len(folders) {
		var folder string
		if i < len(base) {
			folder = base[i]
		} else if folder = folders[i-len(base)]; folder == "" {
			continue
		}
		if len(rest) == 0 {
			return 0, false
		}
		if rest[0] == tableMark {
			return i - len(base) + 1, i >= len(base)
		}
		if match, err := path.Match(rest[0], folder); err != nil || !match {
			return 0, false
		}
		rest = rest[1:]
	}
	return 0, false
}

// steps are the folders of a path that have a name.
func steps(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '/' })
}

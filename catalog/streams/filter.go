package streams

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
)

// Format is the form in which a follower receives a change.
type Format string

// These are the formats.
const (
	// FormatChange: the change itself, with both values.
	FormatChange Format = "change"
	// FormatEntityChange: the entity change events that are derived from the change. The service
	// must have a [Derived].
	FormatEntityChange Format = "entityChangeEvent"
	// FormatFeed: the items of the change in the feeds of the filter's actors. The service must
	// have [Feeds].
	FormatFeed Format = "feed"
)

// Filter tells which changes a follower wants, and in which format. An empty list lets all
// changes pass. A change must match at least one item of each list that is not empty.
type Filter struct {
	// An empty Format means FormatChange.
	Format Format `json:"format,omitempty"`
	// Actors are the users and groups whose feeds are sent: at least one for FormatFeed, none for
	// other formats.
	Actors []string `json:"actors,omitempty"`
	// Kinds are UPSERT, RESTATE and DELETE or, for derived events and feeds, categories.
	Kinds       []string `json:"kinds,omitempty"`
	EntityTypes []string `json:"entityTypes,omitempty"`
	Aspects     []string `json:"aspects,omitempty"`
	// URNs are URNs of entities or, with * at the end, beginnings of URNs.
	URNs []string `json:"urns,omitempty"`
}

// Selection is a filter with checked names. Selection is immutable, so callers may use it
// concurrently.
type Selection struct {
	filter      Filter
	service     *Service
	kinds       map[string]bool
	entityTypes map[string]bool
	aspects     map[string]bool
	urns        map[string]bool
	beginnings  []string
	// series, if not nil, selects only changes of time series (true) or only changes of other
	// aspects (false). Changes before since, epoch milliseconds, are not selected.
	series *bool
	since  int64
}

// Filter returns the filter with names and URNs in the spelling of the graph.
func (s *Selection) Filter() Filter { return s.filter }

// Select checks a filter. An error is [catalog.Invalid], and suggests the names nearest to
// unknown names.
func (s *Service) Select(f Filter) (*Selection, error) {
	x := &Selection{service: s}
	var err error
	if x.filter.Format, err = s.formatOf(f.Format); err != nil {
		return nil, err
	}
	kinds, what := changeKinds, "kind of change"
	if x.filter.Format != FormatChange {
		kinds, what = s.derived.Categories(), "category of entity change events"
	}
	if x.filter.Kinds, err = spelled(f.Kinds, kinds, what); err == nil {
		if x.filter.EntityTypes, err = spelled(f.EntityTypes, s.entityTypes, "entity type"); err == nil {
			x.filter.Aspects, err = spelled(f.Aspects, s.aspects, "aspect")
		}
	}
	if err != nil {
		return nil, err
	}
	if err := x.readURNs(f.URNs); err != nil {
		return nil, err
	}
	if err := x.readActors(f.Actors); err != nil {
		return nil, err
	}
	x.kinds, x.entityTypes, x.aspects = setOf(x.filter.Kinds), setOf(x.filter.EntityTypes), setOf(x.filter.Aspects)
	return x, nil
}

func (s *Service) formatOf(f Format) (Format, error) {
	known := []string{string(FormatChange)}
	if s.derived != nil {
		known = append(known, string(FormatEntityChange))
		if s.feeds != nil {
			known = append(known, string(FormatFeed))
		}
	}
	if f == "" {
		return FormatChange, nil
	}
	for _, name := range known {
		if strings.EqualFold(name, string(f)) {
			return Format(name), nil
		}
	}
	return "", catalog.Errorf(catalog.Invalid, "unknown format %s%s", f, nearest.Among(string(f), known, "formats"))
}

// spelled returns names in the spelling of the model, each once.
func spelled(given, known []string, what string) ([]string, error) {
	if len(given) > limits.MaxFilterNames {
		return nil, catalog.Errorf(catalog.Invalid, "a filter may name at most %d of one %s, not %d", limits.MaxFilterNames, what, len(given))
	}
	var names []string
	for _, name := range given {
		at := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
		if at < 0 {
			return nil, catalog.Errorf(catalog.Invalid, "unknown %s %s%s", what, name, nearest.Among(name, known, "known ones"))
		}
		if !slices.Contains(names, known[at]) {
			names = append(names, known[at])
		}
	}
	return names, nil
}

// readURNs parses the URNs, and the beginnings of URNs, of a filter.
func (s *Selection) readURNs(given []string) error {
	if len(given) > limits.MaxFilterNames {
		return catalog.Errorf(catalog.Invalid, "a filter may name at most %d URNs, not %d", limits.MaxFilterNames, len(given))
	}
	s.urns = map[string]bool{}
	for _, text := range given {
		text = strings.TrimSpace(text)
		if beginning, ok := strings.CutSuffix(text, "*"); ok {
			if !strings.HasPrefix(beginning, "urn:") || strings.Contains(beginning, "*") || len(beginning) > limits.MaxURNBytes {
				return catalog.Errorf(catalog.Invalid, "%s is not the beginning of a URN with * at its end, such as urn:li:dataset:(urn:li:dataPlatform:hive,*", text)
			}
			s.beginnings = append(s.beginnings, beginning)
			s.filter.URNs = append(s.filter.URNs, beginning+"*")
			continue
		}
		u, err := s.service.registry.ReadURN(text)
		if err != nil {
			return &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
		}
		if !s.urns[u.String()] {
			s.urns[u.String()] = true
			s.filter.URNs = append(s.filter.URNs, u.String())
		}
	}
	return nil
}

// readActors parses the actors of a filter for feeds.
func (s *Selection) readActors(given []string) error {
	if s.filter.Format != FormatFeed {
		if len(given) > 0 {
			return catalog.Errorf(catalog.Invalid, "actors are for the format %s", FormatFeed)
		}
		return nil
	}
	if len(given) == 0 || len(given) > limits.MaxFilterNames {
		return catalog.Errorf(catalog.Invalid, "a filter for the format %s names 1 to %d actors, not %d", FormatFeed, limits.MaxFilterNames, len(given))
	}
	for _, text := range given {
		u, err := s.service.registry.ReadURN(strings.TrimSpace(text))
		if err != nil {
			return &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
		}
		if err := feed.CheckActor(u); err != nil {
			return err
		}
		if !slices.Contains(s.filter.Actors, u.String()) {
			s.filter.Actors = append(s.filter.Actors, u.String())
		}
	}
	return nil
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// wants reports whether the filter selects the entity and the aspect of a change.
func (s *Selection) wants(c *catalog.Change) bool {
	if c.Time < s.since || s.series != nil && *s.series != s.service.isSeries(c.Aspect) {
		return false
	}
	if len(s.entityTypes) > 0 && !s.entityTypes[c.EntityType] || len(s.aspects) > 0 && !s.aspects[c.Aspect] {
		return false
	}
	if len(s.urns)+len(s.beginnings) == 0 || s.urns[c.URN] {
		return true
	}
	return slices.ContainsFunc(s.beginnings, func(b string) bool { return strings.HasPrefix(c.URN, b) })
}

// wantsKind reports whether the filter selects a kind or category.
func (s *Selection) wantsKind(kind string) bool { return len(s.kinds) == 0 || s.kinds[kind] }

package visible

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// nobody returns the URN that replaces the hidden actor of a stamp.
func nobody(urn string) string {
	namespace := model.StoredURN(urn).Namespace()
	if namespace == "" {
		return ""
	}
	return "urn:" + namespace + ":" + model.EntityCorpuser + ":unknown"
}

// named collects the URNs that a stored value names.
type named struct {
	urns []string
	seen map[string]bool
	// by is the view of the caller if URNs that cannot be hidden from the caller are left out, or nil.
	by *sight
}

// maybeHidden returns a collection that leaves out URNs that cannot be hidden.
func (s *sight) maybeHidden() named { return named{by: s} }

func (n *named) add(urns ...string) {
	for _, urn := range urns {
		if urn != "" && n.collects(urn) && !n.seen[urn] {
			if n.seen == nil {
				n.seen = map[string]bool{}
			}
			n.seen[urn] = true
			n.urns = append(n.urns, urn)
		}
	}
}

// collects reports whether the URNs in a text are not left out.
func (n *named) collects(text string) bool { return n.by == nil || n.by.mayHide(text) }

// addValue adds the URNs that are texts or keys in a JSON value.
func (n *named) addValue(value json.RawMessage) {
	if n.by == nil || n.by.mayHideIn(value) {
		eachURN(value, n.addNamed)
	}
}

// addNamed adds a text that is the URN of an entity. Platforms are left out: the URNs of the entities on a
// platform contain its name anyway.
func (n *named) addNamed(text string) {
	if !n.collects(text) {
		return
	}
	if entityType := typeOf(text); entityType != "" && entityType != model.EntityDataPlatform {
		n.add(text)
	}
}

var (
	urnBegins = []byte(`"urn:`)
	// escapeBegins begins the escapes that can stand for any character.
	escapeBegins = []byte(`\u`)
)

// eachURN calls found for each text in JSON that begins as a URN does. Values are stored as they were sent, so any
// character of a URN may be escaped.
func eachURN(value []byte, found func(urn string)) {
	if bytes.Contains(value, escapeBegins) {
		eachEscapedURN(value, found)
		return
	}
	for {
		at := bytes.Index(value, urnBegins)
		if at < 0 {
			return
		}
		value = value[at+1:]
		end, escaped := 0, false
		for end < len(value) && value[end] != '"' {
			if value[end] == '\\' {
				escaped = true
				end++
			}
			end++
		}
		if end >= len(value) {
			return
		}
		text := string(value[:end])
		if escaped {
			var plain string
			if json.Unmarshal([]byte(`"`+text+`"`), &plain) == nil {
				text = plain
			}
		}
		found(text)
		value = value[end+1:]
	}
}

// eachEscapedURN is eachURN for JSON in which the beginning of a URN may be escaped too.
func eachEscapedURN(value []byte, found func(urn string)) {
	for {
		at := bytes.IndexByte(value, '"')
		if at < 0 {
			return
		}
		end := at + 1
		for end < len(value) && value[end] != '"' {
			if value[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(value) {
			return
		}
		// Most texts begin with neither the first character of a URN nor its escape.
		if text := value[at+1 : end]; bytes.HasPrefix(text, []byte("u")) || bytes.HasPrefix(text, escapeBegins) {
			var plain string
			if json.Unmarshal(value[at:end+1], &plain) == nil && strings.HasPrefix(plain, "urn:") {
				found(plain)
			}
		}
		value = value[end+1:]
	}
}

// hiddenOf returns the collected URNs that the caller may not see, nil for none.
func (s *sight) hiddenOf(ctx context.Context, n *named) (map[string]bool, error) {
	sees, err := s.each(ctx, n.urns)
	if err != nil {
		return nil, err
	}
	var hidden map[string]bool
	for i, urn := range n.urns {
		if !sees[i] {
			if hidden == nil {
				hidden = map[string]bool{}
			}
			hidden[urn] = true
		}
	}
	return hidden, nil
}

// soft lists the members that an object can lose without losing its meaning.
var soft = map[string]bool{"typeUrn": true, "query": true, "source": true, "parentDomain": true, "parentNode": true}

// isActor reports whether a member names the actor of a stamp.
func isActor(name string) bool {
	return name == "actor" || strings.HasSuffix(name, "Actor") || name == "createdBy" || name == "impersonator"
}

// concealed has the hidden entities that the values of one entity may not name. The names in the URN of that
// entity are not hidden in its own values.
type concealed struct {
	urns map[string]bool
	of   string
}

func (c concealed) has(text string) bool { return c.urns[text] && !strings.Contains(c.of, text) }

// redacted returns a JSON value of an entity without the hidden entities that it names. It reports false
// if nothing is left of it.
func redacted(urn string, value json.RawMessage, urns map[string]bool) (json.RawMessage, bool) {
	hidden, names := concealed{urns, urn}, false
	eachURN(value, func(urn string) { names = names || hidden.has(urn) })
	if !names {
		return value, true
	}
	tree, err := jsontree.Decode(value)
	if err != nil {
		return nil, false
	}
	object, ok := tree.(map[string]any)
	if !ok {
		return nil, false
	}
	clean(object, hidden, true)
	if typeOf(urn) == model.EntityAnnouncedChange {
		cleanAnnounced(object)
	}
	if len(object) == 0 {
		return nil, false
	}
	text, err := json.Marshal(object)
	return text, err == nil
}

// clean removes hidden entities from an object. It reports false if the object means nothing without
// the hidden entities; the root always means something.
func clean(object map[string]any, hidden concealed, root bool) bool {
	means := true
	for name, member := range object {
		if hidden.has(name) {
			delete(object, name)
			continue
		}
		switch member := member.(type) {
		case string:
			switch {
			case !hidden.has(member):
			case isActor(name):
				object[name] = nobody(member)
			default:
				delete(object, name)
				means = means && soft[name]
			}
		case map[string]any:
			if !clean(member, hidden, false) {
				delete(object, name)
			}
		case []any:
			object[name] = cleanList(member, hidden)
		}
	}
	return means || root
}

func cleanList(list []any, hidden concealed) []any {
	left := make([]any, 0, len(list))
	for _, item := range list {
		switch item := item.(type) {
		case string:
			if hidden.has(item) {
				continue
			}
		case map[string]any:
			if !clean(item, hidden, false) {
				continue
			}
		case []any:
			left = append(left, cleanList(item, hidden))
			continue
		}
		left = append(left, item)
	}
	return left
}

// aspects returns versions without the hidden entities that they name, and without those versions of
// which nothing is left. It does not change the given versions.
func (s *sight) aspects(ctx context.Context, lists ...[]graphstore.Aspect) ([][]graphstore.Aspect, error) {
	n := s.maybeHidden()
	for _, list := range lists {
		for i := range list {
			n.addAspect(&list[i])
		}
	}
	hidden, err := s.hiddenOf(ctx, &n)
	if err != nil || hidden == nil {
		return lists, err
	}
	clean := make([][]graphstore.Aspect, len(lists))
	for i, list := range lists {
		clean[i] = make([]graphstore.Aspect, 0, len(list))
		for _, a := range list {
			if cleanAspect(&a, hidden) {
				clean[i] = append(clean[i], a)
			}
		}
	}
	return clean, nil
}

func (n *named) addAspect(a *graphstore.Aspect) {
	n.addValue(a.Value)
	n.add(a.CreatedBy)
	n.addSystem(&a.System)
}

func (n *named) addSystem(system *graphstore.SystemMetadata) {
	if system != nil && system.AspectCreated != nil {
		n.add(system.AspectCreated.Actor)
	}
}

// cleanAspect removes hidden entities from a version, and reports whether anything of the version is left.
func cleanAspect(a *graphstore.Aspect, hidden map[string]bool) (left bool) {
	hideActor(&a.CreatedBy, hidden)
	a.System = cleanSystem(a.System, hidden)
	a.Value, left = redacted(a.URN, a.Value, hidden)
	return left
}

func cleanSystem(system graphstore.SystemMetadata, hidden map[string]bool) graphstore.SystemMetadata {
	if created := system.AspectCreated; created != nil && hidden[created.Actor] {
		system.AspectCreated = &graphstore.Stamp{Time: created.Time, Actor: nobody(created.Actor)}
	}
	return system
}

func hideActor(actor *string, hidden map[string]bool) {
	if hidden[*actor] {
		*actor = nobody(*actor)
	}
}

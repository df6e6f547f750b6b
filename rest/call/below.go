package call

import (
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// RouteShownKey is the context key of the route shown in logs and metrics, if it has more
// parts than the path that gin knows.
const RouteShownKey = "route"

// pickBelow selects the endpoint whose pattern matches the rest of the path. If several
// match, it selects the one with the fewest variable parts.
func (c *Call) pickBelow(group []*Endpoint) (*Endpoint, error) {
	parts, err := c.splitBelow(group[0].Path)
	if err != nil {
		return nil, err
	}
	var best *Endpoint
	for _, e := range group {
		if named, ok := match(e.Below, parts); ok && (best == nil || len(named) < len(c.Parts)) {
			best, c.Parts = e, named
		}
	}
	if best != nil {
		c.Set(RouteShownKey, best.Path+best.Below)
		return best, nil
	}
	return nil, catalog.Errorf(catalog.NotFound, "No root resource defined for %s of path '%s'", c.Request.Method, c.Request.URL.Path)
}

// match compares the parts of a path with a pattern, and returns the parts that
// the pattern names.
func match(pattern string, parts []string) (map[string]string, bool) {
	names := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	if len(names) != len(parts) {
		return nil, false
	}
	named := map[string]string{}
	for i, name := range names {
		inner, variable := strings.CutPrefix(name, "{")
		switch {
		case variable && parts[i] != "":
			named[strings.TrimSuffix(inner, "}")] = parts[i]
		case name != parts[i]:
			return nil, false
		}
	}
	return named, true
}

// splitBelow returns the decoded parts of the path behind a prefix. A URN that is
// not percent-encoded is one part, also if it contains slashes.
func (c *Call) splitBelow(prefix string) ([]string, error) {
	raw := strings.Trim(strings.TrimPrefix(c.Request.URL.EscapedPath(), prefix), "/")
	first, rest, more := strings.Cut(raw, "/")
	parts := []string{first}
	switch {
	case !more:
	case !strings.HasPrefix(strings.ToLower(rest), "urn:"):
		parts = append(parts, strings.Split(rest, "/")...)
	default:
		if at := c.aspectBehind(first, rest); at >= 0 {
			parts = append(parts, rest[:at], rest[at+1:])
		} else {
			parts = append(parts, rest)
		}
	}
	for i := range parts {
		var err error
		if parts[i], err = model.DecodeURN(parts[i]); err != nil {
			return nil, &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
		}
	}
	return parts, nil
}

// aspectBehind returns the position of the slash before the aspect in a path that begins
// with a plain URN, or -1 if no aspect follows the URN. After the closing parenthesis of a
// URN, a slash always begins an aspect. In other URNs a slash is part of the URN, unless
// the text after it is the name of an aspect.
func (c *Call) aspectBehind(entityType, path string) int {
	at := strings.LastIndex(path, "/")
	if at < 0 || strings.Count(path[:at], "(") != strings.Count(path[:at], ")") {
		return -1
	}
	if path[at-1] == ')' {
		return at
	}
	if e, ok := c.Registry.Entity(entityType); ok {
		if _, known := aspectNamed(e, path[at+1:]); known {
			return at
		}
	}
	return -1
}

// aspectNamed finds an aspect of an entity by its name in any letter case.
func aspectNamed(e *model.Entity, name string) (string, bool) {
	if strings.EqualFold(e.KeyAspect, name) {
		return e.KeyAspect, true
	}
	for _, known := range e.Aspects {
		if strings.EqualFold(known, name) {
			return known, true
		}
	}
	return name, false
}

// TypePart returns the entity type in the path.
func (c *Call) TypePart() (*model.Entity, error) { return c.Catalog.EntityType(c.Parts["entityType"]) }

// EntityParts returns the entity in the path, whose type the path names too.
func (c *Call) EntityParts() (*model.Entity, model.URN, error) {
	e, err := c.TypePart()
	if err != nil {
		return nil, model.URN{}, err
	}
	u, err := c.URN(c.Parts["urn"])
	if err == nil && u.EntityType() != e.Name {
		err = catalog.Errorf(catalog.Invalid, "the urn %s is of type %s, the path has %s", u, u.EntityType(), e.Name)
	}
	return e, u, err
}

// AspectParts returns the entity in the path, and the name of the aspect, which the
// path may have in any letter case.
func (c *Call) AspectParts() (*model.Entity, model.URN, string, error) {
	e, u, err := c.EntityParts()
	if err != nil {
		return nil, u, "", err
	}
	name, err := c.KnownAspect(e, c.Parts["aspect"])
	return e, u, name, err
}

// KnownAspect finds an aspect of an entity type by its name in any letter case. If the
// caller may write aspects that the model lacks, it accepts their names too.
func (c *Call) KnownAspect(e *model.Entity, name string) (string, error) {
	known, ok := aspectNamed(e, name)
	if ok || c.keepsUnknown() && model.IsAspectName(name) {
		return known, nil
	}
	return "", catalog.Errorf(catalog.Invalid, "Unknown aspect %s for entity %s%s", name, e.Name, e.NearestAspects(name))
}

// Spell replaces names of aspects of an entity type by the names in the model.
func (c *Call) Spell(e *model.Entity, names []string) error {
	for i := range names {
		var err error
		if names[i], err = c.KnownAspect(e, names[i]); err != nil {
			return err
		}
	}
	return nil
}

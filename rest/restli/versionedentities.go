package restli

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/stored"
)

// versionedID is an entity with a version stamp, as Rest.li writes it in a list:
// (urn:<URN>,versionStamp:<stamp>).
type versionedID struct{ urn, stamp string }

// readVersionedIDs reads a list of entities with version stamps. An item may also be a URN
// without a stamp.
func readVersionedIDs(c *call.Call, name string) ([]versionedID, error) {
	values, err := c.RawValues(name)
	if err != nil {
		return nil, err
	}
	var ids []versionedID
	for _, raw := range values {
		items, decode, err := call.ListItems(raw)
		if err != nil {
			return nil, catalog.Errorf(catalog.Invalid, "parameter %s: %w", name, err)
		}
		for _, item := range items {
			id, err := parseVersionedID(item, decode)
			if err != nil {
				return nil, catalog.Errorf(catalog.Invalid, "parameter %s: %w", name, err)
			}
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func parseVersionedID(item string, decode func(string) (string, error)) (id versionedID, err error) {
	inner, ok := strings.CutPrefix(item, "(")
	if !ok {
		id.urn, err = decode(item)
		return id, err
	}
	if inner, ok = strings.CutSuffix(inner, ")"); !ok {
		return id, catalog.Errorf(catalog.Invalid, "a ( is not closed")
	}
	for _, member := range call.SplitItems(inner) {
		name, value, _ := strings.Cut(member, ":")
		text, err := decode(value)
		switch {
		case err != nil:
			return id, err
		case name == "urn":
			id.urn = text
		case name == "versionStamp":
			id.stamp = text
		default:
			return id, catalog.Errorf(catalog.Invalid, "%q is neither urn nor versionStamp", name)
		}
	}
	return id, nil
}

func (h entityHandlers) versionedEntities(c *call.Call) error {
	r := &call.Reader{Call: c}
	ids, named, aspects := call.Argument(r, func(name string) ([]versionedID, error) { return readVersionedIDs(c, name) }, "ids"), call.Argument(r, c.Required, "entityType"), call.Argument(r, c.List, "aspects")
	if r.Err != nil {
		return r.Err
	}
	e, err := c.Catalog.EntityType(named)
	if err == nil {
		err = c.Spell(e, aspects)
	}
	if err == nil {
		err = catalog.TooMany("entities", len(ids), limits.MaxIDs)
	}
	if err != nil {
		return err
	}
	wanted := make([]read.EntityVersions, len(ids))
	for i, id := range ids {
		u, err := c.RequiredURN("urn", id.urn)
		if err == nil {
			err = catalog.RequireType(u, e.Name)
		}
		if err == nil {
			wanted[i], err = h.catalog.AtStamp(u, id.stamp, aspects)
		}
		if err != nil {
			return err
		}
	}
	found, err := h.catalog.EntitiesAt(c.Request.Context(), wanted)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, stored.Entities(found))
}

package v3

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// readHandlers read entities and aspects of any type.
type readHandlers struct{ catalog *services.Services }

// readAspectNames reads the wanted aspects from the parameter aspects or aspectNames.
func readAspectNames(c *call.Call, e *model.Entity) (catalog.StoredAspects, error) {
	var names []string
	for _, name := range []string{"aspects", "aspectNames"} {
		list, err := c.List(name)
		if err != nil {
			return catalog.StoredAspects{}, err
		}
		names = append(names, list...)
	}
	return catalog.StoredAspects{Names: names}, c.Spell(e, names)
}

// stored returns the entity in the path with the wanted aspects.
func (h readHandlers) stored(c *call.Call, e *model.Entity, u model.URN, aspects catalog.StoredAspects) (*catalog.StoredEntity, error) {
	found, err := h.catalog.Stored(c.Request.Context(), []model.URN{u}, aspects)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, catalog.Errorf(catalog.NotFound, "there is no %s %s", e.Name, u)
	}
	return &found[0], nil
}

func (h readHandlers) entity(c *call.Call) error {
	e, u, err := c.EntityParts()
	if err != nil {
		return err
	}
	aspects, err := readAspectNames(c, e)
	if err != nil {
		return err
	}
	stamps, err := c.Boolean("systemMetadata")
	if err != nil {
		return err
	}
	found, err := h.stored(c, e, u, aspects)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answerOf(found, stamps))
}

// entityExists answers whether an entity exists. A soft-deleted entity counts only if the
// caller sets includeSoftDelete.
func (h readHandlers) entityExists(c *call.Call) error {
	e, u, err := c.EntityParts()
	if err != nil {
		return err
	}
	_, err = h.shown(c, e, u, catalog.StoredAspects{None: true})
	return answerPresence(c, err)
}

// shown returns the entity in the path. A soft-deleted entity is not found unless the
// caller sets includeSoftDelete.
func (h readHandlers) shown(c *call.Call, e *model.Entity, u model.URN, aspects catalog.StoredAspects) (*catalog.StoredEntity, error) {
	deleted, err := c.Boolean("includeSoftDelete")
	if err != nil {
		return nil, err
	}
	found, err := h.stored(c, e, u, aspects)
	if err == nil && found.Removed && !deleted {
		return nil, catalog.Errorf(catalog.NotFound, "%s is soft-deleted", u)
	}
	return found, err
}

// answerPresence answers a HEAD request: 204 without an error.
func answerPresence(c *call.Call, err error) error {
	if err == nil {
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
	}
	return err
}

func (h readHandlers) aspect(c *call.Call) error {
	version, err := c.Integer("version", 0)
	if err != nil {
		return err
	}
	stamps, err := c.Boolean("systemMetadata")
	if err != nil {
		return err
	}
	found, err := h.aspectAt(c, version)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answerOf(found, stamps).Aspects[0])
}

// aspectAt returns the entity in the path with only the aspect in the path, in one version.
func (h readHandlers) aspectAt(c *call.Call, version int64) (*catalog.StoredEntity, error) {
	_, u, name, err := c.AspectParts()
	if err != nil {
		return nil, err
	}
	found, err := h.catalog.StoredVersions(c.Request.Context(), []read.EntityVersions{{URN: u, Aspects: []read.AspectAt{{Name: name, Version: version}}}})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || len(found[0].Aspects) == 0 {
		return nil, catalog.Errorf(catalog.NotFound, "Did not find urn: %s aspect: %s version: %d", u, name, version)
	}
	return &found[0], nil
}

func (h readHandlers) aspectExists(c *call.Call) error {
	found, err := h.aspectAt(c, 0)
	if err != nil {
		return err
	}
	deleted, err := c.Boolean("includeSoftDelete")
	if err == nil && found.Removed && !deleted {
		err = catalog.Errorf(catalog.NotFound, "%s is soft-deleted", found.URN)
	}
	return answerPresence(c, err)
}

// versionHeader is the header of an aspect that has the version of the aspect.
const versionHeader = "If-Version-Match"

func (h readHandlers) batchGet(c *call.Call) error {
	e, err := c.TypePart()
	if err != nil {
		return err
	}
	stamps, err := c.Boolean("systemMetadata")
	if err != nil {
		return err
	}
	var body []entityWrite
	if err := c.BodyOf(intake.Request, &body); err != nil {
		return err
	}
	if err := catalog.TooMany("entities", len(body), limits.MaxIDs); err != nil {
		return err
	}
	wanted := make([]read.EntityVersions, len(body))
	for i := range body {
		if wanted[i], err = readVersions(c, e, &body[i]); err != nil {
			return err
		}
	}
	found, err := h.catalog.StoredVersions(c.Request.Context(), wanted)
	if err != nil {
		return err
	}
	answer := make(entityList, len(found))
	for i := range found {
		answer[i] = answerOf(&found[i], stamps)
	}
	return c.JSON(http.StatusOK, answer)
}

// readVersions reads the wanted versions of an entity's aspects.
func readVersions(c *call.Call, e *model.Entity, asked *entityWrite) (read.EntityVersions, error) {
	u, err := c.RequiredURN("urn", asked.urn)
	if err == nil && u.EntityType() != e.Name {
		err = catalog.Errorf(catalog.Invalid, "the urn %s is of type %s, the path has %s", u, u.EntityType(), e.Name)
	}
	if err != nil {
		return read.EntityVersions{}, err
	}
	wanted := read.EntityVersions{URN: u}
	for i := range asked.aspects {
		at := read.AspectAt{}
		if at.Name, err = c.KnownAspect(e, asked.aspects[i].name); err != nil {
			return wanted, err
		}
		for name, value := range asked.aspects[i].Headers {
			if !strings.EqualFold(name, versionHeader) {
				continue
			}
			if at.Version, err = strconv.ParseInt(value, 10, 64); err != nil {
				return wanted, catalog.Errorf(catalog.Invalid, "header %s: %q is not a version", versionHeader, value)
			}
		}
		wanted.Aspects = append(wanted.Aspects, at)
	}
	return wanted, nil
}

// v2Batch answers batch reads in the previous form of the interface.
func (h readHandlers) v2Batch(c *call.Call) error {
	e, err := c.TypePart()
	if err != nil {
		return err
	}
	var body struct {
		URNs    []string `json:"urns"`
		Aspects []string `json:"aspectNames"`
		System  bool     `json:"withSystemMetadata"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if err := catalog.CheckIDs(body.URNs); err != nil {
		return err
	}
	urns, err := c.URNList(body.URNs)
	if err == nil {
		_, err = catalog.AllOfType(urns, e.Name)
	}
	if err == nil {
		err = c.Spell(e, body.Aspects)
	}
	if err != nil {
		return err
	}
	found, err := h.catalog.Stored(c.Request.Context(), urns, catalog.StoredAspects{Names: body.Aspects})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, v2Entities{found, body.System})
}

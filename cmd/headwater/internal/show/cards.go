package show

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Card is the short description of an entity in lists.
type Card struct {
	Place
	URN, Name string
	// Exists: the server stores something of the entity. Removed: the entity is
	// soft-deleted.
	Exists, Removed bool
}

// The limits of one request: entities, and bytes of their URNs in the address. Proxies
// refuse addresses longer than 8 KB.
const (
	cardsAtOnce = 50
	cardBytes   = 4 << 10
)

// cardBatches splits URNs into lists within these limits.
func cardBatches(urns []string) [][]string {
	var batches [][]string
	size := 0
	for _, urn := range urns {
		length := len(model.EncodeURN(urn)) + 1 // the URN and a comma
		last := len(batches) - 1
		if last < 0 || len(batches[last]) == cardsAtOnce || size+length > cardBytes {
			batches, size = append(batches, []string{urn}), length
			continue
		}
		batches[last], size = append(batches[last], urn), size+length
	}
	return batches
}

// ReadCards reads the names of entities from a server. If the server refuses the request
// for an entity, its card has the name in its URN.
func ReadCards(ctx context.Context, server *client.Client, urns []string) (CardsByURN, error) {
	cards := make(CardsByURN, len(urns))
	var ask []string
	for _, urn := range urns {
		if _, ok := cards[urn]; ok {
			continue
		}
		cards[urn] = Card{Place: PlaceOf(urn), URN: urn, Name: LeafOf(urn)}
		if _, known := model.Default().Entity(cards[urn].Type); known {
			ask = append(ask, urn)
		}
	}
	for _, some := range cardBatches(ask) {
		entities, err := server.Entities(ctx, some, namingAspects(some))
		var refused *client.Error
		if errors.As(err, &refused) && !refused.Temporary() && !refused.Denied() {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, urn := range some {
			if entity, ok := entities[urn]; ok {
				cards[urn] = CardOf(&entity)
			}
		}
	}
	return cards, nil
}

// namingAspects returns the aspects with the names, the platforms and the soft-delete marks
// of these entities.
func namingAspects(urns []string) []string {
	aspects := []string{model.AspectStatus, model.AspectDataPlatformInstance}
	for _, urn := range urns {
		kind, ok := model.Default().Entity(PlaceOf(urn).Type)
		if !ok {
			continue
		}
		for _, name := range kind.Aspects {
			if IsDescriptive(name) && !slices.Contains(aspects, name) {
				aspects = append(aspects, name)
			}
		}
	}
	return aspects
}

// IsDescriptive reports whether an aspect may contain the name of an entity.
func IsDescriptive(aspect string) bool {
	return strings.HasSuffix(aspect, "Properties") || strings.HasSuffix(aspect, "Info")
}

// Trees decodes the aspects of an entity. The server has checked that they are objects.
func Trees(entity *client.Entity) map[string]jsontree.Object {
	decoded := make(map[string]jsontree.Object, len(entity.Aspects))
	for name := range entity.Aspects {
		if tree, err := jsontree.DecodeObject(entity.Aspects[name].Value); err == nil {
			decoded[name] = tree
		}
	}
	return decoded
}

// CardOf returns the card of an entity.
func CardOf(entity *client.Entity) Card {
	aspects := Trees(entity)
	c := Card{Place: PlaceOf(entity.URN), URN: entity.URN, Removed: aspects[model.AspectStatus]["removed"] == true}
	for name := range entity.Aspects {
		c.Exists = c.Exists || len(entity.Aspects[name].System) > 0 && string(entity.Aspects[name].System) != "null"
	}
	if c.Platform == "" {
		if platform := jsontree.Text(aspects[model.AspectDataPlatformInstance], "platform"); platform != "" {
			c.Platform = LeafOf(platform)
		}
	}
	if c.Name = model.AssertionName(aspects[model.AspectAssertionInfo]); c.Name == "" {
		c.Name = FirstText(aspects, nameMembers...)
	}
	if c.Name == "" {
		c.Name = LeafOf(entity.URN)
	}
	return c
}

// nameMembers are the members that may have the display name of an entity, the best first.
var nameMembers = []string{"displayName", "title", "fullName", "name"}

// FirstText returns the first text in one of the members of the aspects. Texts that people edited
// come before texts of sources.
func FirstText(aspects map[string]jsontree.Object, members ...string) string {
	for _, member := range members {
		stated := ""
		for _, name := range SortedKeys(aspects) {
			text := jsontree.Text(aspects[name], member)
			if !IsDescriptive(name) || text == "" {
				continue
			}
			if strings.HasPrefix(name, "editable") || strings.HasSuffix(name, "EditableInfo") {
				return text
			}
			if stated == "" {
				stated = text
			}
		}
		if stated != "" {
			return stated
		}
	}
	return ""
}

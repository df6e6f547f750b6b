package write

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

//go:embed platforms.json
var platformsJSON []byte

// knownPlatform is a data platform in the table. ID is the last part of its
// URN; the rest is its dataPlatformInfo.
type knownPlatform struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Type        string `json:"type"`
	Delimiter   string `json:"datasetNameDelimiter"`
}

// info returns the platform's dataPlatformInfo.
func (p *knownPlatform) info() map[string]any {
	return map[string]any{"name": p.Name, "displayName": p.DisplayName, "type": p.Type, "datasetNameDelimiter": p.Delimiter}
}

// platformSeeds are the common data platforms as seeds.
func platformSeeds() ([]seed, error) {
	var known []knownPlatform
	if err := json.Unmarshal(platformsJSON, &known); err != nil {
		return nil, fmt.Errorf("the table of platforms: %w", err)
	}
	seeds := make([]seed, len(known))
	for i := range known {
		seeds[i] = seed{model.EntityDataPlatform, known[i].ID, model.AspectDataPlatformInfo, known[i].info()}
	}
	return seeds, nil
}

// AddPlatforms writes the dataPlatformInfo of each common data platform that
// has none, and the built-in types of ownership, data types and entity types that
// the store does not have, and returns how many aspects it wrote. They are in the
// first dialect. Several servers may do this at the same time.
func (w *Writer) AddPlatforms(ctx context.Context) (added int, err error) {
	seeds, err := platformSeeds()
	if err != nil {
		return 0, err
	}
	seeds = append(seeds, seedsOf(w.Registry())...)
	urns, aspects := make([]string, len(seeds)), []string{}
	for i := range seeds {
		u, err := model.BuildURN(w.Registry().Dialects()[0].Namespace, seeds[i].entityType, seeds[i].id)
		if err != nil {
			return 0, fmt.Errorf("the built-in entities: %w", err)
		}
		urns[i] = u.String()
		aspects = append(aspects, seeds[i].aspect)
	}
	slices.Sort(aspects)
	stored, err := w.store.LatestAspects(ctx, urns, slices.Compact(aspects))
	if err != nil {
		return 0, catalog.StoreFailure(err)
	}
	var changes []*change
	for i := range seeds {
		if len(stored[urns[i]]) > 0 {
			continue
		}
		text, err := seeds[i].json()
		if err != nil {
			return 0, err
		}
		ch, err := w.changeOf(&Proposal{
			EntityType: seeds[i].entityType, EntityURN: urns[i], ChangeType: Create, AspectName: seeds[i].aspect,
			Aspect: &GenericAspect{Value: text, ContentType: "application/json"},
			System: &catalog.SystemMetadata{RunID: catalog.PlatformsRun},
		}, catalog.WriteOptions{})
		if err != nil {
			return 0, err
		}
		changes = append(changes, ch)
	}
	return w.createMissing(ctx, changes)
}

// createMissing creates aspects, and returns how many it created. An aspect that another server has
// created meanwhile is left out.
func (w *Writer) createMissing(ctx context.Context, changes []*change) (added int, err error) {
	if len(changes) == 0 {
		return 0, nil
	}
	outcomes, err := w.applyEach(ctx, changes, catalog.WriteOptions{})
	if err != nil {
		return 0, err
	}
	for i := range outcomes {
		switch err := outcomes[i].err; {
		case err == nil:
			added++
		case catalog.CodeOf(err) != catalog.Conflict && catalog.CodeOf(err) != catalog.Precondition: // another server was faster
			return added, err
		}
	}
	return added, w.Settle(ctx, catalog.WriteOptions{})
}

// Untouched reports whether nothing was ever written but the entities that every catalog has.
func (w *Writer) Untouched(ctx context.Context) (bool, error) {
	for after := ""; ; {
		changes, next, err := w.store.Changes(ctx, after, catalog.MaxChanges)
		if err != nil {
			return false, catalog.StoreFailure(err)
		}
		for i := range changes {
			if system := changes[i].System; system == nil || system.RunID != catalog.PlatformsRun {
				return false, nil
			}
		}
		if len(changes) == 0 {
			return true, nil
		}
		after = next
	}
}

// OfTheStart reports whether servers wrote all versions of an entity when they started. An import may replace
// such an entity, because no caller has written about it.
func OfTheStart(h *graphstore.History) bool {
	return !slices.ContainsFunc(h.Versions, func(a graphstore.Aspect) bool { return a.System.RunID != catalog.PlatformsRun })
}

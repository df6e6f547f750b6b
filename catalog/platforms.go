package catalog

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// PlatformsRun is the run that is recorded for the common data platforms.
const PlatformsRun = "headwater-platforms"

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
func (p *knownPlatform) info() (json.RawMessage, error) {
	return json.Marshal(map[string]string{"name": p.Name, "displayName": p.DisplayName, "type": p.Type, "datasetNameDelimiter": p.Delimiter})
}

// AddPlatforms writes the dataPlatformInfo of each common data platform that
// has none, and returns how many it wrote. The platforms are in the first
// dialect. Several servers may do this at the same time.
func (c *Catalog) AddPlatforms(ctx context.Context) (added int, err error) {
	var known []knownPlatform
	if err := json.Unmarshal(platformsJSON, &known); err != nil {
		return 0, fmt.Errorf("the table of platforms: %w", err)
	}
	urns := make([]string, len(known))
	for i := range known {
		u, err := model.BuildURN(c.registry.Dialects()[0].Namespace, model.EntityDataPlatform, known[i].ID)
		if err != nil {
			return 0, fmt.Errorf("the table of platforms: %w", err)
		}
		urns[i] = u.String()
	}
	stored, err := c.store.LatestAspects(ctx, urns, []string{model.AspectDataPlatformInfo})
	if err != nil {
		return 0, StoreFailure(err)
	}
	var changes []*change
	for i := range known {
		if len(stored[urns[i]]) > 0 {
			continue
		}
		info, err := known[i].info()
		if err != nil {
			return 0, err
		}
		ch, err := c.prepare(&Proposal{
			EntityType: model.EntityDataPlatform, EntityURN: urns[i], ChangeType: Create, AspectName: model.AspectDataPlatformInfo,
			Aspect: &GenericAspect{Value: info, ContentType: "application/json"},
			System: &SystemMetadata{RunID: PlatformsRun},
		}, WriteOptions{})
		if err != nil {
			return 0, err
		}
		changes = append(changes, ch)
	}
	if len(changes) == 0 {
		return 0, nil
	}
	outcomes, err := c.applyEach(ctx, changes, WriteOptions{})
	if err != nil {
		return 0, err
	}
	for i := range outcomes {
		switch err := outcomes[i].err; {
		case err == nil:
			added++
		case CodeOf(err) != Precondition: // another server was faster
			return added, err
		}
	}
	return added, c.Settle(ctx, WriteOptions{})
}

// Untouched reports whether nothing was ever written except the common
// platforms.
func (c *Catalog) Untouched(ctx context.Context) (bool, error) {
	for after := ""; ; {
		changes, next, err := c.store.Changes(ctx, after, MaxChanges)
		if err != nil {
			return false, StoreFailure(err)
		}
		for i := range changes {
			if system := changes[i].System; system == nil || system.RunID != PlatformsRun {
				return false, nil
			}
		}
		if len(changes) == 0 {
			return true, nil
		}
		after = next
	}
}

// OfTheStart reports whether everything that is stored of an entity was written
// when a server started. Nobody else has written about it yet, so an import may
// replace it.
func OfTheStart(h *graphstore.History) bool {
	return !slices.ContainsFunc(h.Versions, func(a graphstore.Aspect) bool { return a.System.RunID != PlatformsRun })
}

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

// PlatformsRun is the run that the common data platforms come from.
const PlatformsRun = "headwater-platforms"

//go:embed platforms.json
var platformsJSON []byte

// knownPlatform is a data platform as the table has it: its ID is the last part
// of its URN, the rest its dataPlatformInfo.
type knownPlatform struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Type        string `json:"type"`
	Delimiter   string `json:"datasetNameDelimiter"`
}

// info is the platform's dataPlatformInfo.
func (p *knownPlatform) info() (json.RawMessage, error) {
	return json.Marshal(map[string]string{"name": p.Name, "displayName": p.DisplayName, "type": p.Type, "datasetNameDelimiter": p.Delimiter})
}

// AddPlatforms writes what is known of the common data platforms, of each that
// has no dataPlatformInfo, and returns of how many. Platforms are those of the
// first dialect. Servers that start together may do it together.
func (c *Catalog) AddPlatforms(ctx context.Context) (added int, err error) {
	var known []knownPlatform
	if err := json.Unmarshal(platformsJSON, &known); err != nil {
		return 0, fmt.Errorf("the table of platforms: %w", err)
	}
	urns := make([]string, len(known))
	for i := range known {
		u, err := model.BuildURN(c.registry.Dialects()[0].Namespace, "dataPlatform", known[i].ID)
		if err != nil {
			return 0, fmt.Errorf("the table of platforms: %w", err)
		}
		urns[i] = u.String()
	}
	stored, err := c.store.LatestAspects(ctx, urns, []string{platformInfoAspect})
	if err != nil {
		return 0, storeFailure(err)
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
			EntityType: "dataPlatform", EntityURN: urns[i], ChangeType: Create, AspectName: platformInfoAspect,
			Aspect: &GenericAspect{Value: info, ContentType: "application/json"},
			System: &SystemMetadata{RunID: PlatformsRun},
		})
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
		case CodeOf(err) != Conflict: // somebody else was faster
			return added, err
		}
	}
	return added, c.settle(ctx, WriteOptions{})
}

// Untouched reports whether nothing was ever written but the common platforms.
func (c *Catalog) Untouched(ctx context.Context) (bool, error) {
	for after := ""; ; {
		changes, next, err := c.store.Changes(ctx, after, MaxChanges)
		if err != nil {
			return false, storeFailure(err)
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

// ofTheStart reports whether all that is stored of an entity was written when a
// server started: nobody has said anything of it yet, so that an import may say
// it instead.
func ofTheStart(h *graphstore.History) bool {
	return !slices.ContainsFunc(h.Versions, func(a graphstore.Aspect) bool { return a.System.RunID != PlatformsRun })
}

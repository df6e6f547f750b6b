package dbt

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Stored reads the values of a server.
type Stored interface {
	// Aspects returns the values of aspects by entity and name. An entity without any of them is not in the result.
	Aspects(ctx context.Context, urns, names []string) (map[string]map[string]json.RawMessage, error)
}

// ownedByCode is the source of the owners that dbt states.
const ownedByCode = "SOURCE_CONTROL"

// entitiesAtOnce is how many entities one request asks for.
const entitiesAtOnce = 100

// merged are the aspects of dbt's datasets to which other people add.
var merged = []string{model.AspectOwnership, model.AspectGlobalTags, model.AspectGlossaryTerms}

// keepStated adds to the owners, tags and terms of dbt's datasets the stored ones that others have stated, as the client
// does with write_semantics PATCH: owners with another source than the code, tags without dbt's prefix, and all
// terms.
func keepStated(ctx context.Context, stored Stored, prefix string, proposals []model.FileProposal) error {
	var stating []*model.FileProposal
	for i := range proposals {
		if p := &proposals[i]; p.EntityType == model.EntityDataset && slices.Contains(merged, p.AspectName) && p.Aspect != nil {
			stating = append(stating, p)
		}
	}
	for some := range slices.Chunk(stating, entitiesAtOnce) {
		urns := make([]string, len(some))
		for i, p := range some {
			urns[i] = p.EntityURN
		}
		slices.Sort(urns)
		others, err := stored.Aspects(ctx, slices.Compact(urns), merged)
		if err != nil {
			return fmt.Errorf("owners, tags and terms that others have stated: %w", err)
		}
		for _, p := range some {
			value, has := others[p.EntityURN][p.AspectName]
			if !has {
				continue
			}
			if p.Aspect.Value, err = with(p.AspectName, p.Aspect.Value, value, prefix); err != nil {
				return fmt.Errorf("%s of %s: %w", p.AspectName, p.EntityURN, err)
			}
		}
	}
	return nil
}

// with adds the kept parts of a stored value to a new one. prefix begins the tags that dbt states; without one, all tags are
// kept.
func with(aspect, value string, stored json.RawMessage, prefix string) (string, error) {
	list, name, keeps := "owners", "owner", func(one map[string]any) bool {
		source, _ := one["source"].(map[string]any)
		return source["type"] != ownedByCode
	}
	switch aspect {
	case model.AspectGlossaryTerms:
		list, name, keeps = "terms", "urn", func(map[string]any) bool { return true }
	case model.AspectGlobalTags:
		list, name, keeps = "tags", "tag", func(one map[string]any) bool {
			tag, _ := one["tag"].(string)
			return prefix == "" || !strings.HasPrefix(tag, "urn:li:tag:"+prefix)
		}
	}
	var ours, theirs map[string]any
	if err := json.Unmarshal([]byte(value), &ours); err != nil {
		return "", err
	}
	if err := json.Unmarshal(stored, &theirs); err != nil {
		return "", err
	}
	all, _ := ours[list].([]any)
	named := map[any]bool{}
	for _, one := range all {
		if one, ok := one.(map[string]any); ok {
			named[one[name]] = true
		}
	}
	existing, _ := theirs[list].([]any)
	for _, one := range existing {
		if one, ok := one.(map[string]any); ok && !named[one[name]] && keeps(one) {
			all = append(all, one)
		}
	}
	ours[list] = all
	text, err := json.Marshal(ours)
	return string(text), err
}

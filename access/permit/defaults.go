package permit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/policies/policyfile"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// Writer writes policies.
type Writer interface {
	Exists(ctx context.Context, u model.URN) (bool, error)
	IngestTogether(ctx context.Context, proposals []write.Proposal, o catalog.WriteOptions) error
}

// WriteDefaults writes the policies with which a server starts. Policies that people may edit are written
// only if they are absent.
func WriteDefaults(ctx context.Context, w Writer, namespace string) error {
	for _, p := range policyfile.Defaults() {
		u, err := model.BuildURN(namespace, model.EntityDataHubPolicy, p.ID)
		if err != nil {
			return err
		}
		if p.Editable {
			exists, err := w.Exists(ctx, u)
			if err != nil {
				return err
			}
			if exists {
				continue
			}
		}
		proposals, err := Proposals(u, &p)
		if err == nil {
			err = w.IngestTogether(ctx, proposals, catalog.WriteOptions{})
		}
		if err != nil {
			return fmt.Errorf("the policy %s: %w", p.ID, err)
		}
	}
	return nil
}

// Proposals returns the proposals that write a policy.
func Proposals(u model.URN, p *policies.Policy) ([]write.Proposal, error) {
	info, rule := p.Aspects()
	proposals := make([]write.Proposal, 0, 2)
	for _, aspect := range []struct {
		name  string
		value catalog.Tree
	}{{model.AspectDataHubPolicyInfo, info}, {model.AspectHeadwaterPolicyRule, rule}} {
		if aspect.value == nil {
			continue
		}
		text, err := json.Marshal(aspect.value)
		if err != nil {
			return nil, err
		}
		proposals = append(proposals, write.Proposal{
			EntityType: model.EntityDataHubPolicy, EntityURN: u.String(), ChangeType: write.Upsert, AspectName: aspect.name,
			Aspect: &write.GenericAspect{Value: text, ContentType: "application/json"},
		})
	}
	return proposals, nil
}

package object

import (
	"context"

	"github.com/headwater-io/headwater/access/manage"
)

// Privileges are the rights of the request's actor on the entity, nil for an entity that does not exist or
// that the actor may not see. All entities of the batch are judged together.
func (n *Node) Privileges(ctx context.Context) (*EntityPrivileges, error) {
	return batched(n, "privileges", func(nodes []*Node) (map[*Node]*EntityPrivileges, error) {
		rights, err := manage.OnEntities(ctx, keysOf(nodes))
		if err != nil {
			return nil, err
		}
		stored, err := n.batch.session.Catalog.Existing(ctx, keysOf(nodes))
		if err != nil {
			return nil, err
		}
		found := make(map[*Node]*EntityPrivileges, len(nodes))
		for _, node := range nodes {
			if !stored[node.key] {
				continue
			}
			is := func(name string) *bool {
				if may, ok := rights[node.key][name]; ok {
					return &may
				}
				return nil
			}
			found[node] = &EntityPrivileges{
				CanManageChildren: is("canManageChildren"), CanManageEntity: is("canManageEntity"), CanEditLineage: is("canEditLineage"),
				CanEditEmbed: is("canEditEmbed"), CanEditQueries: is("canEditQueries"), CanEditProperties: is("canEditProperties"),
				CanEditTags: is("canEditTags"), CanEditGlossaryTerms: is("canEditGlossaryTerms"), CanEditDescription: is("canEditDescription"),
				CanEditLinks: is("canEditLinks"), CanEditDomains: is("canEditDomains"), CanEditDataProducts: is("canEditDataProducts"),
				CanEditOwners: is("canEditOwners"), CanEditIncidents: is("canEditIncidents"), CanEditAssertions: is("canEditAssertions"),
				CanEditAssertionOwners: is("canEditAssertionOwners"), CanEditDeprecation: is("canEditDeprecation"), CanEditSchemaFieldTags: is("canEditSchemaFieldTags"),
				CanEditSchemaFieldGlossaryTerms: is("canEditSchemaFieldGlossaryTerms"), CanEditSchemaFieldDescription: is("canEditSchemaFieldDescription"), CanViewDatasetUsage: is("canViewDatasetUsage"),
				CanViewDatasetProfile: is("canViewDatasetProfile"), CanViewDatasetOperations: is("canViewDatasetOperations"), CanManageAssetSummary: is("canManageAssetSummary"),
			}
		}
		return found, nil
	})
}

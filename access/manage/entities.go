package manage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// right is a question of pages about an entity: whether they offer a control.
type right struct {
	// Name is the member of GraphQL's EntityPrivileges.
	name       string
	privileges []string
	// edits: a caller who may change the whole entity has the right.
	edits bool
	// On are the types of entities that the right is about, nil for all but the glossary's.
	on []string
}

var (
	glossary   = []string{model.EntityGlossaryNode, model.EntityGlossaryTerm}
	datasets   = []string{model.EntityDataset}
	embeddable = []string{model.EntityDataset, model.EntityChart, model.EntityDashboard}
)

var rights = []right{
	{"canManageChildren", []string{"MANAGE_GLOSSARIES", "MANAGE_GLOSSARY_CHILDREN", "MANAGE_ALL_GLOSSARY_CHILDREN"}, false, glossary},
	{"canManageEntity", []string{"MANAGE_GLOSSARIES"}, true, glossary},
	{"canEditLineage", []string{"EDIT_LINEAGE"}, true, nil},
	{"canEditEmbed", []string{"EDIT_ENTITY_EMBED"}, true, embeddable},
	{"canEditQueries", []string{"EDIT_ENTITY_QUERIES"}, true, datasets},
	{"canEditProperties", []string{"EDIT_ENTITY_PROPERTIES"}, true, nil},
	{"canEditTags", []string{"EDIT_ENTITY_TAGS"}, true, nil},
	{"canEditGlossaryTerms", []string{"EDIT_ENTITY_GLOSSARY_TERMS"}, true, nil},
	{"canEditDescription", []string{"EDIT_ENTITY_DOCS"}, true, nil},
	{"canEditLinks", []string{"EDIT_ENTITY_DOC_LINKS"}, true, nil},
	{"canEditDomains", []string{"EDIT_DOMAINS_PRIVILEGE"}, true, nil},
	{"canEditDataProducts", []string{"EDIT_ENTITY_DATA_PRODUCTS"}, true, nil},
	{"canEditOwners", []string{"EDIT_ENTITY_OWNERS"}, true, nil},
	{"canEditIncidents", []string{"EDIT_ENTITY_INCIDENTS"}, true, nil},
	{"canEditAssertions", []string{"EDIT_ENTITY_ASSERTIONS"}, true, nil},
	{"canEditAssertionOwners", []string{"EDIT_ENTITY_ASSERTIONS"}, true, nil},
	{"canEditDeprecation", []string{"EDIT_DEPRECATION_PRIVILEGE"}, true, nil},
	{"canEditSchemaFieldTags", []string{"EDIT_DATASET_COL_TAGS"}, true, datasets},
	{"canEditSchemaFieldGlossaryTerms", []string{"EDIT_DATASET_COL_GLOSSARY_TERMS"}, true, datasets},
	{"canEditSchemaFieldDescription", []string{"EDIT_DATASET_COL_DESCRIPTION"}, true, datasets},
	{"canViewDatasetUsage", []string{"VIEW_DATASET_USAGE"}, false, datasets},
	{"canViewDatasetProfile", []string{"VIEW_DATASET_PROFILE"}, false, datasets},
	{"canViewDatasetOperations", []string{"VIEW_DATASET_OPERATIONS"}, false, datasets},
	{"canManageAssetSummary", []string{"MANAGE_ASSET_SUMMARY"}, true, nil},
}

func (r *right) about(entityType string) bool {
	if r.on == nil {
		return !slices.Contains(glossary, entityType)
	}
	return slices.Contains(r.on, entityType)
}

// OnEntities returns the privileges that the caller has on each of some entities, by the members of GraphQL's
// EntityPrivileges. Members that have no meaning for the type of an entity are absent. While
// authentication is off, everybody may do everything. All entities are judged together.
func OnEntities(ctx context.Context, urns []model.URN) (map[model.URN]map[string]bool, error) {
	may := make(map[model.URN]map[string]bool, len(urns))
	permissions := permission.Of(ctx)
	free := permissions == nil && requestinfo.CallerOf(ctx).Means == requestinfo.NoMeans
	var questions []permission.Question
	var names []string
	for _, u := range urns {
		may[u] = map[string]bool{}
		for i := range rights {
			r := &rights[i]
			if permissions == nil {
				may[u][r.name] = free
				continue
			}
			if !r.about(u.EntityType()) {
				continue
			}
			privileges := r.privileges
			if r.edits {
				privileges = append(slices.Clone(privileges), policies.Group(policies.Update, u.EntityType())...)
			}
			questions, names = append(questions, permission.About(u, privileges...)), append(names, r.name)
		}
	}
	if len(questions) == 0 {
		return may, nil
	}
	allowed, err := permissions.Allowed(ctx, questions)
	if err != nil {
		return nil, err
	}
	for i, q := range questions {
		may[q.URN][names[i]] = allowed[i]
	}
	return may, nil
}

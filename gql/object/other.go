package object

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// OtherEntity is an entity of a type that has no object of its own in the schema.
type OtherEntity struct{ *Node }

// otherTypes are the types that have a name in the schema. Entities of a type that kinds does
// not list are objects of the type OtherEntity.
var otherTypes = map[string]EntityType{
	model.EntityAgentSkill:             EntityTypeAgentSkill,
	model.EntityAiAgent:                EntityTypeAiAgent,
	model.EntityAnnouncedChange:        EntityTypeAnnouncedChange,
	model.EntityApi:                    EntityTypeAPI,
	model.EntityBusinessAttribute:      EntityTypeBusinessAttribute,
	model.EntityDataHubAction:          EntityTypeDatahubAction,
	model.EntityDataHubFile:            EntityTypeDatahubFile,
	model.EntityDataHubIngestionSource: EntityTypeIngestionSource,
	model.EntityDataHubOpenAPISchema:   EntityTypeDatahubOpenAPISchema,
	model.EntityDataHubPageModule:      EntityTypeDatahubPageModule,
	model.EntityDataHubPersona:         EntityTypeDatahubPersona,
	model.EntityDataHubRetention:       EntityTypeDatahubRetention,
	model.EntityDataHubSecret:          EntityTypeDatahubSecret,
	model.EntityDataHubStepState:       EntityTypeDatahubStepState,
	model.EntityDataHubUpgrade:         EntityTypeDatahubUpgrade,
	model.EntityDataProcess:            EntityTypeDataProcess,
	model.EntityDataType:               EntityTypeDataType,
	model.EntityDocument:               EntityTypeDocument,
	model.EntityEntityType:             EntityTypeEntityType,
	model.EntityErModelRelationship:    EntityTypeErModelRelationship,
	model.EntityGlobalSettings:         EntityTypeGlobalSettings,
	model.EntityIncident:               EntityTypeIncident,
	model.EntityInviteToken:            EntityTypeInviteToken,
	model.EntityLifecycleStageType:     EntityTypeLifecycleStageType,
	model.EntityMetric:                 EntityTypeMetric,
	model.EntityMlModelDeployment:      EntityTypeMlmodelDeployment,
	model.EntityRepository:             EntityTypeRepository,
	model.EntityRole:                   EntityTypeRole,
	model.EntitySearchTemplate:         EntityTypeSearchTemplate,
	model.EntitySemanticModel:          EntityTypeSemanticModel,
	model.EntityService:                EntityTypeService,
	model.EntityStructuredProperty:     EntityTypeStructuredProperty,
	model.EntityTelemetry:              EntityTypeTelemetry,
}

// addOthers adds the kinds of entities that have no object of their own.
func addOthers() {
	for name, entityType := range otherTypes {
		if kindByName[name] == nil {
			kindByName[name] = otherKind(name, entityType)
			kindByType[entityType] = kindByName[name]
		}
	}
}

func otherKind(name string, entityType EntityType) *kind {
	return &kind{name: name, entityType: entityType, make: func(n *Node) Entity { return &OtherEntity{n} }}
}

// kindOf returns the kind of an entity type of the model. A type of a custom model has no name
// in the schema. A hidden step of a walk has a type that the model does not have.
func kindOf(r *model.Registry, name string) (*kind, bool) {
	if k, ok := kindByName[name]; ok {
		return k, true
	}
	if name == catalog.Restricted {
		return otherKind(name, EntityTypeRestricted), true
	}
	if _, ok := r.Entity(name); !ok {
		return nil, false
	}
	return otherKind(name, EntityTypeOther), true
}

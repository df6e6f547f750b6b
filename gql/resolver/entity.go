package resolver

import "github.com/headwater-io/headwater/gql/model"

// kind is an entity type in both vocabularies.
type kind struct {
	name string
	of   model.EntityType
	make func(urn string, t model.EntityType) model.Entity
}

// kinds are the entity types that the schema has.
var kinds = []kind{
	{"dataset", model.EntityTypeDataset, func(u string, t model.EntityType) model.Entity { return &model.Dataset{Urn: u, Type: t} }},
	{"dashboard", model.EntityTypeDashboard, func(u string, t model.EntityType) model.Entity { return &model.Dashboard{Urn: u, Type: t} }},
	{"chart", model.EntityTypeChart, func(u string, t model.EntityType) model.Entity { return &model.Chart{Urn: u, Type: t} }},
	{"mlModel", model.EntityTypeMlmodel, func(u string, t model.EntityType) model.Entity { return &model.MLModel{Urn: u, Type: t} }},
	{"mlModelGroup", model.EntityTypeMlmodelGroup, func(u string, t model.EntityType) model.Entity { return &model.MLModelGroup{Urn: u, Type: t} }},
	{"mlFeatureTable", model.EntityTypeMlfeatureTable, func(u string, t model.EntityType) model.Entity { return &model.MLFeatureTable{Urn: u, Type: t} }},
	{"mlFeature", model.EntityTypeMlfeature, func(u string, t model.EntityType) model.Entity { return &model.MLFeature{Urn: u, Type: t} }},
	{"mlPrimaryKey", model.EntityTypeMlprimaryKey, func(u string, t model.EntityType) model.Entity { return &model.MLPrimaryKey{Urn: u, Type: t} }},
	{"dataFlow", model.EntityTypeDataFlow, func(u string, t model.EntityType) model.Entity { return &model.DataFlow{Urn: u, Type: t} }},
	{"dataJob", model.EntityTypeDataJob, func(u string, t model.EntityType) model.Entity { return &model.DataJob{Urn: u, Type: t} }},
	{"glossaryTerm", model.EntityTypeGlossaryTerm, func(u string, t model.EntityType) model.Entity { return &model.GlossaryTerm{Urn: u, Type: t} }},
	{"glossaryNode", model.EntityTypeGlossaryNode, func(u string, t model.EntityType) model.Entity { return &model.GlossaryNode{Urn: u, Type: t} }},
	{"tag", model.EntityTypeTag, func(u string, t model.EntityType) model.Entity { return &model.Tag{Urn: u, Type: t} }},
	{"corpuser", model.EntityTypeCorpUser, func(u string, t model.EntityType) model.Entity { return &model.CorpUser{Urn: u, Type: t} }},
	{"corpGroup", model.EntityTypeCorpGroup, func(u string, t model.EntityType) model.Entity { return &model.CorpGroup{Urn: u, Type: t} }},
	{"container", model.EntityTypeContainer, func(u string, t model.EntityType) model.Entity { return &model.Container{Urn: u, Type: t} }},
	{"domain", model.EntityTypeDomain, func(u string, t model.EntityType) model.Entity { return &model.Domain{Urn: u, Type: t} }},
	{"dataProduct", model.EntityTypeDataProduct, func(u string, t model.EntityType) model.Entity { return &model.DataProduct{Urn: u, Type: t} }},
	{"notebook", model.EntityTypeNotebook, func(u string, t model.EntityType) model.Entity { return &model.Notebook{Urn: u, Type: t} }},
	{"dataPlatform", model.EntityTypeDataPlatform, func(u string, t model.EntityType) model.Entity { return &model.DataPlatform{Urn: u, Type: t} }},
	{"dataPlatformInstance", model.EntityTypeDataPlatformInstance, func(u string, t model.EntityType) model.Entity {
		return &model.DataPlatformInstance{Urn: u, Type: t}
	}},
	{"assertion", model.EntityTypeAssertion, func(u string, t model.EntityType) model.Entity { return &model.Assertion{Urn: u, Type: t} }},
}

// searchedByDefault are the types that a search without types looks into.
var searchedByDefault = []model.EntityType{
	model.EntityTypeDataset, model.EntityTypeDashboard, model.EntityTypeChart, model.EntityTypeMlmodel, model.EntityTypeMlmodelGroup,
	model.EntityTypeMlfeatureTable, model.EntityTypeMlfeature, model.EntityTypeMlprimaryKey, model.EntityTypeDataFlow, model.EntityTypeDataJob,
	model.EntityTypeGlossaryTerm, model.EntityTypeGlossaryNode, model.EntityTypeTag, model.EntityTypeCorpUser, model.EntityTypeCorpGroup,
	model.EntityTypeContainer, model.EntityTypeDomain, model.EntityTypeDataProduct, model.EntityTypeNotebook,
}

// nameOf and typeOf translate between the vocabularies.
var nameOf, typeOf, kindOf = func() (map[model.EntityType]string, map[string]model.EntityType, map[string]kind) {
	names, types, byName := map[model.EntityType]string{}, map[string]model.EntityType{}, map[string]kind{}
	for _, k := range kinds {
		names[k.of], types[k.name], byName[k.name] = k.name, k.of, k
	}
	return names, types, byName
}()

// entityOf is an entity of the schema, nil for a type that it does not have.
func entityOf(entityType, urn string) model.Entity {
	k, ok := kindOf[entityType]
	if !ok {
		return nil
	}
	return k.make(urn, k.of)
}

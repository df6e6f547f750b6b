package browser

import (
	"fmt"
	"slices"
	"strings"
)

// A family is labels or relationship types that belong together and have shades of
// one colour. The members that analysts meet most come first and are the darkest.
type family struct {
	name   string
	shades []string
	names  []string
	// light: even the darkest shade is too light for white text.
	light bool
}

// Shades of the colours of Open Color (MIT licence), from dark to light.
var (
	blue   = []string{"#1864ab", "#1c7ed6", "#4dabf7", "#a5d8ff"}
	indigo = []string{"#364fc7", "#4c6ef5", "#748ffc", "#bac8ff"}
	cyan   = []string{"#0b7285", "#1098ad", "#3bc9db", "#99e9f2"}
	orange = []string{"#d9480f", "#f76707", "#ffa94d", "#ffd8a8"}
	grape  = []string{"#862e9c", "#ae3ec9", "#da77f2", "#eebefa"}
	teal   = []string{"#087f5b", "#0ca678", "#38d9a9", "#96f2d7"}
	green  = []string{"#2b8a3e", "#37b24d", "#69db7c", "#b2f2bb"}
	pink   = []string{"#a61e4d", "#d6336c", "#f783ac", "#fcc2d7"}
	red    = []string{"#c92a2a", "#f03e3e", "#ff8787", "#ffc9c9"}
	yellow = []string{"#e67700", "#f59f00", "#ffd43b", "#ffec99"}
	gray   = []string{"#343a40", "#495057", "#868e96", "#ced4da"}
	pale   = []string{"#adb5bd", "#ced4da", "#dee2e6", "#e9ecef"}
	lime   = []string{"#5c940d", "#74b816", "#a9e34b", "#d8f5a2"}
)

// nodeFamilies are the labels; storeLabels are the labels of nodes that are not entities.
var nodeFamilies = []family{
	{name: "data", shades: blue, names: []string{"Dataset", "SemanticModel", "Metric"}},
	{name: "columns", shades: cyan, names: []string{"BusinessAttribute", "ErModelRelationship", "SchemaField"}},
	{name: "processing", shades: orange, names: []string{"DataJob", "DataProcess", "DataFlow", "DataProcessInstance"}},
	{name: "reports", shades: grape, names: []string{"Dashboard", "Chart", "Notebook", "Query"}},
	{name: "machine learning", shades: teal, names: []string{"MlModel", "MlModelGroup", "MlFeature", "MlFeatureTable", "MlPrimaryKey", "MlModelDeployment", "AiAgent", "AgentSkill"}},
	{name: "people", shades: green, names: []string{"Corpuser", "CorpGroup", "Role", "OwnershipType", "DataHubRole", "DataHubPersona"}},
	{name: "vocabulary", shades: pink, names: []string{"GlossaryTerm", "Tag", "GlossaryNode", "StructuredProperty", "DataType", "EntityType", "LifecycleStageType"}},
	{name: "quality", shades: red, names: []string{"Incident", "Assertion", "DataContract", "Test", "AnnouncedChange"}},
	{name: "documents", shades: yellow, names: []string{"Document", "Post", "Form"}},
	{name: "organisation", shades: indigo, names: []string{"Domain", "DataProduct", "Application", "Container", "VersionSet"}},
	{name: "platforms", shades: gray, names: []string{"DataPlatform", "DataPlatformInstance", "Service", "Api", "Repository", "PlatformResource"}},
	{name: "administration", shades: pale, light: true, names: []string{
		"DataHubAccessToken", "DataHubAction", "DataHubConnection", "DataHubExecutionRequest", "DataHubFile", "DataHubIngestionSource",
		"DataHubOpenAPISchema", "DataHubPageModule", "DataHubPageTemplate", "DataHubPolicy", "DataHubRetention", "DataHubSecret",
		"DataHubStepState", "DataHubUpgrade", "DataHubView", "GlobalSettings", "InviteToken", "SearchTemplate", "Telemetry",
	}},
	{name: "history", shades: pale, light: true, names: storeLabels},
}

var storeLabels = []string{"TimeSeries", "Change", "Aspect"}

// relationshipFamilies are the relationship types; storeTypes are the types that the model does not have.
var relationshipFamilies = []family{
	{name: "lineage", shades: blue[1:2], names: []string{
		"DownstreamOf", "IndirectlyDownstreamOf", "Consumes", "Produces", "UpstreamOf", "DerivedFrom", "consumesField", "ConsumesMetric", "UsedBy", "TrainedBy",
		"DataProcessInstanceConsumes", "DataProcessInstanceProduces", "SourcedFrom", "ServiceComposesApi", "RepositoryForkOf", "ClonedFromAgent",
		"AgentUsesTool", "AgentUsesModel", "AgentHasSkill", "SkillRequiresTool", "DeployedTo",
	}},
	{name: "ownership", shades: green[:1], names: []string{
		"OwnedBy", "IsMemberOfGroup", "IsMemberOfNativeGroup", "IsMemberOfRole", "IsAssociatedWithRole", "IsUserOf", "ReportsTo", "IsPersona",
		"ownershipType", "FormAssignedToOwnershipType", "PartOfSlackWorkspace",
	}},
	{name: "vocabulary", shades: pink[1:2], names: []string{
		"TaggedWith", "TermedWith", "SchemaFieldTaggedWith", "SchemaFieldWithGlossaryTerm", "EditableSchemaFieldTaggedWith",
		"EditableSchemaFieldWithGlossaryTerm", "StructuredPropertyOf", "ContainsStructuredProperty", "BusinessAttributeOf", "IsA", "HasA", "Has", "HasValue",
		"IsRelatedTo", "RelatedTo",
	}},
	{name: "quality", shades: red[1:2], names: []string{
		"Asserts", "IsFailing", "IsPassing", "ActiveIncidents", "ResolvedIncidents", "IncidentOn", "ContractFor", "IncludesDataQualityAssertion",
		"IncludesFreshnessAssertion", "IncludesSchemaAssertion", "Announces",
	}},
	{name: "structure", shades: gray[2:3], names: []string{
		"IsPartOf", "Contains", "ContainedIn", "DashboardContainsDashboard", "DataProductContains", "ApplicationPartOf", "AssociatedWith", "IsAssociatedWith",
		"ChildOf", "IsChildOf", "InstanceOf", "PhysicalInstanceOf", "MemberOf", "SiblingOf", "SourcePlatform", "KeyedBy", "ModeledBy", "ForeignKeyTo", "ForeignKeyToDataset",
		"ermodelrelationA", "ermodelrelationB", "VersionOf",
	}},
	{name: "documents", shades: yellow[1:2], names: []string{"RelatedAsset", "RelatedDocument", "ReferencedBy", "PostTarget"}},
	{name: "administration", shades: pale[1:2], names: []string{"HasPersonalPageTemplate", "HasSummaryTemplate", "ingestionSource", "viewedWith"}},
	{name: "columns", shades: cyan[2:3], names: []string{"COLUMN_OF"}},
	{name: "labels of columns", shades: pink[2:3], names: []string{"HAS_TAG", "HAS_TERM"}},
	{name: "mirrored lineage", shades: blue[2:3], names: []string{"FED_BY"}},
	{name: "history", shades: pale[1:2], names: []string{"HAS_ASPECT", "HAS_TIME_SERIES", "HAS_RECORD", "ENDED"}},
}

var storeTypes = []string{"COLUMN_OF", "FED_BY", "HAS_TAG", "HAS_TERM", "HAS_ASPECT", "HAS_TIME_SERIES", "HAS_RECORD", "ENDED"}

// others is the family of the types that a custom model adds.
const others = "custom model"

// Sizes of nodes in pixels. Neo4j Browser offers only these.
const (
	large  = 65
	normal = 50
	small  = 40
)

var sizes = map[string]int{
	"Dataset": large, "Dashboard": large, "SchemaField": small, "Tag": small, "Aspect": small, "Change": small, "TimeSeries": small, "MlFeature": small,
}

// captions are for nodes that have no name of their own.
var captions = map[string]string{"TimeSeries": "{aspect}", "Change": "{aspect}"}

// Style is a style sheet for Neo4j Browser with a rule for each label and relationship type of the
// model, and for those of the store.
func Style(labels, relationshipTypes []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "node { diameter: %dpx; color: %s; border-color: %s; border-width: 2px; text-color-internal: #ffffff; font-size: 10px; caption: \"{name}\"; }\n",
		normal, gray[2], gray[1])
	fmt.Fprintf(&b, "relationship { color: %s; shaft-width: 1px; font-size: 8px; padding: 3px; text-color-external: %s; text-color-internal: #ffffff; caption: \"<type>\"; }\n",
		pale[0], gray[1])
	for _, f := range withOthers(nodeFamilies, slices.Concat(labels, storeLabels)) {
		for i, label := range f.names {
			b.WriteString(nodeRule(label, f.shades[i%len(f.shades)], f.light || i%len(f.shades) > 1))
		}
	}
	for _, f := range withOthers(relationshipFamilies, slices.Concat(relationshipTypes, storeTypes)) {
		for _, name := range f.names {
			b.WriteString(relationshipRule(name, f.shades[0], f.name == "lineage"))
		}
	}
	return b.String()
}

// withOthers returns the families, reduced to the names that exist, and a last family with the
// names that are in no other family.
func withOthers(families []family, names []string) []family {
	var list []family
	rest := slices.Sorted(slices.Values(names))
	for _, f := range families {
		f.names = slices.DeleteFunc(slices.Clone(f.names), func(name string) bool { return !slices.Contains(names, name) })
		rest = slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(f.names, name) })
		list = append(list, f)
	}
	return append(list, family{name: others, shades: lime, names: rest})
}

// nodeRule is the rule of a label. Text on light shades is dark.
func nodeRule(label, color string, light bool) string {
	text, size, caption := "#ffffff", normal, "{name}"
	if light {
		text = gray[0]
	}
	if s := sizes[label]; s != 0 {
		size = s
	}
	if c := captions[label]; c != "" {
		caption = c
	}
	return fmt.Sprintf("node.%s { color: %s; border-color: %s; text-color-internal: %s; diameter: %dpx; caption: %q; }\n", label, color, gray[1], text, size, caption)
}

// relationshipRule is the rule of a relationship type. Lineage is drawn thicker.
func relationshipRule(name, color string, thick bool) string {
	width, caption := 1, "<type>"
	if thick {
		width = 2
	}
	if name == "ENDED" {
		caption = "{type}"
	}
	return fmt.Sprintf("relationship.%s { color: %s; shaft-width: %dpx; caption: %q; }\n", name, color, width, caption)
}

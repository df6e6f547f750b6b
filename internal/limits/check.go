package limits

// Limits of the gate for changes.
const (
	// CheckPolicyBytes is how large a policy of headwater check may be, and CheckExceptions how many exceptions it may have.
	CheckPolicyBytes = 1 << 20
	CheckExceptions  = 1000
	// CheckFiles is how many files of SQL one state may have.
	CheckFiles = 10_000
	// CheckCatalogBytes is how large the catalog in a file may be.
	CheckCatalogBytes = 512 << 20
	// CheckQuestions is how many columns and tables the gate asks a catalog about.
	CheckQuestions = 2000
	// CheckRows is how many rows a list in a comment on a pull request has.
	CheckRows = 50
	// CheckSchemaBytes is how large a file of schemas may be, CheckSchemaFields how many fields its schemas may have, and
	// CheckSchemaDepth how deep they may be nested.
	CheckSchemaBytes  = 16 << 20
	CheckSchemaFields = 50_000
	CheckSchemaDepth  = 64
	// CheckMemoryBytes is how large the memory of a comparison may be, unpacked.
	CheckMemoryBytes = 256 << 20
	// OverlayAspects is how many proposals an overlay may have, and OverlayEdges how many edges they may state.
	OverlayAspects = 10_000
	OverlayEdges   = 100_000
	// OverlayDrawn is around how many tables of an overlay one graph is drawn, OverlayNodes how many nodes it has, and OverlayHops
	// how far it reaches.
	OverlayDrawn = 20
	OverlayNodes = 300
	OverlayHops  = 5
	// OverlayLosses is about how many lost tables and columns one comparison asks, OverlayReach how many entities each may affect,
	// and OverlayEffects how many certain and how many possible effects are listed.
	OverlayLosses  = 100
	OverlayReach   = 2_000
	OverlayEffects = 500
	// CheckLinkBytes is how long the link of a comment may be that carries the change.
	CheckLinkBytes = 16_000
)

// check are the limits of the gate, for the list of all limits.
func check() []Limit {
	return []Limit{
		{Name: "check policy", Value: CheckPolicyBytes, Unit: "bytes", Meaning: "The policy that headwater check reads. A larger one is an error."},
		{Name: "check exceptions", Value: CheckExceptions, Unit: "items", Meaning: "The exceptions of a policy of headwater check. More are an error."},
		{Name: "check files", Value: CheckFiles, Unit: "files", Meaning: "The files of SQL in one directory of headwater check. More are an error."},
		{Name: "check catalog", Value: CheckCatalogBytes, Unit: "bytes", Meaning: "The catalog in a file that headwater check reads. A larger one is an error."},
		{Name: "check questions", Value: CheckQuestions, Unit: "items", Meaning: "The changed columns and failing tables about whose effects one headwater check asks a catalog; about forms, structured properties and further readers, it asks as often again. Of more, the check says that it is incomplete."},
		{Name: "check rows", Value: CheckRows, Unit: "items", Meaning: "The rows of a list in the comment that headwater check writes. Of a longer list the beginning is shown, with the number of those left out."},
		{Name: "check memory", Value: CheckMemoryBytes, Unit: "bytes", Meaning: "Unpacked, what headwater check keeps in its cache of what SQL said, for the next run on the same project. Of a larger one, nothing is kept."},
		{Name: "overlay", Value: OverlayAspects, Unit: "proposals", Meaning: "The proposals of an overlay over which lineage or impact is asked. More are refused with 400."},
		{Name: "overlay edges", Value: OverlayEdges, Unit: "edges", Meaning: "The edges that the values of an overlay state. More are refused with 400."},
		{Name: "overlay drawn", Value: OverlayDrawn, Unit: "tables", Meaning: "The tables of an overlay around which one comparison draws the graph. Of more, the answer says that it is partial; the graph around each of them can be asked for."},
		{Name: "overlay nodes", Value: OverlayNodes, Unit: "nodes", Meaning: "The nodes of the graph of a comparison, the nearest first. Of more, the answer says that it is partial."},
		{Name: "overlay hops", Value: OverlayHops, Unit: "hops", Meaning: "How far the graph of a comparison reaches in both directions. More are refused with 400."},
		{Name: "overlay losses", Value: OverlayLosses, Unit: "items", Meaning: "The lost tables and columns about whose effects a comparison asks, tables first. Of more, the answer says that it is partial."},
		{Name: "overlay reach", Value: OverlayReach, Unit: "entities", Meaning: "The entities that one lost table or column may affect in a comparison, the nearest first. Of more, the answer says that it is partial."},
		{Name: "overlay effects", Value: OverlayEffects, Unit: "items", Meaning: "The certain effects, and the possible ones, that a comparison lists, the nearest first. Of more, the answer says that it is partial."},
		{Name: "check link", Value: CheckLinkBytes, Unit: "bytes", Meaning: "The link in the comment of headwater check that carries the change. A longer one leads to the page without the change, where the file of --overlay-out is opened."},
		{Name: "check schema", Value: CheckSchemaBytes, Unit: "bytes", Meaning: "A file of schemas that headwater check reads: Avro, JSON Schema, OpenAPI or descriptors of Protobuf. A larger one is an error."},
		{Name: "check schema fields", Value: CheckSchemaFields, Unit: "fields", Meaning: "The fields of the schemas of one such file, counted at each place where a type is used. More are an error."},
		{Name: "check schema depth", Value: CheckSchemaDepth, Unit: "levels", Meaning: "How deep the fields of such a schema are nested. Deeper ones are an error; a type inside itself is not followed."},
	}
}

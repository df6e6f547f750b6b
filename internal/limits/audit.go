package limits

// Limits of the audit trail.
const (
	// DefaultAuditPage is how many entries a page of the audit trail has if the reader does not say,
	// MaxAuditPage how many it may have.
	DefaultAuditPage = 100
	MaxAuditPage     = 1_000
	// MaxAuditScan is how many records one page reads before it answers with the entries found so far. A
	// record has up to 100 entries.
	MaxAuditScan = 500
	// MaxAuditEntities is how many of the entities of a request its entry lists, and how many of the
	// aspects.
	MaxAuditEntities = 10
	// MaxAuditText is how many bytes of a text from outside an entry keeps.
	MaxAuditText = 300
	// MaxAuditEntries is how many entries the audit trail keeps.
	MaxAuditEntries = 1_000_000
	// MaxAuditQueue is how many entries a server keeps that the store does not take.
	MaxAuditQueue = 10_000
	// MaxAuditRefusals is how many different refusals of one minute a server counts one by one.
	MaxAuditRefusals = 1_000
	// AuditLateSeconds is how long after its time an entry may be stored and still be streamed.
	AuditLateSeconds = 120
)

// audits lists the limits of the audit trail.
func audits() []Limit {
	return []Limit{
		{Name: "audit page", Value: MaxAuditPage, Unit: "entries", Meaning: "The entries in one page of the audit trail. More are refused with 400."},
		{Name: "audit scan", Value: MaxAuditScan, Unit: "records", Meaning: "The records of the audit trail, with up to 100 entries each, that one page reads. A page that has read so many ends early, and its cursor continues."},
		{Name: "audit entities", Value: MaxAuditEntities, Unit: "items", Meaning: "The entities and the aspects, each, that an entry of the audit trail lists. Further entities are only counted, up to 10,000."},
		{Name: "audit text", Value: MaxAuditText, Unit: "bytes", Meaning: "How much an entry of the audit trail keeps of the user agent, of the reason of a refusal and of other texts. Longer texts are cut."},
		{Name: "audit entries", Value: MaxAuditEntries, Unit: "entries", Meaning: "The entries that the audit trail keeps. The oldest beyond this number are deleted, as are those older than the setting audit-age."},
		{Name: "audit queue", Value: MaxAuditQueue, Unit: "entries", Meaning: "The entries that a server keeps in memory while the store does not take them. Further entries are lost; an entry tells how many."},
		{Name: "audit stream", Value: AuditLateSeconds, Unit: "seconds", Meaning: "How long after its time an entry of the audit trail may reach the store, or how far the clock of its server may be behind, so that the stream is sure to send it. GET /audit has each entry."},
		{Name: "audit refusals", Value: MaxAuditRefusals, Unit: "refusals", Meaning: "The refusals of one minute with different addresses, doors or reasons that a server notes one by one. Further refusals of that minute are counted in one entry."},
	}
}

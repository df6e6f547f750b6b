package limits

// Limits of announced changes.
const (
	// AnnouncedChanges is how many announced and unannounced changes a catalog keeps.
	AnnouncedChanges = 10_000
	// AnnouncedMembers is how many changes of tables and columns one announced change has, AnnouncedDatasets how many datasets
	// one of these may be about, and AnnouncedEffects how many effects and how many exceptions are kept.
	AnnouncedMembers  = 1_000
	AnnouncedDatasets = 10
	AnnouncedEffects  = 100
	// AnnouncedText is how long a text of an announced change may be, in bytes.
	AnnouncedText = 2_000
	// AnnouncedDays is the largest number of days for which a change may be expected; DefaultAnnouncedDays is
	// the number for a request without one.
	AnnouncedDays        = 365
	DefaultAnnouncedDays = 90
	// AnnouncedPage is the largest number of announced changes in one answer; DefaultAnnouncedPage is the
	// number for a request without one.
	AnnouncedPage        = 200
	DefaultAnnouncedPage = 50
	// AnnouncedOfTable is how many announcements of one table an arriving change is compared with.
	AnnouncedOfTable = 1_000
)

// announced are the limits of announced changes, for the list of all limits.
func announced() []Limit {
	return []Limit{
		{Name: "announced changes", Value: AnnouncedChanges, Unit: "changes", Meaning: "The announced changes that a catalog keeps, with those that nobody announced. Of the latter, the oldest are deleted first; if there are none, one more announcement is refused with 400."},
		{Name: "announced members", Value: AnnouncedMembers, Unit: "items", Meaning: "The changes of tables and columns that one announced change has. More are refused with 400. An unannounced change has the first so many."},
		{Name: "announced datasets", Value: AnnouncedDatasets, Unit: "datasets", Meaning: "The datasets of one member of an announced change. More are refused with 400."},
		{Name: "announced effects", Value: AnnouncedEffects, Unit: "items", Meaning: "The effects, and the exceptions, that one announced change has. More are refused with 400; headwater check sends the first so many, and the number of all effects."},
		{Name: "announced text", Value: AnnouncedText, Unit: "bytes", Meaning: "A text of an announced change, such as the address of the pull request. A longer one is refused with 400."},
		{Name: "announced days", Value: AnnouncedDays, Unit: "days", Meaning: "For how many days an announced change is expected. More are refused with 400."},
		{Name: "announced page", Value: AnnouncedPage, Unit: "changes", Meaning: "The announced changes in one answer. More are refused with 400."},
		{Name: "announced of table", Value: AnnouncedOfTable, Unit: "changes", Meaning: "The announcements of one table with which a change that arrives is compared. Further ones are left out."},
	}
}

package call

// The privileges of the platform that endpoints need.
const (
	ManageSystem = "MANAGE_SYSTEM_OPERATIONS"
	// Reindex permits to write documents of the search index again, Truncate to delete time series.
	Reindex  = "RESTORE_INDICES_PRIVILEGE"
	Truncate = "TRUNCATE_TIMESERIES_INDEX_PRIVILEGE"
	// ReadLog permits to read the change log.
	ReadLog = "GET_METADATA_CHANGE_LOG_EVENTS"
	// ManageIngestion permits to manage and run ingestion sources.
	ManageIngestion = "MANAGE_INGESTION"
)

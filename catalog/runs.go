package catalog

// NoRunID is the run of writes that do not name a run.
const NoRunID = "no-run-id-provided"

// PlatformsRun is the run of the common data platforms and the other entities that every catalog
// has.
const PlatformsRun = "headwater-platforms"

package catalog

import "time"

// NoRunID is the run of writes that do not name a run.
const NoRunID = "no-run-id-provided"

// PlatformsRun is the run of the common data platforms and the other entities that every catalog
// has.
const PlatformsRun = "headwater-platforms"

// ClockSkew is how far the clocks of a server and of a client that tells times of its runs may be apart.
const ClockSkew = time.Minute

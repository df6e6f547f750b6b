package limits

// These bound batches of writes.
const (
	// MaxBatchItems is how many JSON values a batch of writes may have.
	MaxBatchItems = 2_000_000
	// MaxProposals is how many proposals one request may have.
	MaxProposals = MaxBodyList
	// MaxWholeBatch is how many proposals a batch may have that is written
	// completely or not at all, MaxWholeBatchBytes how many bytes of values.
	MaxWholeBatch      = 2_000
	MaxWholeBatchBytes = 24 << 20
)

package graphstore

// Empty reports whether a batch writes nothing.
func (b *Batch) Empty() bool { return b.Len() == 0 }

// Len returns the number of items that a batch writes or deletes.
func (b *Batch) Len() int {
	return len(b.DeleteEntities) + len(b.DeleteVersions) + len(b.Observe) + len(b.Archive) + len(b.Restore) +
		len(b.PutArchived) + len(b.PutVersions) + len(b.Nodes) +
		len(b.EndEdges) + len(b.UpdateEdges) + len(b.AddEdges) + len(b.EnsureEdges) + len(b.AddEnded) +
		len(b.PutTimeSeries) + len(b.DeleteTimeSeries) + len(b.PutRecords) + len(b.Changes)
}

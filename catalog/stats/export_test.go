package stats

// These are internals that the tests of this package need.
const (
	CountMetric  = countMetric
	DateBucket   = dateBucket
	LatestMetric = latestMetric
	StringBucket = stringBucket
	SumMetric    = sumMetric
	Timestamp    = timestamp
)

package stats

// What the tests of this package look at from outside.
const (
	CountMetric  = countMetric
	DateBucket   = dateBucket
	LatestMetric = latestMetric
	StringBucket = stringBucket
	SumMetric    = sumMetric
	Timestamp    = timestamp
)

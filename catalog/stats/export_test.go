package stats

// What the tests of this package look at from outside.
const CountMetric = countMetric
const DateBucket = dateBucket
const LatestMetric = latestMetric
const StringBucket = stringBucket
const SumMetric = sumMetric
const Timestamp = timestamp

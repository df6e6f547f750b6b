package call

// ExampleTable is the dataset that the examples write and read.
const (
	ExampleTable        = "urn:li:dataset:(urn:li:dataPlatform:kafka,example.orders,PROD)"
	ExampleTableEncoded = "urn%3Ali%3Adataset%3A%28urn%3Ali%3AdataPlatform%3Akafka%2Cexample.orders%2CPROD%29"
)

// Parameters that endpoints of several families have.
var (
	AspectsParameter = Parameter{"aspects", "list", "List(name,…): only these aspects", false}
	StartParameter   = Parameter{"start", "integer", "0 when left out", false}
	MomentParameter  = Parameter{"asOf", "string", "a past moment: epoch milliseconds, 2026-10-21 or 2026-10-21T08:00:00Z; now when left out", false}
)

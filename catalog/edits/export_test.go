package edits

// The constants that the tests of package edits_test read.
const (
	AssetMember   = assetMember
	ProductAssets = productAssets
)

// SortIDAfter is exported for its own test.
var SortIDAfter = sortIDAfter

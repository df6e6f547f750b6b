package edits

// What the tests of this package look at from outside.
const (
	AssetMember   = assetMember
	ProductAssets = productAssets
)

// SortIDAfter is tested by itself.
var SortIDAfter = sortIDAfter

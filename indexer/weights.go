package indexer

// TextClass groups texts by the weight of a hit in them.
type TextClass int

// The classes, most important first.
const (
	TextName TextClass = iota
	TextMajor
	TextBody
	TextMinor
	TextClasses // the number of classes
)

// Weights are the weights of a hit in each class.
var Weights = [TextClasses]int{10, 5, 2, 1}

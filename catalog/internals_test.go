package catalog

// What the tests of this package look at from outside.
const DraftsAtOnce = draftsAtOnce
const InsideBytes = insideBytes
const OutsideTries = outsideTries
const PathsActorName = pathsActorName
const PathsAtOnce = pathsAtOnce
const ScanPage = scanPage

var NewWork = newWork
var ErrOutside = errOutside

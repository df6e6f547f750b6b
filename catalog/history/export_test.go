package history

// These are internals that the tests of this package need.
const RolledBackPage = rolledBackPage

var Shortened = shortened

package history

// What the tests of this package look at from outside.
const RolledBackPage = rolledBackPage

var Shortened = shortened

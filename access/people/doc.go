// Package people has the passwords of people who sign in here, the links that let people in, and
// the link that makes the first administrator. None of these is metadata: they are records of the
// store, which no export has and no reader of the catalog sees.
package people

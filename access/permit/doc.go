// Package permit decides which acts callers may perform: it reads the policies of the catalog, the facts of the
// entities that a question is about, and asks package policies. Every door and room asks it through
// [permission.Set] and [write.Protect].
package permit

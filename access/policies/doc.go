// Package policies decides what an actor may do. It is pure: it reads no store. A caller gives it the
// policies, the actor and the facts of a resource.
//
// [Compile] makes a [Set] of the policies that hold at a moment. [Set.Rights] chooses the rules that
// concern one actor. [Rights.Allows] and [Rights.Decide] answer questions about one resource;
// [Rights.Filter] is the same answer as an expression, for indexes and walks.
//
// The rules are those of the reference's policies, with two additions: a policy may deny, and a
// policy may end. A question about several privileges is allowed if one of them is granted and not
// denied. A denial beats every grant of the same privilege.
package policies

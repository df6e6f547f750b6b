// Package manage lets callers read and change the policies of the catalog, apply and test files of
// policies, and ask why somebody may do something. Package access/permit applies the policies.
package manage

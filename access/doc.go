// Package access decides who makes a request: it reads what a caller shows, and asks the packages
// below it whether that holds.
package access

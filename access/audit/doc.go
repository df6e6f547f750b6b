// Package audit is the audit trail: who did something, from where, by which means, and whether the
// server allowed it.
package audit

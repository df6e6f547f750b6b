// Package keys has the secrets of the server: the keys that sign tokens, the salt of their ids, and
// the secret of the system client. They are in one file, which may change while the server runs.
package keys

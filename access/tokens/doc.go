// Package tokens makes, checks, lists and revokes access tokens. A token is a signed text that only
// its holder has; the catalog stores the metadata of a token under the hash of this text.
package tokens

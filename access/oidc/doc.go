// Package oidc lets people sign in with an identity provider (OpenID Connect), and checks the tokens
// that a provider gives to machines. It knows no HTTP of ours and stores nothing.
package oidc

// Package sessions has the sessions of people who have signed in.
package sessions

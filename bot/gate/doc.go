// Package gate decides who is answered. People who opted out are not: nothing they write
// is used until they opt in. Everybody can opt out and in by saying so to heddle.
package gate

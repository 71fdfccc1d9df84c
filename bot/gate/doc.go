// Package gate decides who is answered. It turns away people who opted out, and
// everything that they write goes unused until they opt in again. People opt out and in
// by telling heddle.
package gate

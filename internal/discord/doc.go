// Package discord reads Discord's payloads and calls its REST API. Payloads are decoded
// field by field, so that an unexpected field does not affect the others. The package
// has no state except rate limits and Discord's time. Decisions are left to its
// callers.
package discord

// Package discord reads Discord's payloads and calls its REST API. Payloads are read
// field by field, so that one odd field never costs the others. The package keeps no
// state except rate limits and makes no decisions; bot and fetch make them.
package discord

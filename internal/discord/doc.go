// Package discord is Discord's wire: its payloads, read field by field so that one
// odd field never loses the rest, and the one caller of its REST API. It holds no
// state but rate limits and takes no decisions; fetch and bot do.
package discord

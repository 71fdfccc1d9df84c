// Package guilds holds what the gateway reported about guilds, their roles and
// channels. It computes from it the scope of a channel, what heddle and others may read
// in it, and under which user and roles heddle is there.
package guilds

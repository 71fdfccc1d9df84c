// Package clients checks the server of internal/discordtest with clients that we did
// not write: discord.py and discord.js. What they accept as Discord is closer to
// Discord than what we would accept.
//
// The checks need /usr/bin/python3 with Debian's python3-discord, and Node with the
// packages of package-lock.json (npm ci). If a client is missing, its check fails where
// CI is true in the environment, and is skipped with a log line elsewhere.
package clients

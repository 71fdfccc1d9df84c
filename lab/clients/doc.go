// Package clients checks the server of internal/discordtest with clients that we did
// not write: discord.py and discord.js. They know details of Discord that we might have
// got wrong in both the server and heddle.
//
// The checks need /usr/bin/python3 with Debian's python3-discord, and Node with the
// packages of package-lock.json (npm ci). If a client is missing, its check passes with
// a log line, unless CI is true in the environment: then it fails.
package clients

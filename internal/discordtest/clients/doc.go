// Package clients checks the server of internal/discordtest with clients that
// nobody here wrote: discord.py and discord.js. What they take for Discord is
// closer to Discord than what we would.
//
// The checks need /usr/bin/python3 with Debian's python3-discord, and Node with
// the packages of package-lock.json (npm ci). Where CI is true in the environment
// they must be there, and a missing one is a failure; elsewhere a check that
// cannot run says why and is passed over.
package clients

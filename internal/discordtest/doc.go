// Package discordtest is a Discord server of our own: API v9 and v10 over real
// HTTP and a real websocket on a loopback address, for tests and for `heddle try`.
//
// A Server holds a world of guilds, channels, people and bots. Tests build it
// with the Add methods, act as people with Post, Edit, Delete and Press, and bots act on
// it as they would on Discord. What happened can be read (Messages, Requests) or
// waited for (AwaitMessage, AwaitRequest, Watch); every wait blocks on a channel
// under a context, none of them polls.
//
// Faults come in two kinds. A Fault is injected into REST requests: delays, gates,
// 429 and 5xx before or after the request took effect, cut connections, rewritten
// bodies. On the gateway, events can be held, dropped, doubled and reordered
// (InterceptEvents, HoldEvents), sockets cut with any close code, told to
// reconnect or invalidated, silenced, and handshakes answered wrongly.
//
// Where Discord's documentation is silent the server does what was observed, and
// where nothing was observed it does the strict thing, so that a mistake shows.
//
// Locks: Server.mu guards the world, sessions, watchers and records. Nothing waits
// or writes to a network while holding it; sockets have a queue and a writer of
// their own. Methods that end in Locked want it held.
package discordtest

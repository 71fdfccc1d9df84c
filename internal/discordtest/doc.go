// Package discordtest is a fake Discord server, for tests and for `heddle try`. It
// serves API v10 over real HTTP and a real websocket on a loopback address.
//
// A Server consists of parts, each of which owns its state:
//
//	World        makes guilds, roles and channels
//	People       makes accounts of people and bots, and members of guilds
//	Chat         writes as people: Post, Edit, Delete, React; and reads channels
//	Interactions acts as people on bots: Press, Invoke, Submit
//	Gateway      counts what is connected, and breaks connections as Discord does
//	Events       are what the gateway sends; they can be lost, doubled, swapped and changed
//	Record       holds the requests that came in
//	Faults       strike requests: gates, errors before or after the effect
//
// Bots act on the server as on Discord, over REST and the gateway. Tests read what
// happened (Chat.Messages, Record.Requests) or wait for it (Chat.AwaitMessage,
// Chat.Watch, Record.AwaitRequests). Every wait blocks on a channel under a context;
// none polls.
//
// The server follows Discord's documentation and, where that is silent, what was
// observed, as far as heddle needs it. What requests may hold is checked by package
// documented, in tests.
//
// Discord tells some things in part of its answers alone, and so does the server: nicknames in
// events and interactions; the votes of a poll over REST; a channel that a bot may not view
// over the gateway, hidden; neighbours of what a search found nowhere.
//
// # Going wrong
//
//	an error or 429 of the API    Faults.Inject(Refused(match, 403, 50001, "…")), TooMany
//	502, before or after effect   BadGateway, with After set if the request takes effect
//	a slow or cut answer          Fault.Gate, GateAfter, Cut
//	a lost or doubled event       Events.Intercept(Dropped("MESSAGE_CREATE")), Doubled, Swapped
//	an unanswered resume          Gateway.InjectHandshake(HandshakeFault{Resume: true, Times: -1})
//	op 9 after an absence         Gateway.EndSessions
//	other shards than before      Gateway.Recommend
//	another dialect of Discord    Rewritten and NumbersAsStrings, as Fault.Rewrite or in an interceptor
//	damaged payloads              Gateway.SendRaw
//
// # Inside
//
// Calls go in one direction. A request comes in through rest, whose handlers change the
// world. The world emits events. Events sends them to sessions, which write to sockets.
//
// # Locks
//
// A waittest.Monitor is a lock with a way to wait for changes. One guards the world, the
// sessions and the sockets, so that events go out in the order of the changes. Another
// guards Record and Faults. Exported methods take the lock. So
// does rest around its handlers, and the Gateway around what it receives. All other
// methods run with the lock held. Nothing waits or writes to a network while it holds a
// lock: each socket has a queue and a goroutine that writes it.
package discordtest

// Package playground is "heddle try": a small Discord of one's own with the real
// bot in it, and a page to talk to it.
//
// Run puts together a world on internal/discordtest, a model (the one given, or a
// stand-in on internal/openaitest that needs no network) and a page on a loopback
// address, and starts the bot through a function it is given, so that this package
// does not know the bot. The page shows what happens in the world as it happens,
// and for every answer which messages it was made from and why.
//
// The page is for the person at this machine: it listens on loopback addresses
// only, answers only requests that name its own address (so that no other name can
// be pointed at it), and takes changes only from itself.
package playground

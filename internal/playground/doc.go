// Package playground is "heddle try": a small Discord with the real bot in it, and a
// page to talk to it.
//
// Run starts a fake Discord from internal/discordtest, the page on a loopback address
// and, unless a model is given, a simulated one from internal/openaitest that needs no
// network. A function argument starts the bot, so this package does not depend on it.
// The page shows what happens on the fake Discord, and for every answer which messages
// it was made from and why, beside what a bot would read that takes the last 30. It opens on
// an answer that was written for it. An Ollama on this machine can take the simulated
// model's place (mind.go).
//
// Exports of channels become channels of this world, at their own times (import.go), and open
// on a card (overview.go). The page holds some hundred messages of a channel, around the place
// where one reads. Of any message the page shows what it would be answered from (preview.go and
// internal/why): web/graph.js draws the graph, web/path.js what is sent, and
// web/tune.js lets one move the thresholds.
//
// Live (live.go) is the view on a running heddle, for its operator: web/live.js draws its
// latest answers with the same modules.
//
// # The page
//
// web holds ES modules without a build step, and body.html the page itself. Nothing is
// loaded from elsewhere.
//
//	app.js                        connects the others, and says what people do with messages
//	state.js                      what the page knows: world, messages, channel, author, context
//	server.js                     ask, the stream of happenings, fault, tell and announce
//	log.js, message.js            the messages of a channel; only what changed is drawn anew
//	markdown.js, text.js, svg.js  what people wrote, as nodes, never as markup
//	compose.js                    writing: replies, edits, files, commands
//	drafts.js                     what is typed and not sent yet, in each channel
//	forms.js                      forms that heddle opens
//	places.js, menu.js            channels and people; menus and dialogs
//	model.js                      what answers, and how to connect a real model
//	panel.js                      the panel beside the messages, with its tabs:
//	why.js                        why an answer was made from what it was made from
//	graph.js, layout.js, path.js  the graph of it, and what became of it on the way to a model
//	tune.js                       thresholds to move
//	import.js                     exports of real channels
//	overview.js                   the card on which such a channel opens
//
// A module that draws state.context must then call drawMarks of log.js, which marks the
// messages in it. A change of people or channels (world.arrange) makes every
// open page load them again.
//
// The page is only for the person at this machine. It is served on loopback addresses
// only. Requests for other hosts are refused, which prevents DNS rebinding, and so are
// changes that do not come from the page itself.
package playground

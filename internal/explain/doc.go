// Package explain shows what heddle would answer a message from, and why, in a
// channel that DiscordChatExporter exported. It reads the export as the bot reads
// Discord: through the same windows before the trigger and around what is referred
// to, so that the explanation is what the bot would have done.
//
// An export may be larger than memory. The first pass over the files finds the
// trigger; a second holds what stands before it; each round of references that lead
// further costs one more. Nothing else is kept.
package explain

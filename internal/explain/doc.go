// Package explain shows what heddle would answer a message of an exported channel
// from, and why. It reads the export as the bot reads Discord, through the same windows
// before the trigger and around references, so that it explains what the bot would
// have done.
//
// An export may be larger than memory. The first pass over the files finds the
// trigger, and a second one keeps the messages before it. Each round of references
// that lead further costs another pass. Nothing else is kept.
package explain

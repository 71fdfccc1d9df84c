// Package explain shows from which messages heddle would answer a message of an
// exported channel, and why. It reads the export as the bot reads Discord, through the
// same windows before the trigger and around references, so the result is what the bot
// would have done.
//
// An export may be larger than memory. The first pass over the files finds the trigger,
// and the second one keeps the messages before it. Each round of references that lead
// outside of the messages held needs another pass. Nothing else is kept.
package explain

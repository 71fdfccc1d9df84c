// Package openaitest is a server of our own that speaks OpenAI's chat completions
// API on a loopback address: answers are scripted, every request is kept as it was
// sent, and each way in which a provider is known to fail can be asked for.
//
// Nothing in it waits for time to pass. A stall lasts until the channel that the
// script gave is closed, the client hangs up, or the server is closed.
//
// It serves tests and `heddle try` alike and never imports testing.
package openaitest

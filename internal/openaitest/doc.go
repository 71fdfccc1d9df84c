// Package openaitest is a server of our own that speaks OpenAI's chat completions
// API on a loopback address. Answers are scripted, every request is kept as it was
// sent, and a reply can fail in every way in which providers are known to fail.
//
// Nothing in it waits for time to pass. A stall lasts until the script closes its
// channel, the client hangs up, or the server closes.
//
// It serves tests and `heddle try`, and never imports testing.
package openaitest

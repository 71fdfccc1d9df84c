// Package openaitest is a fake server for OpenAI's chat completions and transcriptions on a
// loopback address. Answers are scripted, every request is recorded as it was sent, and a reply
// can fail in all the ways in which providers are known to fail.
//
// The server never waits for time to pass. A stalled answer continues when the script
// closes its channel, and ends when the client hangs up or the server closes.
//
// It serves tests and `heddle try`, and never imports testing.
package openaitest

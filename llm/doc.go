// Package llm talks to any server that speaks OpenAI's chat completions API.
//
// A Client streams the answer to a path and its tail. It renders turns so that
// nothing that people write can pass for another speaker or for heddle itself
// (see Render), waits as long as bytes keep coming, retries what is worth retrying
// as long as no text was shown, gives up one by one the request fields that a
// provider rejects, and maps every failure to one Error, which holds no text of
// anybody's and no key.
//
// go-openai builds requests and takes the stream apart. Between it and the wire
// stands an exchange, which adds the fields that go-openai cannot send, keeps the
// exact bytes sent, and hands it only clean data lines (see docs/decisions/llm.md).
package llm

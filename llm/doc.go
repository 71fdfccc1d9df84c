// Package llm talks to any server that speaks OpenAI's chat completions API.
//
// A Client streams the answer to a path and its tail. It renders turns so that
// nothing that people write can pass for another speaker or for heddle itself (see
// Render). It waits as long as bytes keep coming. It retries what is worth retrying
// as long as no text was shown. It leaves out, one by one, the request fields that a
// provider rejects. It maps every failure to one Error, which holds no text of
// anybody's and no key.
//
// # What is go-openai's and what is not
//
// The parts of a request are go-openai's types. The HTTP exchange, the stream and its chunks
// are this package's own: go-openai's client sends no fields but its own and loses Retry-After; its stream takes
// blank lines and comments for faults, and finds an error by the spaces in it; its chunk
// loses reasoning under vLLM's and OpenRouter's name, text in pieces, and arguments that
// are an object.
package llm

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
// Requests are go-openai's types: compose fills an openai.ChatCompletionRequest with
// its messages and tools, and encode writes it byte for byte as go-openai would, with
// the fields behind it that go-openai has no room for. What a response charged is
// decoded by go-openai's type too.
//
// The HTTP exchange, the stream and its chunks are this package's own. go-openai's
// client sends no body but its own, and loses Retry-After and the words of an error.
// Its stream parser counts blank lines and comments as faults, and finds or loses an
// error by the spaces in it. Its chunk loses reasoning under the name that vLLM and
// OpenRouter use, text in pieces, arguments that are an object, and an error beside
// them; one odd field, such as a fractional time, loses the chunk.
package llm

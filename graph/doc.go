// Package graph separates the conversations of a channel: from a trigger it builds the
// graph of the messages that belong to the trigger's conversation.
//
// It is pure. It reads through a Source that its caller passes in, has no clock, starts
// no goroutine and imports only the standard library. The same input leads to the same
// graph, whatever order messages were fetched in.
//
// # How a graph grows
//
// Expand keeps a line of everything it has read: messages, and which stand next to
// each other (line.go). It asks sources for more than the next step needs, so that a
// conversation takes few reads. What was read ahead does not matter until a round
// comes to it.
//
// The seeds come first. Then rounds go on until nothing more is reached: tik (tik.go)
// follows references, tok (tok.go) walks to neighbours, and of the ways that either finds
// the best are taken while there is room. A walk ends in a Seal. In the end, admit.go
// admits what was reached.
//
// An Affinity judges (judge.go) whenever the rounds come to an end, and they go on if that
// shows more. What it judges is evidence: the messages right before the trigger, whatever
// the gaps, and those around each message that references led to outside of these. Tik then
// follows links that are likely enough, and tok walks past messages of other talks. Neither
// starts from them. belief.go turns the links of all messages into the probability of each
// to belong to the trigger's conversation. cut.go takes the trigger's references, and then
// the likeliest messages that were reached as long as the expected F-measure grows, each
// with what it refers to.
//
// Part (part.go) parts all of a stretch into its talks instead, by the same links: each
// message joins the talk that it most likely answers (part_vote.go).
//
// The result of Expand (result.go) is ordered by Position; explain.go and its neighbours describe
// it to people and programs.
package graph

// Package graph parts the threads of a channel: from a trigger it builds the graph
// of messages that belong to the trigger's conversation.
//
// It is pure. It reads through a Source that its caller gives it, knows no clock,
// starts no goroutine and imports the standard library only: the same input gives
// the same graph, whatever order things were fetched in.
//
// # How a graph grows
//
// Expand keeps a line of everything it has read: messages, and which stand next to
// each other (line.go). Sources are asked for more than the next step needs, so that
// a conversation takes few reads; what was read ahead is in the line and does not
// matter until a round comes to it.
//
// Without an Affinity, tik (tik.go) and tok (tok.go) collect the ways that lead out
// of the graph in one round each, and admit.go takes the best as far as there is
// room. Every side of every message ends in a neighbour or in a Seal.
//
// With an Affinity, exploring and admitting are apart. explore.go reads the messages
// before the trigger and what references of the conversation lead to, each stretch
// with its neighbours. belief.go turns the links of all messages into the
// probability of each to hang together with the trigger, cut.go takes the likeliest
// as far as the expected F-measure grows, and why.go says what led to each. What a
// reference of theirs leads to is explored in turn, until nothing new is found.
//
// The result (result.go) is ordered by Position; explain.go and its neighbours show
// it to people and programs.
package graph

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
// Without an Affinity, tik (tik.go) and tok (tok.go) collect the ways that lead out
// of the graph in one round each, and admit.go takes the best while there is room.
// Every side of every message ends in a neighbour or in a Seal.
//
// With an Affinity, exploring and admitting are separate. explore.go reads the messages
// before the trigger; chase.go follows references to their end and reads around what
// they lead to. judging.go asks the affinity for links. belief.go turns the links of all
// messages into the probability of each to belong to the trigger's conversation. cut.go
// takes the trigger's references, and then the likeliest messages as long as the
// expected F-measure grows, each with what it refers to. weigh.go repeats this until no
// reference leads to anything new. background.go adds what is in whatever the
// probabilities are, and why.go records what led to each message.
//
// Part (part.go) parts all of a stretch into its talks instead, by the same links: each
// message joins the talk that it most likely answers (part_vote.go), and branches that have
// nothing to do with their talk are cut off (part_branch.go).
//
// The result of Expand (result.go) is ordered by Position; explain.go and its neighbours describe
// it to people and programs.
package graph

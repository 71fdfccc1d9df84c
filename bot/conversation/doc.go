// Package conversation prepares what a question is answered from:
//
//	read → expand → shape → summarise → recall
//
// A Question comes in: where it was asked, and who asks it. The package reads the channel
// as far as the asker may read it, chooses the messages that belong to the question, and
// shapes them into a path and a tail. A Prepared goes out: the request to the model, the
// messages that it is made from, and the hash under which its answer is recorded.
//
// The package asks the model only for what the path itself needs: a summary of messages
// that left it. It sends nothing to Discord.
package conversation

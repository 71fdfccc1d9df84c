// Package conversation prepares what a question is answered from:
//
//	read → expand → shape → summarise → recall
//
// A Question comes in: where it was asked, and who asks it. The package reads the channel
// as far as the asker may read it, chooses the messages that belong to the question, and
// shapes them into a path and a tail. A Prepared goes out: the request to the model, the
// messages that it is made from, and the hash under which its answer is recorded.
//
// The package asks models only for what the path itself needs: a summary of messages that left
// it, the choice of a reader (READER), and the text of voice messages (TRANSCRIBE). It sends no
// message to Discord.
package conversation

// Package chatlog reads logs of chats in which people marked which message answers which
// (read.go, record.go), and exports of DiscordChatExporter as such logs.
//
// The marks (Gold) are kept apart from the messages, so that strategies cannot see
// them. A View shows the messages of a log to strategies (view.go), and reply.go shows
// single replies.
//
// The package also holds what the commands that read logs have in common: their command
// lines (commandline.go), and how results are written (write.go).
package chatlog

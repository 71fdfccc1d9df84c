// Package chatlog reads logs of chats in which people marked which message answers which
// (read.go, record.go), and exports of DiscordChatExporter as logs (export.go).
//
// The marks (Gold) are kept apart from the messages, so that strategies cannot see
// them. A View shows the messages of a log to strategies (view.go), and reply.go hides
// and shows single replies.
//
// The package also holds what the commands that read logs have in common: how logs are
// named on the command line (commandline.go), errors that people can correct
// (errors.go), and how results are written (write.go).
package chatlog

// Package phrases holds everything that people on Discord read from heddle beside the
// model's own words, and everything that heddle itself tells the model. A sentence
// says what happened and what the reader can do. It never mentions machinery.
package phrases

import (
	"fmt"
	"strings"
	"time"

	"heddle/bot/tools"
)

// What people read in place of an answer, or below one that broke off.
const (
	Unreachable    = "I can't reach my language model right now. Please try again in a minute."
	ModelBusy      = "My language model is overloaded right now. Please try again in a minute."
	ModelFailed    = "My language model failed to answer. Please try again."
	ModelStopped   = "My language model stopped in the middle of the answer. Mention me again to have another go."
	ModelMisset    = "My language model refuses to work with me. Whoever runs me should check the model's name, address and key."
	ModelQuota     = "The budget for my language model is used up. Whoever runs me has to raise it."
	TooLong        = "This conversation is too long for my language model. Start a thread, or ask with less."
	Refused        = "My language model's provider would not answer that."
	Empty          = "My language model had nothing to say. Asking in other words may help."
	Shutdown       = "I am being restarted and had to stop here. Mention me again in a moment."
	NoHistory      = "I couldn't read this channel's messages. Ask an admin to give me Read Message History here."
	DiscordTrouble = "Discord didn't let me read the conversation. Please try again in a minute."
	ToolsEndless   = "I kept looking things up without coming to an answer, and stopped. Asking for less at once may help."
	ToolFailed     = "A tool that I needed for this failed. Please try again."
	FileTooLarge   = "I made a file, but it is larger than Discord takes here. Asking for less may help."
	FileForbidden  = "I made a file, but I may not attach files here. Ask an admin to give me Attach Files."
	Internal       = "Something went wrong on my side. Please try again."
)

// What a person reads who pressed a button in vain.
const (
	AnswersGone    = "I no longer have these answers. Ask once more to get a new one."
	AnswerChanging = "This answer is being changed right now. Please try again in a moment."
	NoMemory       = "I can't get at my earlier answers right now. Please try again in a minute."
	QuestionGone   = "The question was deleted, so there is nothing to answer afresh."
	ManyWaiting    = "Many questions are waiting here. Please try again in a minute."
	NotShown       = "Discord didn't let me change the answer. Please try again in a minute."
)

// What people read who opted out, in or want to.
const (
	// NotRead answers the mention of somebody who opted out.
	NotRead   = "You opted out, so I don't read what you write; mention me with \"opt in\" if you want me to."
	OptedOut  = "From now on I don't read what you write, and I don't answer you. Mention me with \"opt in\" to change that."
	OptedIn   = "From now on I read what you write where I may, and answer you. Mention me with \"opt out\" to change that."
	Forgotten = "I have erased what I had stored of what you wrote, and the answers made from it. " +
		"From now on I don't read what you write; mention me with \"opt in\" to change that."
	// NotPermitted is for whoever the operator does not let ask.
	NotPermitted = "I may not answer you here. Whoever runs me decides whom I answer, and where."
	WishFailed   = "I couldn't do all of that right now. Please tell me once more in a minute."
	// QuestionNotRead is for whoever wants another answer to the question of somebody
	// who opted out.
	QuestionNotRead = "Whoever asked this opted out, so I don't read their question."
)

// The labels of buttons. LabelAt takes the number of the answer shown and how many
// there are.
const (
	LabelBack  = "◀"
	LabelAt    = "%d/%d"
	LabelOn    = "▶"
	LabelAgain = "↻ Ask afresh"
	LabelEdit  = "✎ Answer the edit"
)

// The lines below an answer.
const (
	NoticeTruncated = "-# The answer reached its length limit."
	NoticeNoHistory = "-# I can't read this channel's history, only what is said while I'm here. Ask an admin to give me Read Message History."
	NoticeHidden    = "-# You may not read this channel's history, so I answered from your message alone."
	NoticeUnseen    = "-# I can't see images here."
	NoticeLeftOut   = "-# The oldest messages of this conversation did not fit and were left out."
	NoticeSummary   = "-# The oldest messages of this conversation did not fit. I went by a summary of them."
)

// NoticeReused marks an answer that was given before, and names the way to another.
func NoticeReused(age time.Duration) string {
	return fmt.Sprintf("-# Answered before, %s. Reply \"again\" for a new answer.", ago(age))
}

// NoticeFiles names the alternative that files below an answer belong to. Of is the
// alternative's index, or negative for an answer that can no longer be shown.
func NoticeFiles(of int, names []string) string {
	if of < 0 {
		return fmt.Sprintf("-# Files of an earlier answer: %s.", strings.Join(names, ", "))
	}
	return fmt.Sprintf("-# Files of answer %d: %s.", of+1, strings.Join(names, ", "))
}

// OverAnswer stands in place of an answer that would cost more than one answer may.
const OverAnswer = "That was more than one answer may take. Asking for less at once may help."

// OverPerson returns the sentence that says when a person may ask again.
func OverPerson(until time.Time) string {
	return "You have had as much from me as one person may for now. I'll answer you again " + at(until) + "."
}

// OverChannel returns the sentence that says when heddle answers in a channel again.
func OverChannel(until time.Time) string {
	return "This channel has had as much from me as it may for now. I'll answer here again " + at(until) + "."
}

// OverGuild returns the sentence that says when heddle answers in a server again.
func OverGuild(until time.Time) string {
	return "This server has had as much from me as it may for now. I'll answer here again " + at(until) + "."
}

// OverAll returns the sentence that says when heddle answers again.
func OverAll(until time.Time) string {
	return "I have answered as much as I may for now. I'll go on " + at(until) + "."
}

// at returns a time as Discord shows it to each reader: in an hour.
func at(t time.Time) string { return fmt.Sprintf("<t:%d:R>", t.Unix()) }

// Lines joins the lines that are not empty.
func Lines(lines ...string) string {
	var kept []string
	for _, line := range lines {
		if line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// Doing is what people see while a tool is at work; "" if none is.
func Doing(tool string) string {
	switch tool {
	case "":
		return ""
	case tools.NameArtifact:
		return "-# Writing a file …"
	case tools.NameSearch:
		return "-# Looking through older messages …"
	case tools.NameSubagent:
		return "-# Thinking one part through …"
	case tools.Waiting:
		return "-# My language model is slow to answer, I'm still waiting …"
	default:
		return "-# Working …"
	}
}

// IsDoing reports whether a line is one that Doing returns.
func IsDoing(line string) bool {
	return strings.HasPrefix(line, "-# ") && strings.HasSuffix(line, " …")
}

// ago is how long ago something was, in words.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return several(int(d/time.Minute), "minute") + " ago"
	case d < 24*time.Hour:
		return several(int(d/time.Hour), "hour") + " ago"
	default:
		return several(int(d/(24*time.Hour)), "day") + " ago"
	}
}

func several(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

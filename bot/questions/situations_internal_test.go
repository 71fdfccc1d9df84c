package questions

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"heddle/bot/reply"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/store"
)

// situation is what Discord, the store and a process know of a question before an attempt.
type situation struct {
	name string
	// given brings the situation about, and returns what the process knows. The model's next
	// answer is "new".
	given func(b *bridge) question
}

// situations are those that the table of attempts tells apart. The numbers in their names are rows of
// it; some of today's attempts end otherwise than the row says.
//
//nolint:gochecknoglobals // a table
var situations = []situation{
	// What was just heard.
	{"20 a question is heard", func(*bridge) question { return asked }},
	{"20 a question is heard, and deleted before heddle hears of that", func(b *bridge) question {
		b.deletes(b.id)
		return asked
	}},
	{"20 a question is heard where heddle may not write", func(b *bridge) question {
		b.denies(discordtest.SendMessages)
		return asked
	}},
	{"20 a question is heard while Discord refuses all answers for now", func(b *bridge) question {
		b.faults(discordtest.RouteCreateMessage, http.StatusUnauthorized, "")
		return asked
	}},
	{"20 a question is heard, and the model fails", func(b *bridge) question {
		b.Model.Queue(openaitest.Fail(openaitest.Failure{Status: 401}))
		return asked
	}},
	{"20 a question is heard in a guild that heddle has left", func(b *bridge) question {
		b.Event("GUILD_DELETE", fmt.Sprintf(`{"id":"%d"}`, b.Guild))
		return asked
	}},
	{"20 a question that Discord refused before is tried again, nothing stands", func(*bridge) question {
		q := asked
		q.before = outcome{err: errDiscordAway}
		return q
	}},

	// At the claim.
	{"claim: another process has the question", func(b *bridge) question {
		b.claims()
		return asked
	}},
	{"claim: another process has answered it", func(b *bridge) question {
		b.marks("answered", time.Time{})
		return asked
	}},
	{"claim: another process has answered it, it is found by reading", func(b *bridge) question {
		b.marks("answered", time.Time{})
		return missed
	}},
	{"claim: an older version was answered", func(b *bridge) question {
		b.gives("old")
		return question{cause: "changed", asks: true, version: b.edits("second")}
	}},
	{"claim: this version was answered", func(b *bridge) question {
		v := b.edits("second")
		b.marks("answered", v)
		return question{cause: "changed", asks: true, version: v}
	}},
	{"claim: the store is away", func(b *bridge) question {
		b.storeLeaves()
		return asked
	}},
	{"claim: the store is away, and another process had the question", func(b *bridge) question {
		b.storeLeaves()
		q := asked
		q.before = outcome{err: store.ErrHeld}
		return q
	}},

	// The question was deleted.
	{"1 deleted, and it is known where its answer stands", func(b *bridge) question {
		b.gives("old")
		b.deletes(b.id)
		return question{cause: "deleted", answer: b.parts()}
	}},
	{"1 deleted, its answer was deleted already", func(b *bridge) question {
		b.gives("old")
		parts := b.parts()
		b.deletes(append(parts, b.id)...)
		return question{cause: "deleted", answer: parts}
	}},
	{"2 deleted, and a whole answer stands", func(b *bridge) question {
		b.gives("old")
		b.deletes(b.id)
		return question{cause: "deleted"}
	}},
	{"2 deleted, and a half stands of which nothing is stored", func(b *bridge) question {
		b.says(begun, b.id)
		b.deletes(b.id)
		return question{cause: "deleted"}
	}},
	{"2 deleted, and nothing stands", func(b *bridge) question {
		b.deletes(b.id)
		return question{cause: "deleted"}
	}},
	{"2 found by reading, and deleted since, a whole answer stands", func(b *bridge) question {
		b.gives("old")
		b.starts()
		b.deletes(b.id)
		return question{cause: "checked", asks: true}
	}},
	{"2 deleted while another process answers", func(b *bridge) question {
		b.says(begun, b.id)
		b.deletes(b.id)
		b.claims()
		return question{cause: "deleted"}
	}},

	// heddle may not read.
	{"3 the channel is gone", func(b *bridge) question {
		const gone = `{"code":10003,"message":"Unknown Channel"}`
		b.faults(discordtest.RouteMessages, http.StatusNotFound, gone)
		b.faults(discordtest.RouteMessage, http.StatusNotFound, gone)
		return missed
	}},
	{"4 heddle may not read the channel, and could not finish before", func(b *bridge) question {
		b.says(begun, b.id)
		b.denies(discordtest.ViewChannel)
		q := missed
		q.before = outcome{err: errStuck, begun: true}
		return q
	}},
	{"4 heddle may not read the channel", func(b *bridge) question {
		b.denies(discordtest.ViewChannel)
		return missed
	}},
	{"4 Discord fails when the channel is read", func(b *bridge) question {
		b.faults(discordtest.RouteMessages, http.StatusInternalServerError, "")
		return missed
	}},

	// The answer was withdrawn, which nothing says today but the mark.
	{"5 withdrawn, nothing stands", func(b *bridge) question {
		b.marks("withdrawn", time.Time{})
		return question{cause: "checked", asks: true}
	}},
	{"6 withdrawn, a part stands", func(b *bridge) question {
		b.says("old", b.id)
		b.marks("withdrawn", time.Time{})
		return question{cause: "checked", asks: true}
	}},

	// What stands is what this process sent.
	{"7 sent by this process while the store was away", func(b *bridge) question {
		back := b.storeLeaves()
		q := missed
		q.before = b.gives("old")
		back()
		return q
	}},
	{"7 sent by this process, the store has forgotten it", func(b *bridge) question {
		q := missed
		q.before = b.gives("old")
		b.storeForgets()
		return q
	}},
	{"7 sent by this process, looked at once more", func(b *bridge) question {
		q := question{cause: "checked", asks: true}
		q.before = b.gives("old")
		return q
	}},
	{"7 sent by this process, of which a message was changed since, the store has forgotten it", func(b *bridge) question {
		q := question{cause: "checked", asks: true}
		q.before = b.gives("old")
		b.storeForgets()
		b.shows(b.parts()[0], "rival")
		return q
	}},
	{"7 sent by this process and edited since, the store has forgotten it", func(b *bridge) question {
		before := b.gives("old")
		b.storeForgets()
		return question{cause: "changed", asks: true, version: b.edits("second"), before: before}
	}},
	{"8 sent by this process, the store knows an older answer", func(b *bridge) question {
		b.gives("old")
		back := b.storeLeaves()
		v := b.edits("second")
		before := outcome{sent: b.sent(), version: v}
		back()
		q := question{cause: "missed", asks: true, version: v, before: before}
		return q
	}},

	// The question was edited.
	{"9 edited, and the store is away", func(b *bridge) question {
		b.gives("old")
		v := b.edits("second")
		b.storeLeaves()
		return question{cause: "changed", asks: true, version: v}
	}},
	{"10 edited, a whole answer stands", func(b *bridge) question {
		b.gives("old")
		b.starts()
		return question{cause: "missed", asks: true, version: b.edits("second")}
	}},
	{"10 edited, an answer of two messages stands", func(b *bridge) question {
		b.gives(long)
		return question{cause: "changed", asks: true, version: b.edits("second")}
	}},
	{"10 edited, and a half stands over the answer", func(b *bridge) question {
		b.gives("old")
		v := b.edits("second")
		b.halves(b.parts()[0])
		return question{cause: "missed", asks: true, version: v}
	}},
	{"10 edited, another process has put a longer answer there and died", func(b *bridge) question {
		b.gives("old")
		v := b.edits("second")
		first := b.parts()[0]
		b.shows(first, "longer, and")
		b.says("its end", first)
		return question{cause: "missed", asks: true, version: v}
	}},
	{"10 edited, and the answer was deleted", func(b *bridge) question {
		b.gives("old")
		b.deletes(b.parts()[0])
		return question{cause: "changed", asks: true, version: b.edits("second")}
	}},
	{"10 edited, people were told of a limit without a message", func(b *bridge) question {
		b.stores(store.Output{FinishReason: "failed"})
		return question{cause: "changed", asks: true, version: b.edits("second")}
	}},
	{"10 edited, and the answer was never sent", func(b *bridge) question {
		b.refused()
		return question{cause: "changed", asks: true, version: b.edits("second")}
	}},
	{"10 edited, the answer was never sent, and a half stands", func(b *bridge) question {
		b.refused()
		b.says(begun, b.id)
		return question{cause: "missed", asks: true, version: b.edits("second")}
	}},
	{"10 edited twice and back to what was answered", func(b *bridge) question {
		b.gives("old")
		b.edits("second")
		return question{cause: "changed", asks: true, version: b.edits("first")}
	}},
	{"10 edited twice and back, a half stands over the answer", func(b *bridge) question {
		b.gives("old")
		b.edits("second")
		v := b.edits("first")
		b.halves(b.parts()[0])
		return question{cause: "missed", asks: true, version: v}
	}},
	{"10 edited, and the model fails", func(b *bridge) question {
		b.gives("old")
		b.Model.Queue(openaitest.Fail(openaitest.Failure{Status: 401}))
		return question{cause: "changed", asks: true, version: b.edits("second")}
	}},
	{"17 edited, but edits are not answered", func(b *bridge) question {
		b.noEdits = true
		b.starts()
		b.gives("old")
		return question{cause: "changed", version: b.edits("second")}
	}},

	// It was kept, and not sent.
	{"11 late, kept and not sent, nothing stands", func(b *bridge) question {
		b.refused()
		q := missed
		q.late = true
		return q
	}},
	{"12 kept and not sent, nothing stands", func(b *bridge) question {
		b.refused()
		return missed
	}},
	{"12 kept and not sent, a half stands", func(b *bridge) question {
		b.refused()
		b.says(begun, b.id)
		return missed
	}},
	{"12 kept and not sent, the whole text stands", func(b *bridge) question {
		b.refused()
		b.says("old", b.id)
		return missed
	}},
	{"12 late, kept and not sent, a half stands", func(b *bridge) question {
		b.refused()
		b.says(begun, b.id)
		q := missed
		q.late = true
		return q
	}},
	{"14 people were told of a limit without a message, nothing stands", func(b *bridge) question {
		b.stores(store.Output{FinishReason: "failed"})
		return missed
	}},

	// The store knows where the answer stands.
	{"15 somebody deleted the answer", func(b *bridge) question {
		b.gives("old")
		b.starts()
		b.deletes(b.parts()[0])
		b.unmarks()
		return missed
	}},
	{"15 the answer was erased, and nothing stands", func(b *bridge) question {
		b.gives("old")
		b.erases()
		b.deletes(b.parts()[0])
		return question{cause: "checked", asks: true}
	}},
	{"16 looked at once more, nothing stands and nothing is stored", func(*bridge) question {
		return question{cause: "checked", asks: true}
	}},
	{"17 the answer stands", func(b *bridge) question {
		b.gives("old")
		return question{cause: "checked", asks: true}
	}},
	{"17 another process wrote over the answer", func(b *bridge) question {
		b.gives("old")
		b.shows(b.parts()[0], "rival")
		return question{cause: "checked", asks: true}
	}},
	{"17 another process began to write over the answer and died", func(b *bridge) question {
		b.gives("old")
		b.halves(b.parts()[0])
		b.unmarks()
		return missed
	}},
	{"17 another process put a message below the answer", func(b *bridge) question {
		b.gives("old")
		b.says("rival", b.parts()[0])
		return question{cause: "checked", asks: true}
	}},
	{"17 the second of two messages was deleted", func(b *bridge) question {
		b.gives(long)
		b.deletes(b.parts()[1])
		return question{cause: "checked", asks: true}
	}},

	// Nothing is stored.
	{"18 an edit of what was never a question", func(b *bridge) question {
		return question{cause: "changed", version: b.edits("second")}
	}},
	{"19 late, and nothing stands", func(*bridge) question {
		q := missed
		q.late = true
		return q
	}},
	{"20 missed", func(*bridge) question { return missed }},
	{"20 an edit makes a question", func(b *bridge) question {
		return question{cause: "changed", asks: true, version: b.edits("second")}
	}},
	{"21 a whole answer stands", func(b *bridge) question {
		b.gives("old")
		b.storeForgets()
		return missed
	}},
	{"21 a whole answer to this version stands", func(b *bridge) question {
		b.gives("first")
		v := b.edits("second")
		b.Model.Queue(openaitest.Answer("old"))
		b.attempts(question{cause: "changed", asks: true, version: v})
		b.storeForgets()
		return question{cause: "missed", asks: true, version: v}
	}},
	{"21 a whole answer to an older version stands, and edits are not answered", func(b *bridge) question {
		b.noEdits = true
		b.gives("old")
		b.storeForgets()
		return question{cause: "missed", asks: true, version: b.edits("second")}
	}},
	{"22 a whole answer to an older version stands", func(b *bridge) question {
		b.gives("old")
		b.storeForgets()
		return question{cause: "missed", asks: true, version: b.edits("second")}
	}},
	{"22 a half stands", func(b *bridge) question {
		b.says(begun, b.id)
		return missed
	}},
	{"22 a half of two messages stands", func(b *bridge) question {
		first := b.says("its beginning, long ago", b.id)
		b.says(begun, first)
		return missed
	}},
	{"22 late, and a half stands", func(b *bridge) question {
		b.says(begun, b.id)
		q := missed
		q.late = true
		return q
	}},
	{"22 the first of two messages stands, whole in itself", func(b *bridge) question {
		b.gives(long)
		b.deletes(b.parts()[1])
		b.storeForgets()
		return missed
	}},
	{"22 a full message stands, and answers have no buttons", func(b *bridge) question {
		b.noButtons = true
		b.starts()
		b.says(full, b.id)
		return missed
	}},
	{"22 a half stands, and the store is away", func(b *bridge) question {
		b.says(begun, b.id)
		b.storeLeaves()
		return missed
	}},
	{"22 a half stands, and is deleted while it is written over", func(b *bridge) question {
		b.says(begun, b.id)
		b.faults(discordtest.RouteEditMessage, http.StatusNotFound, `{"code":10008,"message":"Unknown Message"}`)
		return missed
	}},
}

//nolint:gochecknoglobals // used by the table
var (
	asked  = question{cause: "asked", asks: true}
	missed = question{cause: "missed", asks: true}
	begun  = "half an " + reply.Indicator
	long   = strings.Repeat("a line of an answer\n", 120) + "and the end."
	full   = strings.Repeat("a line of an answer. ", 95) + strings.Repeat("x", 5)
)

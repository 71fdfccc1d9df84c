package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// backlog adds messages of Bob's to a channel without events. They are spread evenly over
// the time from ago until now.
func (p *people) backlog(channel graph.ChannelID, messages int, ago time.Duration) {
	p.t.Helper()
	drafts := make([]discordtest.Draft, messages)
	for i := range drafts {
		at := time.Now().Add(-ago * time.Duration(messages-i) / time.Duration(messages))
		drafts[i] = discordtest.Draft{Author: p.bob, Content: fmt.Sprintf("line %d", i), At: at}
	}
	errtest.Must(p.discord.Chat.Backfill(channel, drafts))(p.t)
}

// missed adds a question of Ann's to a channel, asked ago before now, without an event.
func (p *people) missed(channel graph.ChannelID, text string, ago time.Duration) graph.MessageID {
	p.t.Helper()
	ids := errtest.Must(p.discord.Chat.Backfill(channel, []discordtest.Draft{{Author: p.ann, Content: p.mention(text), At: time.Now().Add(-ago)}}))(p.t)
	return ids[0]
}

// readPages fails the test if heddle has read more pages of messages since it had read some.
func (s *screen) readPages(before, most int) {
	s.t.Helper()
	s.atMost("pages of messages that were read", s.pages()-before, most)
}

// TestAnAnswerBehindAnyNumberOfMessagesIsFound kills heddle in the middle of an answer
// that stands 2,500 messages below its question.
func TestAnAnswerBehindAnyNumberOfMessagesIsFound(t *testing.T) {
	s := newScene(t)
	missed := s.missed(s.channel, "anybody?", 9*time.Minute)
	s.backlog(s.channel, 2500, 8*time.Minute)
	s.pauses("I was away ", "for a while.")
	c := s.spawn("CATCH_UP=1h")
	s.begun(s.channel, missed, "I was away")
	c.kill()
	s.always(openaitest.Answer("I was away."))
	s.spawn("CATCH_UP=0s", "CLAIM_LEASE=1s")
	s.wholeAnswer(missed, "I was away.")
	s.oneEach(s.channel)
	s.hasSaid(1)
}

// TestTimesAreDiscords runs heddle on a machine whose clock is wrong by two hours. A question
// from its absence is answered unless it is too old by Discord's time. An edit is answered if it
// comes soon after its question by Discord's time. Whoever has reached a limit is told a time
// within the next hour of Discord's.
func TestTimesAreDiscords(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"ahead": 2 * time.Hour, "behind": -2 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			s, clock := newTimedScene(t)
			clock.Advance(-ahead)
			tooOld := s.missed(s.channel, "anybody?", ahead+12*time.Minute)
			missed := s.missed(s.channel, "anybody here?", ahead+8*time.Minute)
			s.model.Queue(openaitest.Answer("I was away."), openaitest.Answer("Weft, of course."), openaitest.Answer("Warp, of course."))
			s.always(openaitest.Answer("Yes."))
			r := s.start("LIMIT_PERSON=3 requests/hour", "TOOLS=off")
			s.wholeAnswer(missed, "I was away.")
			question := r.answers(s, s.ann, "weft?", "Weft, of course.")
			s.edit(question, s.mention("warp?"))
			s.wholeAnswer(question, "Warp, of course.")
			s.noAnswer(s.channel, tooOld)
			told := s.answered(s.channel, "are you there?", "")
			for !strings.Contains(told.Content, "<t:") { // another hour has begun
				told = s.answered(s.channel, "are you there?", "")
			}
			_, when, _ := strings.Cut(told.Content, "<t:")
			unix := errtest.Must(strconv.ParseInt(strings.TrimSuffix(when, ":R>."), 10, 64))(t)
			if left := time.Unix(unix, 0).Sub(clock.Now()); left < -time.Minute || left > time.Hour+time.Minute {
				t.Errorf("she may ask again in %s: %q, want at least %s and at most %s", left, told.Content, -time.Minute, time.Hour+time.Minute)
			}
		})
	}
}

// town adds guilds with Ann, Bob and heddle in them, and returns their channels.
func (p *people) town(guilds, channels int) []graph.ChannelID {
	p.t.Helper()
	var all []graph.ChannelID
	for g := range guilds {
		guild := p.discord.World.AddGuild(fmt.Sprintf("guild %d", g))
		for _, person := range []graph.UserID{p.ann, p.bob, p.heddle.User} {
			p.discord.People.Join(guild, person)
		}
		for c := range channels {
			all = append(all, p.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: fmt.Sprintf("channel %d", c)}))
		}
	}
	return all
}

// pages returns the number of pages of messages that heddle has read so far.
func (s *screen) pages() int { return s.discord.Record.Count(discordtest.RouteMessages) }

// TestALostSessionIsCaughtUpWithFewReads loses the session of a heddle in 200 guilds of
// 50 channels, all of them active. In 53 channels something was said that heddle did not
// hear, and in three of these it was asked.
func TestALostSessionIsCaughtUpWithFewReads(t *testing.T) {
	s := newScene(t)
	all := s.town(200, 50)
	s.always(openaitest.Answer("I was away."))
	s.start()
	for _, channel := range all {
		s.postIn(channel, s.bob, discordtest.Draft{Content: "a busy place"})
	}
	s.answered(s.channel, "did you hear all that?", "I was away.")
	for i := range 50 {
		s.backlog(all[101*i+1], 1, 0)
	}
	missed := map[graph.ChannelID]graph.MessageID{}
	for i := range 3 {
		channel := all[3001*i+7]
		missed[channel] = s.missed(channel, "anybody?", 0)
	}
	before := s.pages()
	again := s.connecting()
	s.discord.Gateway.Invalidate()
	s.ok(again())
	for channel, question := range missed {
		s.answer(channel, question, "I was away.")
	}
	const heard = 20 // channels in which nothing was missed, for edits
	s.readPages(before, 53+heard+2*len(missed))
}

// TestWherePeopleAskIsReadFirst starts heddle anew in 40 guilds of 50 channels, all of
// which are active. It was asked in one of them before, and again while it was away.
func TestWherePeopleAskIsReadFirst(t *testing.T) {
	s := newScene(t)
	all := s.town(40, 50)
	s.always(openaitest.Answer("Yes."))
	used := all[1234]
	r := s.start()
	r.answer(s, used, s.askIn(used, s.ann, "are you there?"), "Yes.")
	r.end()
	for _, channel := range all {
		s.backlog(channel, 1, time.Minute)
	}
	missed := s.missed(used, "still there?", 0)
	before := s.pages()
	s.start()
	s.answer(used, missed, "Yes.")
	read := s.discord.Record.Requests(discordtest.On(discordtest.RouteMessages))[before:]
	isUsed := func(r discordtest.Request) bool { return r.Channel() == used }
	s.same("that the channel was read early", slices.ContainsFunc(read[:min(len(read), 101)], isUsed), true)
	s.answered(all[len(all)-1], "and here?", "Yes.")
}

// TestAThreadThatWasArchivedMeanwhileIsCaughtUp has Ann ask in a thread while heddle is away,
// and archive it. She had asked there before.
func TestAThreadThatWasArchivedMeanwhileIsCaughtUp(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	r := s.start()
	thread := s.thread("aside")
	r.answer(s, thread, s.askIn(thread, s.ann, "are you there?"), "Yes.")
	r.end()
	missed := s.askIn(thread, s.ann, "still there?")
	s.discord.World.SetArchived(thread, true, false)
	s.start()
	s.answer(thread, missed, "Yes.")
}

// looked is what heddle logs at the end of a check of what it missed.
const looked = "the sources of stored answers were checked against Discord"

// checked waits until a run has checked what it missed.
func (r *running) checked(s *scene) {
	s.t.Helper()
	s.awaits(&r.logs, looked)
}

// TestWhatIsEditedOutIsNowhereAnyMore edits a secret out of a message, or removes the file
// that holds it, after answers were made from it.
func TestWhatIsEditedOutIsNowhereAnyMore(t *testing.T) {
	t.Parallel()
	plan := discordtest.Attachment{Name: "plan.txt", Type: "text/plain", Data: []byte("the password is swordfish")}
	for name, test := range map[string]struct {
		told   discordtest.Draft
		remove func(s *scene, told graph.MessageID)
	}{
		"words": {discordtest.Draft{Content: "the password is swordfish"}, func(s *scene, told graph.MessageID) { s.edit(told, "never mind") }},
		"a file": {discordtest.Draft{Content: "see there", Attachments: []discordtest.Attachment{plan}}, func(s *scene, told graph.MessageID) {
			m, _ := s.discord.Chat.Message(s.channel, told)
			s.ok(s.discord.Chat.RemoveAttachment(s.channel, told, m.Attachments[0].ID))
		}},
	} {
		for when, away := range map[string]bool{"while heddle runs": false, "while heddle is away": true} {
			t.Run(name+" "+when, func(t *testing.T) {
				s := newScene(t)
				s.model.Queue(openaitest.Answer("So it is Swordfish."), openaitest.Answer("Swordfish, yes."))
				r := s.start("EDITED_TTL=1ms")
				told := s.post(s.bob, test.told)
				reply := s.answered(s.channel, "what is it?", "So it is Swordfish.")
				r.answer(s, s.channel, s.askBelow(reply.ID, s.ann, "really?"), "Swordfish, yes.")
				if away {
					r.end()
					test.remove(s, told)
					r = s.start("EDITED_TTL=1ms")
					r.checked(s)
				} else {
					test.remove(s, told)
				}
				s.awaits(&r.logs, "what was derived from older versions of an edited message was erased")
				r.end()
				s.nowhere("wordfish")
				s.same("exported", s.prints(consent(s.ann, s.bob), "export", "--format", "raw", "--scope", string(s.scope())), "")
			})
		}
	}
}

// TestWhatIsBackIsLookedAtAsAfterAGap hides a channel from heddle in each way, has people delete
// and write there meanwhile, and shows it again. heddle knows nothing of what was deleted any
// more, takes back the answer to a deleted question, and then answers what was asked.
func TestWhatIsBackIsLookedAtAsAfterAGap(t *testing.T) {
	inScenes(t, map[string]func(s *scene) (hide func() (show func())){
		"a guild after an outage": func(s *scene) func() func() { return s.unavailable },
		"a channel": func(s *scene) func() func() {
			return func() func() {
				s.denies(s.channel, discordtest.ViewChannel)
				return func() { s.discord.World.SetOverwrites(s.channel) }
			}
		},
		"a role given back": func(s *scene) func() func() {
			role := s.discord.World.AddRole(s.guild, "weaver", 0, false)
			give := func() { s.discord.People.GrantRole(s.guild, s.heddle.User, role) }
			give()
			s.discord.World.SetOverwrites(s.channel,
				discordtest.Overwrite{Member: s.ann, Allow: discordtest.ViewChannel}, discordtest.Overwrite{Member: s.bob, Allow: discordtest.ViewChannel},
				discordtest.Overwrite{Role: graph.RoleID(s.guild), Deny: discordtest.ViewChannel}, discordtest.Overwrite{Role: role, Allow: discordtest.ViewChannel})
			return func() func() {
				s.discord.People.RevokeRole(s.guild, s.heddle.User, role)
				return give
			}
		},
	}, func(s *scene, prepare func(s *scene) (hide func() (show func()))) {
		hide := prepare(s)
		s.model.Queue(openaitest.Answer("So it is Swordfish."), openaitest.Answer("Indigo."))
		r := s.start()
		r.checked(s)
		told := s.post(s.bob, discordtest.Draft{Content: "the password is swordfish"})
		question := s.ask(s.ann, "what is it?")
		r.wholeAnswer(s, question, "So it is Swordfish.")
		show := hide()
		s.discord.Chat.Delete(s.channel, told, question)
		s.post(s.bob, discordtest.Draft{Content: "the colour is indigo"})
		missed := s.ask(s.ann, "which colour?")
		show()
		s.wholeAnswer(missed, "Indigo.")
		s.standIn(1)
		s.contains(s.conversation(2), "the colour is indigo")
		s.lacks(s.conversation(2), "wordfish")
	})
}

// all returns the messages of the channel.
func (s *screen) all() []graph.MessageID {
	var ids []graph.MessageID
	for _, m := range s.discord.Chat.Messages(s.channel) {
		ids = append(ids, m.ID)
	}
	return ids
}

// unavailable has Discord lose the scene's guild to an outage, in which it sends no events of
// it, and returns a function that ends the outage.
func (s *scene) unavailable() (back func()) {
	s.t.Helper()
	remove := s.discord.Events.Intercept(func(e discordtest.Event) []discordtest.Event {
		if e.Name == "GUILD_DELETE" {
			e.Data = json.RawMessage(`{"id":"` + s.guild.String() + `","unavailable":true}`)
		}
		return []discordtest.Event{e}
	})
	s.discord.People.Leave(s.guild, s.heddle.User)
	remove()
	return func() { s.discord.People.Join(s.guild, s.heddle.User) }
}

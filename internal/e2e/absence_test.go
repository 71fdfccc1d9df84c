package e2e_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/cli"
	"heddle/internal/discordtest"
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
	if _, err := p.discord.Chat.Backfill(channel, drafts); err != nil {
		p.t.Fatal(err)
	}
}

// missed adds a question of Ann's to a channel, asked ago before now, without an event.
func (p *people) missed(channel graph.ChannelID, text string, ago time.Duration) graph.MessageID {
	p.t.Helper()
	ids, err := p.discord.Chat.Backfill(channel, []discordtest.Draft{{Author: p.ann, Content: p.mention(text), At: time.Now().Add(-ago)}})
	if err != nil {
		p.t.Fatal(err)
	}
	return ids[0]
}

// TestAMentionBehindAnyNumberOfMessagesIsFound has 2,500 messages follow a mention while
// heddle is away.
func TestAMentionBehindAnyNumberOfMessagesIsFound(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	missed := s.missed(s.channel, "anybody?", 9*time.Minute)
	s.backlog(s.channel, 2500, 8*time.Minute)
	s.model.Queue(openaitest.Answer("I was away."))
	s.start()
	s.wholeAnswer(missed, "I was away.")
}

// TestAnAnswerBehindAnyNumberOfMessagesIsFound kills heddle in the middle of an answer
// that stands 2,500 messages below its question.
func TestAnAnswerBehindAnyNumberOfMessagesIsFound(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	missed := s.missed(s.channel, "anybody?", 9*time.Minute)
	s.backlog(s.channel, 2500, 8*time.Minute)
	broken := openaitest.Answer("I was away ", "for a while.")
	broken.Chunks[1].Wait = make(chan struct{})
	s.model.Queue(broken)
	c := s.spawn()
	s.begun(s.channel, missed, "I was away")
	c.kill()
	s.always(openaitest.Answer("I was away."))
	s.spawn("CATCH_UP=0s", "CLAIM_LEASE=1s")
	s.wholeAnswer(missed, "I was away.")
	s.oneEach(s.channel)
	if n := s.own(); n != 1 {
		t.Errorf("%d messages stand, want 1", n)
	}
}

// TestAgesAreToldByDiscordsTime runs heddle on a machine whose clock is wrong by ten
// minutes. A question from its absence is answered unless it is too old by Discord's
// time. An edit is answered if it comes soon after its question by Discord's time.
func TestAgesAreToldByDiscordsTime(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"ahead": 10 * time.Minute, "behind": -10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := &discordtest.Clock{}
			clock.Advance(-ahead)
			s := newScene(t, discordtest.Options{Clock: clock.Now})
			tooOld := s.missed(s.channel, "anybody?", ahead+12*time.Minute)
			missed := s.missed(s.channel, "anybody here?", ahead+8*time.Minute)
			s.model.Queue(openaitest.Answer("I was away."), openaitest.Answer("Weft, of course."), openaitest.Answer("Warp, of course."))
			r := s.start("EDIT_WINDOW=1m")
			s.wholeAnswer(missed, "I was away.")
			question := s.post(s.ann, discordtest.Draft{Content: s.mention("weft?")})
			s.wholeAnswer(question, "Weft, of course.")
			r.settled(s, question)
			s.edit(question, s.mention("warp?"))
			s.wholeAnswer(question, "Warp, of course.")
			if answers := s.answersOf(s.channel)[tooOld]; len(answers) != 0 {
				t.Errorf("what was asked too long ago is answered by %q, want no answer", answers[0].Content)
			}
		})
	}
}

// TestADirectMessageIsNotForgottenBecauseTheDiskIsFull has people ask heddle in direct
// messages for the first time when the disk has no room. What they ask while heddle is
// away is answered when it is back, though there is still no room.
func TestADirectMessageIsNotForgottenBecauseTheDiskIsFull(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to bound files with")
	}
	s.always(openaitest.Answer("Noted: " + strings.Repeat("over and under, ", 100)))
	s.stored().Close()
	bounded := []string{shell, "-c", `ulimit -S -f 400 && exec "$0"`}
	c := s.spawnBy(bounded)
	for n := 0; strings.Count(c.logs.String(), "an answer could not be recorded") < 3; n++ {
		s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention(fmt.Sprintf("note %d %s", n, strings.Repeat("x", 1000)))}), "Noted")
	}
	directs := map[graph.ChannelID]graph.UserID{}
	for n := range 5 {
		person := s.discord.People.AddUser(fmt.Sprintf("stranger %d", n), s.guild)
		direct := s.discord.World.OpenDM(person, s.heddle.User)
		directs[direct] = person
		s.answer(direct, s.postIn(direct, person, discordtest.Draft{Content: "hello"}), "Noted")
	}
	if status := c.terminate(); status != cli.StatusDone {
		t.Errorf("it ended with status %d, want %d", status, cli.StatusDone)
	}
	missed := map[graph.ChannelID]graph.MessageID{}
	for direct, person := range directs {
		missed[direct] = s.postIn(direct, person, discordtest.Draft{Content: "still there?"})
	}
	s.spawnBy(bounded)
	for direct := range directs {
		s.answer(direct, missed[direct], "Noted")
	}
}

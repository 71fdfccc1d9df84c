package e2e_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// TestInteractionsThatAreNoneDoNoHarm sends interactions that no Discord sends. The next
// command is answered.
func TestInteractionsThatAreNoneDoNoHarm(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.start()
	s.uses(s.channel, "heddle help")
	deep := strings.Repeat(`{"type":1,"name":"a","options":[`, 500) + strings.Repeat(`]}`, 500)
	for name, data := range map[string]string{
		"nothing":              `null`,
		"no fields":            `{}`,
		"no token":             `{"id":"1","channel_id":"2","type":2,"data":{"name":"heddle help"}}`,
		"another kind":         `{"id":"3","channel_id":"2","type":99,"token":"x","data":{}}`,
		"an unknown guild":     `{"id":"4","channel_id":"2","guild_id":"5","type":2,"token":"x","data":{"name":"heddle","options":[{"type":1,"name":"ask"}]}}`,
		"wrong types":          `{"id":"6","channel_id":"2","type":"3","token":"x","data":[],"member":7,"user":[],"message":"m","locale":9}`,
		"a long name":          `{"id":"7","channel_id":"2","type":3,"token":"x","data":{"custom_id":"` + strings.Repeat("heddle:talks:", 4000) + `"}}`,
		"deep options":         `{"id":"8","channel_id":"2","type":2,"token":"x","data":{"name":"heddle","options":[` + deep + `]}}`,
		"a form without a row": `{"id":"9","channel_id":"2","type":5,"token":"x","data":{"custom_id":"heddle:talks:q:0.1.1:1","components":[7,{},null]}}`,
		"a completion of none": `{"id":"10","channel_id":"2","type":4,"token":"x","data":{"name":"heddle","options":[{"type":1,"name":"model"}]}}`,
	} {
		s.discord.Gateway.SendRaw(json.RawMessage(`{"op":0,"t":"INTERACTION_CREATE","s":null,"d":` + data + `}`))
		if got := s.uses(s.channel, "heddle help"); !strings.Contains(got, "I part the threads") {
			t.Errorf("after %s help reads %q, want %q in it", name, got, "I part the threads")
		}
	}
}

// TestCommandsOfAnotherVersionSaySo has Discord send a command and an option that this
// version does not have, and locales that do not exist.
func TestCommandsOfAnotherVersionSaySo(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	s.start()
	for _, locale := range []string{"tlh", "", "../../etc/passwd", "en_US.UTF-8", strings.Repeat("x", 3000)} {
		s.discord.People.SetLocale(s.bob, locale)
		s.discord.World.SetGuildLocale(s.guild, locale)
		if got := s.uses(s.channel, "heddle help"); !strings.Contains(got, "I part the threads") {
			t.Errorf("in %.20q help reads %q, want %q in it", locale, got, "I part the threads")
		}
	}
	for typed, want := range map[string]string{"weave": "I don't know this command any more.", "": "I don't know this command any more."} {
		restore := s.discord.Payloads.Change(discordtest.OnEvents("INTERACTION_CREATE"), func(object map[string]any) {
			if object["name"] == "help" {
				object["name"], object["options"] = typed, []any{map[string]any{"type": 3, "name": "no-such-option", "value": "x"}}
			}
		})
		if got := s.uses(s.channel, "heddle help"); !strings.HasPrefix(got, want) {
			t.Errorf("/heddle %s reads %q, want %q", typed, got, want)
		}
		restore()
	}
}

// TestButtonsOfTalksReachNothingByForgery presses buttons below talks that heddle never
// made, of other versions, as strangers, twice, and too late.
func TestButtonsOfTalksReachNothingByForgery(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.takeTime()
	private := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "board", Private: true, Readers: []graph.UserID{s.ann, s.heddle.User}})
	secret := s.postIn(private, s.ann, discordtest.Draft{Content: "the secret printer"})
	printer, _ := s.twoTalks()
	s.describing(func(title string) string { return "On the " + title })
	s.start()
	until := secret + 1<<22
	theirs := "0." + in36(uint64(until)) + "." + in36(uint64(private)) + ":" + in36(uint64(secret))
	for id, want := range map[string]string{
		"heddle:talks:t:" + theirs: "I can't show you that channel here",
		"heddle:talks:a:" + theirs: "I can't show you that channel here",
		"heddle:talks:m:" + theirs: "I can't show you that channel here",
		"heddle:talks:":            "That talk is no longer there.",
		"heddle:talks:z:0.1.1:1":   "That talk is no longer there.",
		"heddle:talks:t:0.1":       "That talk is no longer there.",
		"heddle:page:nobody:1":     "I don't know this button any more.",
		"heddle:page:1:-7":         "",
	} {
		m := s.forge(printer[0], id)
		press := s.press(s.bob, m, "x")
		in, err := s.discord.Interactions.Await(s.ctx, press, func(in discordtest.Interaction) bool { return len(in.Private) > 0 && in.Private[0].Content != "" })
		if err != nil || !strings.HasPrefix(in.Private[0].Content, want) || strings.Contains(in.Private[0].Content, "secret") {
			t.Errorf("%s reads %+v, want %q: %v", id, in.Private, want, err)
		}
		if now, _ := s.discord.Chat.Message(s.channel, m.ID); now.Content != "A forgery." {
			t.Errorf("%s makes of the forgery %q, want %q", id, now.Content, "A forgery.")
		}
	}
	id, list := s.catchesUp(s.bob, "heddle catchup", map[string]any{"since": "3d"})
	s.press(s.bob, list, "2")
	opened := s.privately(id, "the printer prints again")
	s.press(s.bob, opened, "Move to a thread")
	s.press(s.bob, opened, "Move to a thread")
	s.privately(id, "<#"+graph.ChannelID(printer[0]).String()+">")
	late := discordtest.Refused(discordtest.On(discordtest.RouteAnswer), 404, 10062, "Unknown interaction")
	s.discord.Faults.Inject(late)
	moved := s.privately(id, "")
	s.press(s.bob, moved, "All talks") // the press reaches no process
	s.press(s.bob, moved, "All talks")
	s.privately(id, "**2 talks**")
	said := func(m discordtest.Message) bool { return strings.Contains(m.Content, s.linkTo(printer[1])) }
	thread := graph.ChannelID(printer[0])
	if _, err := s.discord.Chat.AwaitMessage(s.ctx, thread, said); err != nil {
		t.Fatal(err)
	}
	if all := s.discord.Chat.Messages(thread); len(slices.DeleteFunc(all, func(m discordtest.Message) bool { return !said(m) })) != 1 {
		t.Errorf("the thread holds %+v, want the talk told once", all)
	}
}

// in36 returns a number in the form that the names of buttons contain.
func in36(n uint64) string { return strconv.FormatUint(n, 36) }

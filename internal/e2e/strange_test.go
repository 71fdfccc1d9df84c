package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestInteractionsThatAreNoneDoNoHarm sends interactions that no Discord sends. The next
// command is answered.
func TestInteractionsThatAreNoneDoNoHarm(t *testing.T) {
	s := newScene(t)
	s.start()
	s.uses(s.channel, "heddle help")
	deep := strings.Repeat(`{"type":1,"name":"a","options":[`, 500) + strings.Repeat(`]}`, 500)
	for _, data := range map[string]string{
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
		s.contains(s.uses(s.channel, "heddle help"), "I untangle the talks")
	}
}

// TestCommandsOfAnotherVersionSaySo has Discord send a command and an option that this
// version does not have, and locales that do not exist.
func TestCommandsOfAnotherVersionSaySo(t *testing.T) {
	s := newScene(t)
	s.start()
	for _, locale := range []string{"tlh", "", "../../etc/passwd", "en_US.UTF-8", strings.Repeat("x", 3000)} {
		s.discord.People.SetLocale(s.bob, locale)
		s.discord.World.SetGuildLocale(s.guild, locale)
		s.contains(s.uses(s.channel, "heddle help"), "I untangle the talks")
	}
	for _, typed := range []string{"weave", ""} {
		change := discordtest.Rewritten(func(object map[string]any) {
			if object["name"] == "help" {
				object["name"], object["options"] = typed, []any{map[string]any{"type": 3, "name": "no-such-option", "value": "x"}}
			}
		})
		restore := s.discord.Events.Intercept(func(e discordtest.Event) []discordtest.Event {
			e.Data = change(e.Data)
			return []discordtest.Event{e}
		})
		s.contains(s.uses(s.channel, "heddle help"), "I don't know this command any more.")
		restore()
	}
}

// TestATalkMovesOnceHoweverOftenItsButtonIsPressed presses it twice, and presses another button
// while Discord takes no answer.
func TestATalkMovesOnceHoweverOftenItsButtonIsPressed(t *testing.T) {
	s, printer := newTalks(t)
	s.start()
	id, opened := s.opensPrinter()
	s.press(s.bob, opened, "Move to a thread")
	s.press(s.bob, opened, "Move to a thread")
	thread := graph.ChannelID(printer[0])
	moved := s.privately(id, "<#"+thread.String()+">")
	s.discord.Faults.Inject(discordtest.Refused(discordtest.On(discordtest.RouteAnswer), 404, 10062, "Unknown interaction"))
	s.press(s.bob, moved, "All talks") // the press reaches no process
	s.press(s.bob, moved, "All talks")
	s.privately(id, "**2 talks**")
	s.says(thread, s.linkTo(printer[1]))
	s.same("how often the talk is told", strings.Count(strings.Join(s.partsOf(thread, 0), "\n"), s.linkTo(printer[1])), 1)
}

// TestMutatedPayloadsEndNothing sends heddle payloads with random changes, READY included.
// At the end heddle still answers. MUTATED sets their number, and MUTATED_SEED repeats a run.
//
//	MUTATED=10000000 go test -timeout 3h -run TestMutatedPayloadsEndNothing -v ./internal/e2e
func TestMutatedPayloadsEndNothing(t *testing.T) {
	s := newScene(t)
	count, seed := 5_000, rand.Uint64()
	for name, parse := range map[string]func(string) error{
		"MUTATED":      func(text string) (err error) { count, err = strconv.Atoi(text); return },
		"MUTATED_SEED": func(text string) (err error) { seed, err = strconv.ParseUint(text, 10, 64); return },
	} {
		if text := os.Getenv(name); text != "" {
			s.ok(parse(text))
		}
	}
	s.always(openaitest.Answer("Still here."))
	ready, events := s.trueEvents()
	c := s.spawn("LOG_LEVEL=error")
	s.answered(s.channel, "are you there?", "Still here.")
	random := rand.New(rand.NewPCG(seed, 1))
	const atOnce = 500
	seldom := max(5_000, count/100/atOnce*atOnce)
	sent := 0
	for ; sent < count; sent += atOnce {
		for i := range atOnce {
			event := events[random.IntN(len(events))]
			if i == 0 && sent%seldom == 0 { // READY ends the session
				event = ready
			}
			s.discord.Gateway.SendRaw(mutated(random, event))
		}
		if sent > 0 && sent%1_000_000 == 0 {
			t.Logf("seed=%d payloads=%d", seed, sent)
		}
		before := s.discord.Gateway.State()
		s.discord.Gateway.SendRaw(json.RawMessage(`{"op":1,"d":null}`))
		if err := s.discord.Gateway.Await(t.Context(), func(g discordtest.GatewayState) bool {
			return g.Ready > 0 && (g.Beats > before.Beats || g.Opened > before.Opened)
		}); err != nil {
			t.Fatalf("after %d payloads with seed %d: %v\n%s", sent, seed, err, c.logs.String())
		}
	}
	s.ctx = t.Context()
	s.discord.Gateway.Invalidate() // guilds and channels may have been deleted
	s.answered(s.channel, "and now?", "Still here.")
	s.lacks(c.logs.String(), "panic")
	t.Logf("seed=%d payloads=%d connections=%d", seed, sent, s.discord.Gateway.State().Opened)
}

// trueEvents returns READY and the other events of the scene as they are sent.
func (s *scene) trueEvents() (ready json.RawMessage, events []json.RawMessage) {
	s.t.Helper()
	remove := s.discord.Events.Intercept(func(e discordtest.Event) []discordtest.Event {
		raw := json.RawMessage(fmt.Sprintf(`{"op":0,"s":1,"t":%q,"d":%s}`, e.Name, e.Data))
		if e.Name == "READY" {
			ready = raw
		} else {
			events = append(events, raw)
		}
		return []discordtest.Event{e}
	})
	r := s.start()
	thread := s.thread("looms")
	root := s.post(s.bob, discordtest.Draft{Content: "The warp goes up."})
	s.post(s.ann, discordtest.Draft{Content: "and down", ReplyTo: root})
	s.postIn(thread, s.ann, discordtest.Draft{Content: "in here"})
	s.edit(root, "The warp goes up, and the weft across.")
	s.reacts(s.channel, root, s.ann, "👍")
	s.discord.Chat.Delete(s.channel, root)
	s.answered(s.channel, "are you there?", "Still here.")
	r.end()
	remove()
	return ready, events
}

// mutated returns a payload with random changes, to fields of its objects or to its bytes.
func mutated(random *rand.Rand, payload json.RawMessage) json.RawMessage {
	odd := []any{nil, true, -1, 0, 1e300, "", "x", "18446744073709551616", "2026-13-01T00:00:00Z", []any{}, []any{nil}, map[string]any{}, strings.Repeat("[", 50)}
	if random.IntN(4) > 0 {
		return discordtest.Rewritten(func(object map[string]any) {
			names := slices.Sorted(maps.Keys(object))
			if len(names) == 0 || random.IntN(4) > 0 {
				return
			}
			if name := names[random.IntN(len(names))]; random.IntN(6) == 0 {
				delete(object, name)
			} else {
				object[name] = odd[random.IntN(len(odd))]
			}
		})(payload)
	}
	changed := slices.Clone(payload)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(changed))
		switch random.IntN(3) {
		case 0:
			changed[at] = byte(random.IntN(256))
		case 1:
			changed = slices.Insert(changed, at, byte(random.IntN(256)))
		default:
			changed = slices.Delete(changed, at, min(len(changed)-1, at+1+random.IntN(8)))
		}
	}
	return changed
}

package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// TestMutatedPayloadsEndNothing sends heddle payloads with one to three random changes,
// READY included. At the end heddle still answers. MUTATED sets their number, and
// MUTATED_SEED repeats a run.
//
//	MUTATED=10000000 go test -timeout 3h -run TestMutatedPayloadsEndNothing -v ./internal/e2e
func TestMutatedPayloadsEndNothing(t *testing.T) {
	t.Parallel()
	count, seed := 5_000, rand.Uint64()
	for name, parse := range map[string]func(string) error{
		"MUTATED":      func(text string) (err error) { count, err = strconv.Atoi(text); return },
		"MUTATED_SEED": func(text string) (err error) { seed, err = strconv.ParseUint(text, 10, 64); return },
	} {
		if text := os.Getenv(name); text != "" {
			if err := parse(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Still here."))
	ready, events := s.trueEvents()
	c := s.spawn("LOG_LEVEL=error")
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")}), "Still here.")
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
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("and now?")}), "Still here.")
	if logs := c.logs.String(); strings.Contains(logs, "panic") {
		t.Errorf("heddle logs %s, want no %q in it", logs, "panic")
	}
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
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("are you there?")}), "Still here.")
	r.end()
	remove()
	return ready, events
}

// mutated returns a payload with one to three changes, to its values or to its bytes.
func mutated(random *rand.Rand, payload json.RawMessage) json.RawMessage {
	var event map[string]any
	if random.IntN(4) > 0 && json.Unmarshal(payload, &event) == nil {
		for range 1 + random.IntN(3) {
			event["d"] = mutatedValue(random, event["d"])
		}
		if changed, err := json.Marshal(event); err == nil {
			return changed
		}
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

// mutatedValue returns a value in which one place is changed.
func mutatedValue(random *rand.Rand, value any) any {
	odd := []any{nil, true, -1, 0, 1e300, "", "x", "18446744073709551616", "2026-13-01T00:00:00Z", []any{}, []any{nil}, map[string]any{}, strings.Repeat("[", 50)}
	if random.IntN(5) == 0 {
		return odd[random.IntN(len(odd))]
	}
	switch v := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		if len(names) == 0 {
			return odd[random.IntN(len(odd))]
		}
		slices.Sort(names)
		if name := names[random.IntN(len(names))]; random.IntN(6) == 0 {
			delete(v, name)
		} else {
			v[name] = mutatedValue(random, v[name])
		}
		return v
	case []any:
		if len(v) == 0 {
			return []any{odd[random.IntN(len(odd))]}
		}
		at := random.IntN(len(v))
		v[at] = mutatedValue(random, v[at])
		return v
	default:
		return odd[random.IntN(len(odd))]
	}
}

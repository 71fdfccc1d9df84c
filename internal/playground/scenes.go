package playground

import "time"

// scene is a channel with its earlier messages.
type scene struct {
	name, topic string
	lines       []line
	hints       []hint
}

type line struct {
	ago     time.Duration
	who     string
	text    string
	label   string // names the line for replies; "" for none
	answers string // the label of the line that it replies to; "" for none
}

type hint struct {
	who, text, answers string
}

const day = 24 * time.Hour

// scenes returns channels that demonstrate heddle: two talks at once, an old message
// that matters, and an empty channel to try things in.
func scenes() []scene {
	return []scene{twoTalks(), oldMessage(), {
		name:  "sandbox",
		topic: "empty: talk as two people, then ask heddle",
		hints: []hint{{who: "Ada", text: "@heddle hello! what can you see here?"}},
	}}
}

// twoTalks returns a channel in which two talks alternate: one about a broken proxy,
// one about a games night.
func twoTalks() scene {
	return scene{
		name:  "workshop",
		topic: "two talks at once",
		lines: []line{
			{ago: 3 * time.Hour, who: "Dev", text: "standup notes are in the wiki"},
			{ago: 3*time.Hour - time.Minute, who: "Bo", text: "thanks!"},
			{ago: 14 * time.Minute, who: "Ada", text: "the staging proxy answers 502 since the upgrade, anyone else?", label: "502"},
			{ago: 13 * time.Minute, who: "Bo", text: "board games at mine on friday, who's in?", label: "games"},
			{ago: 12 * time.Minute, who: "Cleo", text: "same here. it still listens on 8080, but the config says 8443", label: "8080", answers: "502"},
			{ago: 11 * time.Minute, who: "Dev", text: "me! I'll bring Cascadia", label: "in", answers: "games"},
			{ago: 10 * time.Minute, who: "Ada", text: "8443 is right, we moved it in march. the unit file was never changed"},
			{ago: 9 * time.Minute, who: "Bo", text: "three of us then. what do we eat?", label: "food", answers: "in"},
			{ago: 8 * time.Minute, who: "Cleo", text: "restarting it with the new port now", label: "restart"},
			{ago: 7 * time.Minute, who: "Dev", text: "pizza? the place on Mill Street is good", label: "pizza", answers: "food"},
			{ago: 6 * time.Minute, who: "Ada", text: "careful, the health check still asks 8080", answers: "restart"},
			{ago: 5 * time.Minute, who: "Bo", text: "pizza it is, I'll order for seven o'clock", answers: "pizza"},
			{ago: 4 * time.Minute, who: "Cleo", text: "changed both. no more 502s"},
			{ago: 2 * time.Minute, who: "Dev", text: "can I bring my brother on friday?"},
		},
		hints: []hint{
			{who: "Ada", text: "@heddle what was wrong with the proxy, for the notes?"},
			{who: "Dev", text: "@heddle when is the pizza coming, and who brings what on friday?"},
		},
	}
}

// oldMessage returns a channel in which a recipe was told months ago. A question that
// replies to it needs it, and nothing said since.
func oldMessage() scene {
	s := scene{
		name:  "kitchen",
		topic: "an old message, brought back by a reply",
		lines: []line{
			{ago: 92 * day, who: "Bo", text: "Cleo, how did you make that dough last night?", label: "ask"},
			{ago: 92*day - 2*time.Minute, who: "Cleo", text: "for four: 500 g flour, 325 g water, 10 g salt, 3 g fresh yeast, a day in the fridge", label: "dough", answers: "ask"},
			{ago: 92*day - 3*time.Minute, who: "Cleo", text: "and as hot as your oven goes, on the lowest rack"},
			{ago: 92*day - 5*time.Minute, who: "Bo", text: "noted, thank you!"},
		},
		hints: []hint{
			{who: "Dev", text: "@heddle how much of each for six people?", answers: "dough"},
			{who: "Ada", text: "@heddle who waters the plants next week?"},
		},
	}
	recent := []line{
		{who: "Ada", text: "I'm away next week, could someone water the plants by the window?"},
		{who: "Dev", text: "monday to wednesday I can"},
		{who: "Bo", text: "and I take the rest"},
		{who: "Ada", text: "lovely. the fern wants less than you think"},
		{who: "Dev", text: "less as in none?"},
		{who: "Ada", text: "a cup, once"},
		{who: "Cleo", text: "the coffee machine wants descaling, by the way"},
		{who: "Bo", text: "again? I did that in spring"},
		{who: "Cleo", text: "the light is on"},
		{who: "Dev", text: "there is a bottle of the stuff under the sink"},
		{who: "Cleo", text: "found it, doing it now"},
		{who: "Bo", text: "hero"},
	}
	for i := range recent {
		recent[i].ago = time.Duration(len(recent)-i) * 3 * time.Minute
	}
	s.lines = append(s.lines, recent...)
	return s
}

package e2e_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/internal/cli"
	"heddle/internal/discordtest"
	"heddle/internal/discordtest/documented"
)

// lived is a setting in which heddle doctor --live runs.
type lived struct {
	arrange func(*scene)
	channel string // another one than the scene's
	pressed bool   // somebody presses the button
	status  int
	want    []string
}

// TestTheSheetOfDoctorLiveSaysWhatWasSeen tries everything on our Discord, and where things fail.
// Whatever happens, nothing is left in the channel.
func TestTheSheetOfDoctorLiveSaysWhatWasSeen(t *testing.T) {
	t.Parallel()
	tests := map[string]lived{
		"all is well": {pressed: true, arrange: func(s *scene) {
			s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "board", Private: true})
			s.discord.World.BuildIndex(s.guild, 1, 0.01)
		}, want: []string{
			"| login | READY came |", "| Message Content intent | on, with the flag for few people |", "| send | sent; MESSAGE_CREATE came |",
			"| `nonce` with `enforce_nonce`, twice | the first message came back; after a deletion: POST /channels/{id}/messages: HTTP 404, code 10008",
			"| edit, as an answer grows | 4 in ", "MESSAGE_UPDATE came with edited_timestamp |", "| reply | type 19, 0 mentions, with referenced_message |",
			"by its id | kept |", "units each | accepted |", "`\"parse\": null` | accepted |", "newest first: true |", "a limit of 2 returned 3 messages |",
			"| search | found at try 2: 5 in all, 1 in the first group; 1 times 202 before |", "the gateway lists 2 channels, 1 of them hidden; REST lists 1 |",
			"pressed by ann, acknowledged; a second time: POST /interactions/{id}/{token}/callback: HTTP 400, code 40060",
			"announced with the flag LOADING: true; arrived by MESSAGE_UPDATE, with edited_timestamp: false, with the flag: false |",
			"`POST /channels/{id}/messages` 5 in 0.", "| several shards, two sessions of one shard, 4011 | not tried: heddle doctor cannot |", "| what is left in the channel | nothing; ",
		}},
		"nobody presses": {want: []string{"| not tried: nobody pressed the button |", "| not tried: no button was pressed |"}},
		"heddle may not send": {
			arrange: func(s *scene) { s.denies(s.channel, discordtest.SendMessages) }, status: cli.StatusWarned,
			want: []string{"| send | failed: POST /channels/{id}/messages: HTTP 403, code 50013", "| reply | not tried: nothing could be sent |", "nothing; 0 messages were deleted |"},
		},
		"a channel that heddle may not view": {
			arrange: func(s *scene) { s.denies(s.channel, discordtest.ViewChannel) }, status: cli.StatusFaulted, want: []string{"| the channel | failed: GET /channels/{id}: HTTP 403, code 50001"},
		},
		"no channel": {channel: "81384788765712384", status: cli.StatusFaulted, want: []string{"| the channel | failed: GET /channels/{id}: HTTP 404, code 10003"}},
	}
	maps.Copy(tests, failing())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.run(t)
		})
	}
}

// refusing returns an arrangement in which Discord refuses some requests.
func refusing(status, code int, routes ...string) func(*scene) {
	return func(s *scene) {
		fault := discordtest.Refused(discordtest.On(routes...), status, code, "no")
		fault.Times = -1
		s.discord.Faults.Inject(fault)
	}
}

// failing returns settings in which requests fail in the midst.
func failing() map[string]lived {
	return map[string]lived{
		"edits are refused in the midst": {
			arrange: refusing(http.StatusForbidden, 50013, discordtest.RouteEditMessage), status: cli.StatusWarned,
			want: []string{"| edit, as an answer grows | failed: edit 1: PATCH ", "by its id | failed: ", "| reply | type 19", "| what is left in the channel | nothing; "},
		},
		"answers are announced and lost": {
			pressed: true, arrange: refusing(http.StatusForbidden, 50013, discordtest.RouteEditFollowUp), status: cli.StatusWarned,
			want: []string{"| a deferred answer | failed: PATCH ", "| what is left in the channel | nothing; "},
		},
		"what was sent is not answered": {
			arrange: func(s *scene) {
				s.discord.Faults.Inject(discordtest.Fault{Match: func(r discordtest.Request) bool { return r.Route == discordtest.RouteCreateMessage && len(r.Files) > 0 }, After: true, Status: http.StatusBadGateway})
			}, status: cli.StatusWarned,
			want: []string{"by its id | failed: POST /channels/{id}/messages: HTTP 502", "| what is left in the channel | nothing; "},
		},
		"Discord asks to wait": {
			arrange: func(s *scene) {
				fault := discordtest.TooMany(discordtest.On(discordtest.RouteCreateMessage, discordtest.RouteDeleteMessage), discordtest.ScopeUser, 50*time.Millisecond)
				fault.Times = 2
				s.discord.Faults.Inject(fault)
			}, want: []string{"| send | sent", "| what is left in the channel | nothing; "},
		},
		"Discord asks to wait for ever": {
			arrange: refusing(http.StatusTooManyRequests, 0, discordtest.RouteSearch), status: cli.StatusWarned,
			want: []string{"| search | failed: GET /guilds/{id}/messages/search: HTTP 429", "| what is left in the channel | nothing; "},
		},
		"nothing can be deleted": {
			arrange: refusing(http.StatusForbidden, 50013, discordtest.RouteDeleteMessage), status: cli.StatusWarned, want: []string{"| what is left in the channel | failed: delete by hand: message "},
		},
		"searching is refused": {
			arrange: refusing(http.StatusForbidden, 50001, discordtest.RouteSearch), status: cli.StatusWarned, want: []string{"| search | failed: GET /guilds/{id}/messages/search: HTTP 403"},
		},
		"the intent is off": {
			arrange: func(s *scene) { s.discord.People.DenyMessageContent(s.heddle.User) }, status: cli.StatusWarned, want: []string{"| login | failed: the gateway refuses heddle: ", "4014", "| Message Content intent | off |"},
		},
	}
}

// run runs doctor and checks its sheet, and that the channel is as before.
func (l lived) run(t *testing.T) {
	t.Helper()
	limits := discordtest.NoLimits()
	limits.Routes = map[string]discordtest.Limit{discordtest.RouteCreateMessage: {Requests: 5, Window: 200 * time.Millisecond}}
	demanded := documented.Demanded(t)
	s := sceneOn(t, discordtest.Options{Limits: limits, AnswerWithin: discordtest.Patience, Inspect: func(r discordtest.Request) {
		if !strings.Contains(string(r.Body), `"parse":null`) { // the sheet says what Discord makes of it
			demanded(r)
		}
	}})
	s.post(s.bob, discordtest.Draft{Content: "the loom is stuck"})
	if l.arrange != nil {
		l.arrange(s)
	}
	args := []string{"doctor", "--live", s.channel.String(), "--press", "1ms"}
	if l.channel != "" {
		args[2] = l.channel
	}
	pressed := make(chan error, 1)
	if l.pressed {
		args[4] = "1m"
		go func() {
			m, err := s.discord.Chat.AwaitMessage(s.ctx, s.channel, func(m discordtest.Message) bool { return len(m.Buttons()) > 0 })
			if err == nil {
				_, err = s.discord.Interactions.Press(s.channel, m.ID, s.ann, m.Buttons()[0].CustomID)
			}
			pressed <- err
		}()
	}
	status, sheet, _ := s.command(nil, args...)
	if status != l.status {
		t.Errorf("it ended with status %d, want %d", status, l.status)
	}
	s.contains(sheet, l.want...)
	s.lacks(sheet, s.heddle.Token)
	if l.pressed {
		if err := <-pressed; err != nil {
			t.Errorf("the button was not pressed: %v", err)
		}
	}
	left := slices.DeleteFunc(s.discord.Chat.Messages(s.channel), func(m discordtest.Message) bool { return m.Author == s.bob })
	if len(left) > 0 && !strings.Contains(sheet, "delete by hand") {
		t.Errorf("%d messages are left, want none: %+v", len(left), left)
	}
}

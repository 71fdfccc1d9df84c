package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"heddle/bot/gateway"
	"heddle/bot/outbox"
	"heddle/bot/tools"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
)

// Deps is what a Bot works with. All but Sight, Files, Tools, Observer, Log and Now must be set.
type Deps struct {
	REST     *discord.REST
	Gateway  Gateway
	History  *fetch.History
	Outbox   *outbox.Outbox
	Model    Model
	Store    *store.Store
	Sight    Sight        // nil: where it is not known the model is shown no pictures
	Files    Files        // nil: no attachment is read
	Tools    []tools.Tool // what the model may call, each by a name of its own
	Settings Settings
	Observer Observer         // nil: nobody wants to know what answers are made from
	Log      *slog.Logger     // nil: nothing is logged
	Now      func() time.Time // nil: time.Now
}

// Model streams answers.
type Model interface {
	// Stream asks the model and hands each piece of its answer to each, in order.
	// An error is an *llm.Error; the answer then holds what had come by then.
	Stream(ctx context.Context, request llm.Request, each func(llm.Delta)) (llm.Answer, error)
	// Model names the model.
	Model() string
	// Rejected names the features that the provider is known to reject.
	Rejected() []string
}

// Ranks compares how certain a model was of its answers.
type Ranks interface {
	// Rank gives the share of the model's answers before that were less certain, nil
	// where too few are known.
	Rank(ctx context.Context, model string, confidence float64) (*float64, error)
}

// Ratings keeps what people think of answers.
type Ratings interface {
	// Rate fails with store.ErrForgotten where the message is no answer that is known.
	Rate(ctx context.Context, scope store.Scope, rating store.Rating) error
	// Unrate takes back the ratings of a message that gone says yes to.
	Unrate(ctx context.Context, scope store.Scope, message graph.MessageID, gone func(store.Rating) bool) error
}

// Ratios remembers how the provider's counts of tokens differ from heddle's.
type Ratios interface {
	// Ratios gives the last ones of a model, oldest first.
	Ratios(ctx context.Context, model string) ([]float64, error)
	// AddRatio adds one and gives the last ones.
	AddRatio(ctx context.Context, model string, ratio float64) ([]float64, error)
}

// Responses keeps answers under the paths they answer. Methods may be called from
// any goroutine; an outage is an error that wraps store.ErrUnavailable.
type Responses interface {
	Save(ctx context.Context, response store.Response) error
	// SaveShown is Save for what took another's place in its messages.
	SaveShown(ctx context.Context, response store.Response) error
	// Seek finds a response that may be given again, or gives the lead to ask for
	// one; while another has the lead, it waits.
	Seek(ctx context.Context, want store.Want, ttl time.Duration) (store.Sought, error)
	// Recall gives what is known of the responses behind Discord messages in one round trip.
	Recall(ctx context.Context, scope store.Scope, replies []graph.MessageID) (map[graph.MessageID]store.Recalled, error)
	// Turns reads the turns of a response's path.
	Turns(ctx context.Context, response store.Response) ([]path.Turn, error)
	// Summary returns a summary, and whether it is known.
	Summary(ctx context.Context, scope store.Scope, id store.SummaryID) (store.Recalled, bool, error)
	// ByTrigger gives all responses to a trigger; none is no error.
	ByTrigger(ctx context.Context, scope store.Scope, trigger graph.MessageID) ([]store.Response, error)
}

// Standing keeps which response stands in which messages.
type Standing interface {
	// Show has messages, the parts of an answer, show a response from now on. It fails
	// with store.ErrForgotten where that is erased or over.
	Show(ctx context.Context, scope store.Scope, parts []graph.MessageID, id store.ResponseID) error
	// Parts gives the messages of the answer that one is a part of, as Show was told
	// last; none where it never was.
	Parts(ctx context.Context, scope store.Scope, part graph.MessageID) ([]graph.MessageID, error)
}

// Offers keeps which answers offer to answer their questions as they were edited.
type Offers interface {
	Offer(ctx context.Context, scope store.Scope, question graph.MessageID, offer store.Offer) error
	// Unoffer takes an offer back; none is no error.
	Unoffer(ctx context.Context, scope store.Scope, question graph.MessageID) error
	// Offers gives those to questions.
	Offers(ctx context.Context, scope store.Scope, questions []graph.MessageID) (map[graph.MessageID]store.Offer, error)
}

// Deletions erases messages and all that was derived from them.
type Deletions interface {
	Forget(ctx context.Context, scope store.Scope, channel graph.ChannelID, messages []graph.MessageID) error
	ForgetChannel(ctx context.Context, scope store.Scope, channel graph.ChannelID) error
	ForgetGuild(ctx context.Context, guild graph.GuildID) error
	// Forgotten lists the people who were forgotten of late, by whichever process.
	Forgotten(ctx context.Context) ([]store.Forgotten, error)
}

// Claims sees to it that a trigger is answered once, across processes. A claim is
// a lease; a done-mark outlives it.
type Claims interface {
	// Claim fails with store.ErrHeld or store.ErrDone where somebody else answers or answered.
	Claim(ctx context.Context, key store.ClaimKey, ttl time.Duration) (store.Lease, error)
	// Renew fails with store.ErrLost where the lease ended before.
	Renew(ctx context.Context, lease store.Lease, ttl time.Duration) (store.Lease, error)
	Release(ctx context.Context, lease store.Lease) error
	Done(ctx context.Context, lease store.Lease, outcome string) error
	// IsDone reports whether a key has its done-mark, and with what outcome.
	IsDone(ctx context.Context, key store.ClaimKey) (outcome string, done bool, err error)
}

// Gateway keeps the bot connected; gateway.Gateway is one.
type Gateway interface {
	Run(ctx context.Context, handler gateway.Handler) error
}

// Waiting knows what is to be caught up: it keeps mentions that found their channel's
// queue full.
type Waiting interface {
	// Since gives from when on the store knows which triggers were answered.
	Since(ctx context.Context) (time.Time, error)
	Enqueue(ctx context.Context, pending store.Pending) error
	Pending(ctx context.Context) ([]store.Pending, error)
	Remove(ctx context.Context, pending store.Pending) error
}

// Directs remembers the direct messages in which people ask heddle.
type Directs interface {
	Direct(ctx context.Context, channel graph.ChannelID) error
	// Directs gives those of late first.
	Directs(ctx context.Context) ([]graph.ChannelID, error)
}

// Confidence is a choice of how the confidence of an answer is compared with the
// thresholds of Retention.
type Confidence uint8

// The kinds of Confidence.
const (
	// ConfidenceCalibrated takes the share of equally confident answers that people
	// found good, and the rank where that is not known.
	ConfidenceCalibrated Confidence = iota
	ConfidenceRank                  // the share of the model's last answers that were less confident
	ConfidenceRaw                   // what the model said
)

// Settings are what an operator chooses.
type Settings struct {
	Expand     graph.Options
	System     string // the system prompt, without heddle's frame
	Options    path.Options
	Sight      llm.Sight           // whether the model can be shown pictures; unknown: Deps.Sight finds out
	Tools      tools.Limits        // of what tools may take for one answer
	Budget     int                 // tokens a path may take; 0: no bound
	Count      func(path.Turn) int // tokens of a turn; nil: no budget
	Summaries  bool                // what leaves a path is summarised
	Estimated  bool                // Count is an estimate, which what the provider counts corrects
	Edits      Edits               // of questions that were answered
	EditWindow time.Duration       // for so long after they were asked they are answered or offered to be
	Confidence Confidence
	// Calibrated gives for a model's confidence the share of answers that are good,
	// where that is known; nil: it is never known.
	Calibrated func(model string, confidence float64) (float64, bool)
	// Retention says which old messages stay on a path; zero keeps all.
	Retention path.Retention
	// ArtifactWindow is how long after an answer that is not on record a file still
	// counts as made by it.
	ArtifactWindow time.Duration
	ReuseFor       time.Duration // how long an answer may be given again; 0: never
	CatchUp        time.Duration // mentions older than this are not caught up
	Parallel       int           // answers at a time; 0: 64
	Waiting        int           // mentions that may wait in one channel; 0: 32
	// Lease is how long a claim holds without being renewed: how long a mention waits
	// whose process died. 0: 20 s.
	Lease time.Duration
	Grace time.Duration // for answers under way at shutdown; 0: 8 s
	// Flush is how long the end of an answer is then tried to be sent: whoever runs
	// heddle may kill it soon. 0: 1.5 s.
	Flush time.Duration
}

func (s *Settings) setDefaults() {
	if s.Parallel == 0 {
		s.Parallel = 64
	}
	if s.Waiting == 0 {
		s.Waiting = 32
	}
	if s.Lease == 0 {
		s.Lease = 20 * time.Second
	}
	if s.Grace == 0 {
		s.Grace = 8 * time.Second
	}
	if s.Flush == 0 {
		s.Flush = 1500 * time.Millisecond
	}
	if s.Calibrated == nil {
		s.Calibrated = func(string, float64) (float64, bool) { return 0, false }
	}
	s.System = llm.System(s.System)
	s.Count = cachedCount(s.Count)
}

func (d *Deps) check() error {
	var missing []string
	for name, given := range map[string]bool{
		"REST": d.REST != nil, "Gateway": d.Gateway != nil, "History": d.History != nil, "Outbox": d.Outbox != nil,
		"Model": d.Model != nil, "Store": d.Store != nil,
	} {
		if !given {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("make a bot: %w: %s", errMissing, strings.Join(missing, ", "))
	}
	return nil
}

var errMissing = errors.New("something it needs is missing")

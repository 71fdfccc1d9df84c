package answer_test

import (
	"context"
	"log/slog"
	"testing"

	"heddle/bot/answer"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// answersOf returns the Answers of a house, which may reuse answers for an hour.
func answersOf(h *roomtest.House, settings answer.Settings) *answer.Answers {
	return answer.New(answer.Deps{
		History: h.History, Store: h.Store, Outbox: h.Outbox, Model: h.Client,
		Loop: tools.NewLoop(h.Client, nil, tools.Limits{}, h.Log), Files: answer.NewFiles(nil, h.Log),
		Guilds: guilds.NewPermissions(h.REST, h.Guilds), Leases: h.Leases, Writes: h.Writes, Observer: answer.Unobserved{},
		Explain: func(error) string { return "explained" }, Flush: discordtest.Patience, Log: h.Log,
	}, settings)
}

// target is a new reply, or the replacement of messages.
type target struct {
	to       outbox.To
	told     []string
	restored int
}

func (t *target) To() outbox.To { return t.to }

func (t *target) Final(_ context.Context, _ *slog.Logger, _ *store.Response, notice string) outbox.Final {
	return outbox.Final{Notice: notice}
}

func (t *target) Tell(_ context.Context, text string) { t.told = append(t.told, text) }

func (t *target) Restore(context.Context, *slog.Logger) error {
	t.restored++
	return nil
}

// ask returns the job of answering what Ann asks with a new reply.
func ask(h *roomtest.House, text string) answer.Job {
	id := h.Post(h.Ann, discordtest.Draft{Content: h.Mention(text)})
	return answer.Job{
		Question: answer.Question{Guild: h.Guild, Channel: h.Channel, ID: id, Place: h.Place()},
		Target:   &target{to: outbox.To{Channel: h.Channel, Trigger: id}},
	}
}

// give prepares a job and gives its answer.
func give(t *testing.T, h *roomtest.House, answers *answer.Answers, job answer.Job) answer.Outcome {
	t.Helper()
	p, err := answers.Prepare(h.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := answers.Give(h.Context(), h.Log, p)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestAnAnswerIsSentAndRecorded(t *testing.T) {
	t.Parallel()
	h := roomtest.New(t)
	answers := answersOf(h, answer.Settings{})
	h.Model.Queue(openaitest.Answer("Over, ", "under."))
	job := ask(h, "how do I weave?")
	if got := give(t, h, answers, job); got != answer.Answered {
		t.Errorf("the outcome is %q", got)
	}
	said := h.Said()
	if len(said) != 1 || said[0].Content != "Over, under." || said[0].Reference == nil || said[0].Reference.Message != job.ID {
		t.Fatalf("heddle said %+v", said)
	}
	responses, err := h.Store.Responses.ByTrigger(h.Context(), job.Place.Scope, job.ID)
	if err != nil || len(responses) != 1 {
		t.Fatalf("recorded are %+v, %v", responses, err)
	}
	r := responses[0]
	if r.Text != "Over, under." || len(r.Replies) != 1 || r.Replies[0].ID != said[0].ID || r.Self != h.Self || r.Reply != 0 {
		t.Errorf("the record is %+v", r)
	}
	if held, ok := h.History.Message(h.Channel, said[0].ID); !ok || held.Answers != job.ID || held.Origin != graph.OriginSelf {
		t.Errorf("the history holds %+v, %t", held, ok)
	}
	if got := answers.Stats(); got.Requests != 1 || got.Bypassed != 1 {
		t.Errorf("the counts are %+v", got)
	}
}

func TestADeletedQuestionIsNotAnswered(t *testing.T) {
	t.Parallel()
	h := roomtest.New(t)
	answers := answersOf(h, answer.Settings{})
	job := ask(h, "never mind")
	h.Delete(job.ID)
	if _, err := answers.Prepare(h.Context(), job); !work.IsQuestionGone(failed(err)) {
		t.Errorf("preparing fails with %v", err)
	}
	if got, err := answers.Fail(h.Context(), h.Log, job, work.ErrQuestionGone); got != answer.Dropped || err != nil {
		t.Errorf("the outcome is %q, %v", got, err)
	}
	if said := h.Said(); len(said) != 0 || len(h.Model.Requests()) != 0 {
		t.Errorf("heddle said %+v", said)
	}
}

// failed returns a context that ended with a cause.
func failed(cause error) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	return ctx
}

package playground

import (
	"context"
	"net/http"
	"time"

	"heddle/internal/discordtest"
)

// answerWithin is how long the fake Discord waits for the first answer to an
// interaction. It is longer than Discord's 3 seconds, because the machine may be slow.
const answerWithin = time.Minute

// acted identifies an interaction, so that the page can ask for the form that it opens.
type acted struct {
	Interaction discordtest.InteractionID `json:"interaction"`
}

// formView is a form in the form that the page gets. No inputs mean that there is no
// form.
type formView struct {
	Title  string      `json:"title"`
	Inputs []inputView `json:"inputs"`
}

type inputView struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	Value    string `json:"value"`
	Required bool   `json:"required"`
	Least    int    `json:"least"`
	Most     int    `json:"most"` // 0: no bound
	Long     bool   `json:"long"` // has several lines
}

// serveForm waits until heddle has answered an interaction, and responds with the form that
// it opened, if any.
func (p *page) serveForm(w http.ResponseWriter, r *http.Request) {
	var id discordtest.InteractionID
	if id.UnmarshalText([]byte(r.PathValue("interaction"))) != nil {
		refuse(w, http.StatusBadRequest, "there is no such form")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
	defer cancel()
	in, err := p.world.discord.Interactions.Await(ctx, id, func(in discordtest.Interaction) bool { return in.Answered != 0 })
	if err != nil {
		refuse(w, http.StatusNotFound, "heddle did not answer in time")
		return
	}
	view := formView{Inputs: []inputView{}}
	if in.Modal != nil {
		view.Title = in.Modal.Title
		for _, input := range in.Modal.Inputs {
			required := input.Required == nil || *input.Required
			view.Inputs = append(view.Inputs, inputView{
				ID: input.CustomID, Label: input.Label, Value: input.Value, Required: required,
				Least: input.Least, Most: input.Most, Long: input.Style == longInput,
			})
		}
	}
	respond(w, http.StatusOK, view)
}

// longInput is the style of an input of several lines.
const longInput = 2

type submitRequest struct {
	Interaction discordtest.InteractionID `json:"interaction"`
	Values      map[string]string         `json:"values"`
}

// submit sends a filled-in form. The page learns of the results by events.
func (p *page) submit(r submitRequest) (any, error) {
	if _, err := p.world.discord.Interactions.Submit(r.Interaction, r.Values); err != nil {
		return nil, refusedError("Discord refuses this form: it is closed, or something in it is too short or too long")
	}
	return struct{}{}, nil
}

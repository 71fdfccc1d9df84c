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

// serveForm waits until heddle has answered an interaction, and responds with the form that
// it opened, or null.
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
	respond(w, http.StatusOK, in.Modal)
}

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

package affinity

import (
	"fmt"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/heaptest"
)

func TestWhatIsHeldOfWhatWasJudgedAhead(t *testing.T) {
	model, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	heaptest.AtMost(t, "channels that were judged ahead", func() any {
		for channel := range graph.ChannelID(mostJudged + 4) {
			messages := make([]*graph.Message, 99)
			for i := range messages {
				messages[i] = &graph.Message{
					ID: graph.MessageID(i + 1), Channel: channel + 1, Author: graph.UserID(i%9 + 1), Time: time.Unix(int64(i)*60, 0),
					Text: fmt.Sprintf("the kiln of potter %d is at %d degrees and the glaze of batch %d runs down its side", i%7, 900+i, i*31),
				}
			}
			model.Ahead(messages)
		}
		return model
	})
}

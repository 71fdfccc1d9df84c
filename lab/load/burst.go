package load

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/wait"
)

// burst describes a load in which people ask in all channels at once, right after a start
// (cold); then in one channel after the other; then in all at once again (warm). The model
// answers at once, so that the last text competes with other channels' questions.
type burst struct {
	channels, rounds int
	words            int           // tokens of an answer
	each             time.Duration // time between two tokens
}

const (
	burstHistory  = 100                     // messages in each channel at the start
	burstsWarm    = 3                       // warm bursts of one round
	burstPause    = 1500 * time.Millisecond // before and after each; longer than the second in which Discord takes 50 requests
	burstPatience = 2 * time.Minute         // how long a process may take to connect, or to answer everything
)

// answer holds the times of one answer.
type answer struct {
	sent, requested time.Time // mention, and first byte of the request
	first, last     time.Time // first and last token
	shown, ended    time.Time // first text, and whole text
}

// The figures of a burst. Each has a value for every answer, or for every round.
const (
	rowStart     = "start, until connected"
	rowCold      = "mention to request, all at once, cold"
	rowWarm      = "mention to request, all at once, warm"
	rowAlone     = "mention to request, one by one, warm"
	rowFirst     = "first token to first text, all at once"
	rowLastCold  = "last token to last text, all at once, cold"
	rowLastWarm  = "last token to last text, all at once, warm"
	rowLastAlone = "last token to last text, one by one"
	rowCPU       = "CPU of a mention, one by one"
	rowCPUBurst  = "CPU of a mention, all at once, warm"
)

// bursting is one process under such a load.
type bursting struct {
	burst
	*scene

	answers map[string]*answer // those of the questions that are open, by what they are about; guarded by scene.mu
	figures map[string][]time.Duration

	speaking sync.WaitGroup // the model's goroutines
}

// measure runs the programs in turns, and prints the median and the highest value of each
// figure.
func (b *burst) measure(ctx context.Context, programs []string, dir string, environ []string, w io.Writer) error {
	figures, peaks := make([]map[string][]time.Duration, len(programs)), make([][]time.Duration, len(programs))
	for round := range b.rounds {
		for i, program := range programs {
			if figures[i] == nil {
				figures[i] = map[string][]time.Duration{}
			}
			folder := filepath.Join(dir, fmt.Sprintf("round-%d-program-%d", round, i))
			peak, err := b.run(ctx, program, folder, environ, figures[i])
			if err != nil {
				return fmt.Errorf("measure %s: %w", program, err)
			}
			peaks[i] = append(peaks[i], time.Duration(peak))
		}
	}
	fmt.Fprintf(w, "%d channels of %d messages, %d rounds, %d tokens %s apart; median and most\n%-44s", b.channels, burstHistory, b.rounds, b.words, b.each, "")
	for _, program := range programs {
		fmt.Fprintf(w, " %22s", filepath.Base(program))
	}
	for _, row := range []string{rowStart, rowCold, rowWarm, rowAlone, rowFirst, rowLastCold, rowLastWarm, rowLastAlone, rowCPU, rowCPUBurst} {
		fmt.Fprintf(w, "\n%-44s", row)
		for i := range programs {
			took := slices.Sorted(slices.Values(figures[i][row]))
			fmt.Fprintf(w, " %10s %11s", rank(took, 0.5).Round(10*time.Microsecond), rank(took, 1).Round(10*time.Microsecond))
		}
	}
	fmt.Fprintf(w, "\n%-44s", "memory at most")
	for i := range programs {
		slices.Sort(peaks[i])
		fmt.Fprintf(w, " %7d MB %8d MB", peaks[i][len(peaks[i])/2]>>20, peaks[i][len(peaks[i])-1]>>20)
	}
	fmt.Fprintln(w)
	return nil
}

// run measures one process, adds to the figures, and returns its memory at most, in bytes.
func (b *burst) run(ctx context.Context, program, dir string, environ []string, figures map[string][]time.Duration) (peak int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, burstPatience)
	defer cancel()
	r := &bursting{burst: *b, answers: map[string]*answer{}, figures: figures}
	if r.scene, err = newScene(plan{channels: b.channels, history: burstHistory}, r.speak); err != nil { //nolint:contextcheck // closed below
		return 0, err
	}
	defer r.close() //nolint:contextcheck // it stops servers without a context
	defer r.speaking.Wait()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("make a folder: %w", err)
	}
	cmd := process(ctx, program, dir, environ, servers{r.heddle.Token, r.discord.URL(), r.model.URL()})
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start it: %w", err)
	}
	defer func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}()
	if err := r.discord.Gateway.Await(ctx, func(g discordtest.GatewayState) bool { return g.Ready > 0 }); err != nil {
		return 0, fmt.Errorf("wait until it is connected: %w", err)
	}
	r.add(rowStart, time.Since(began))
	r.pid = cmd.Process.Pid
	if err := r.ask(ctx); err != nil {
		return 0, err
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait() // its figures count, not how it ends
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = usage.Maxrss << 10 // Linux counts kilobytes
	}
	return peak, nil
}

func (r *bursting) add(row string, took time.Duration) { r.figures[row] = append(r.figures[row], took) }

// ask asks everything that a round asks.
func (r *bursting) ask(ctx context.Context) error {
	if err := wait.For(ctx, burstPause); err != nil {
		return err
	}
	if err := r.atOnce(ctx, rowCold, rowLastCold); err != nil {
		return err
	}
	before := r.cpu()
	for _, channel := range r.scene.channels {
		if err := r.answered(ctx, rowAlone, rowLastAlone, []graph.ChannelID{channel}); err != nil {
			return err
		}
	}
	r.add(rowCPU, (r.cpu()-before)/time.Duration(len(r.scene.channels)))
	before = r.cpu()
	for range burstsWarm {
		if err := r.atOnce(ctx, rowWarm, rowLastWarm); err != nil {
			return err
		}
	}
	r.add(rowCPUBurst, (r.cpu()-before)/time.Duration(burstsWarm*len(r.scene.channels)))
	return nil
}

// atOnce asks in all channels at once, and leaves the process alone for a while afterwards:
// Discord's limits for a channel are for five seconds.
func (r *bursting) atOnce(ctx context.Context, request, last string) error {
	if err := r.answered(ctx, request, last, r.scene.channels); err != nil {
		return err
	}
	return wait.For(ctx, burstPause)
}

// answered asks in the channels at once and waits until all of it is answered.
func (r *bursting) answered(ctx context.Context, request, last string, channels []graph.ChannelID) error {
	watcher := r.discord.Chat.Watch()
	defer watcher.Close()
	asked := map[graph.ChannelID]*answer{}
	for _, channel := range channels {
		a := &answer{sent: time.Now()}
		// The words of a question are those of the channel's messages: for others, heddle reads older pages.
		about := strconv.Itoa(burstHistory/2 + slices.Index(r.scene.channels, channel))
		asked[channel] = a
		r.mu.Lock()
		r.answers[about] = a
		r.mu.Unlock()
		if err := r.post(channel, fmt.Sprintf("<@%s> looms, threads: message %s of the past?", r.heddle.User, about)); err != nil {
			return err
		}
	}
	for open := len(channels); open > 0; {
		h, err := watcher.Next(ctx)
		if err != nil {
			return fmt.Errorf("wait for %d of %d answers: %w", open, len(channels), err)
		}
		a, at := asked[h.Channel], time.Now()
		if a == nil || h.Message.Author != r.heddle.User || h.Kind != discordtest.Created && h.Kind != discordtest.Edited || !a.ended.IsZero() {
			continue
		}
		r.mu.Lock()
		if a.shown.IsZero() {
			a.shown = at
		}
		if strings.Contains(h.Message.Content, fmt.Sprintf("word%d.", r.words-1)) {
			a.ended = at
			open--
		}
		r.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range asked {
		r.add(request, a.requested.Sub(a.sent))
		r.add(last, a.ended.Sub(a.last))
		if request != rowAlone {
			r.add(rowFirst, a.shown.Sub(a.first))
		}
	}
	return nil
}

// speak answers a request token by token and records its times.
func (r *bursting) speak(req openaitest.Request) openaitest.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	body := string(req.Body)
	about := body[:max(0, strings.LastIndex(body, " of the past?"))]
	a := r.answers[about[strings.LastIndexByte(about, ' ')+1:]]
	if a == nil {
		return openaitest.Answer("which question?")
	}
	a.requested = req.Began
	chunks, gates := make([]openaitest.Chunk, r.words), make([]chan struct{}, r.words)
	for i := range chunks {
		gates[i] = make(chan struct{})
		chunks[i] = openaitest.Chunk{Wait: gates[i], Text: fmt.Sprintf("word%d. ", i)}
	}
	r.speaking.Go(func() {
		for i, gate := range gates {
			time.Sleep(r.each) //nolint:forbidigo // it simulates a model
			r.mu.Lock()
			a.last = time.Now()
			if i == 0 {
				a.first = a.last
			}
			r.mu.Unlock()
			close(gate)
		}
	})
	return openaitest.Reply{Chunks: chunks, FinishReason: "stop"}
}

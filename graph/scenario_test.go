package graph_test

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
)

// scenario is the upper half of a file in testdata; README.md there has the format.
type scenario struct {
	world    *world
	channels map[string]graph.ChannelID
	people   map[string]graph.UserID
	trigger  graph.MessageID
	options  graph.Options
	channel  graph.ChannelID // of the lines being read
	want     string          // the lower half
}

func readScenario(t *testing.T, path string) *scenario {
	t.Helper()
	data := errtest.Must(os.ReadFile(path))(t)
	upper, lower, _ := strings.Cut(string(data), "\n---\n")
	s := &scenario{
		world:    newWorld(),
		channels: map[string]graph.ChannelID{},
		people:   map[string]graph.UserID{},
		options:  graph.DefaultOptions(),
		want:     lower,
	}
	scanner := bufio.NewScanner(strings.NewReader(upper))
	for line := 1; scanner.Scan(); line++ {
		if err := s.line(scanner.Text()); err != nil {
			t.Fatalf("%s:%d: %v", path, line, err)
		}
	}
	s.world.fold()
	return s
}

func (s *scenario) line(line string) error {
	switch key, value, _ := strings.Cut(line, ":"); {
	case line == "" || strings.HasPrefix(line, "# "):
		return nil
	case strings.HasPrefix(line, "#"):
		return s.enter(line)
	case strings.HasPrefix(line, "  "):
		return s.message(line)
	case key == "limits":
		return s.limits(value)
	case key == "gone":
		return s.gone(value)
	case key == "unread" || key == "hidden":
		return s.end(key, value)
	case line == "affinity: labels":
		s.options.Affinity = labels{}
		return nil
	case key == "trigger":
		return parseInto(&s.trigger, strings.TrimSpace(value))
	}
	return fmt.Errorf("%q is no line of a scenario", line)
}

func (s *scenario) channelOf(name string) graph.ChannelID {
	if _, known := s.channels[name]; !known {
		s.channels[name] = graph.ChannelID(len(s.channels) + 1)
	}
	return s.channels[name]
}

func (s *scenario) enter(line string) error {
	fields := strings.Fields(line)
	s.channel = s.channelOf(fields[0])
	if len(fields) == 3 && fields[1] == "of" {
		s.options.Parent = s.channelOf(fields[2])
	}
	return nil
}

func (s *scenario) limits(value string) error {
	for limit := range strings.SplitSeq(value, ",") {
		var name, size string
		if _, err := fmt.Sscan(limit, &name, &size); err != nil {
			return fmt.Errorf("limit %q: %w", limit, err)
		}
		var err error
		switch name {
		case "seeds":
			s.options.MinLinear, err = strconv.Atoi(size)
		case "total":
			s.options.MaxTotal, err = strconv.Atoi(size)
		case "gap":
			s.options.TimeThreshold = graph.AutoThreshold
			if size != "auto" {
				s.options.TimeThreshold, err = time.ParseDuration(size)
			}
		default:
			err = fmt.Errorf("%q is no limit", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *scenario) gone(value string) error {
	for part := range strings.SplitSeq(value, ",") {
		var id graph.MessageID
		fields := strings.Fields(part)
		if err := parseInto(&id, fields[0]); err != nil {
			return err
		}
		s.world.gone[id] = graph.ReferenceDeleted
		if fields[1] == "unreadable" {
			s.world.gone[id] = graph.ReferenceUnreadable
		}
	}
	return nil
}

func (s *scenario) end(key, value string) error {
	fields := strings.Fields(value)
	var before graph.MessageID
	if err := parseInto(&before, fields[2]); err != nil {
		return err
	}
	end := graph.EndUnread
	if key == "hidden" {
		end = graph.EndUnreadable
	}
	s.world.ends[s.channelOf(fields[0])] = worldEnd{before, end}
	return nil
}

func (s *scenario) message(line string) error {
	head, text, _ := strings.Cut(line, ": ")
	fields := strings.Fields(strings.TrimSuffix(head, ":"))
	m := graph.Message{Channel: s.channel, Text: text}
	if err := parseInto(&m.ID, fields[0]); err != nil {
		return err
	}
	day, err := strconv.Atoi(strings.TrimPrefix(fields[1], "d"))
	if err != nil {
		return fmt.Errorf("day %q: %w", fields[1], err)
	}
	layout := "15:04:05"[:len(fields[2])]
	clock, err := time.Parse(layout, fields[2])
	if err != nil {
		return fmt.Errorf("time: %w", err)
	}
	m.Time = time.Date(2026, 1, day, clock.Hour(), clock.Minute(), clock.Second(), 0, time.UTC)
	s.speak(&m, fields[3])
	for _, field := range fields[4:] {
		if err := s.attribute(&m, field); err != nil {
			return err
		}
	}
	s.world.add(m)
	return nil
}

func (s *scenario) userOf(name string) graph.UserID {
	if _, known := s.people[name]; !known {
		s.people[name] = graph.UserID(len(s.people) + 1)
	}
	return s.people[name]
}

func (s *scenario) speak(m *graph.Message, author string) {
	name, bot := strings.CutSuffix(author, "(bot)")
	m.Name, m.Author = name, s.userOf(name)
	switch {
	case bot:
		m.Origin = graph.OriginBot
	case name == "heddle":
		m.Origin = graph.OriginSelf
	case name == "system":
		m.System = true
	}
}

func (s *scenario) attribute(m *graph.Message, field string) error {
	kinds := []struct {
		prefix string
		kind   graph.ReferenceKind
	}{{"->", graph.ReferenceReply}, {"=>", graph.ReferenceForward}, {"^", graph.ReferenceStarter}, {"~>", graph.ReferenceLink}}
	for _, k := range kinds {
		target, ok := strings.CutPrefix(field, k.prefix)
		if !ok {
			continue
		}
		r := graph.Reference{Kind: k.kind, Channel: s.channel}
		if channel, id, elsewhere := strings.Cut(target, "/"); elsewhere {
			r.Channel, target = s.channelOf(channel), id
		}
		m.References = append(m.References, r)
		return parseInto(&m.References[len(m.References)-1].Message, target)
	}
	switch name, addressed := strings.CutPrefix(field, "@"); {
	case addressed:
		m.References = append(m.References, graph.Reference{Kind: graph.ReferenceAddress, User: s.userOf(name)})
	case field == "edited":
		m.Edited = m.Time.Add(time.Minute)
	default:
		return fmt.Errorf("%q is nothing a message has", field)
	}
	return nil
}

func parseInto(id *graph.MessageID, s string) error {
	return id.UnmarshalText([]byte(s))
}

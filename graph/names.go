package graph

import "strconv"

// String returns the kind in one word.
func (k ReferenceKind) String() string {
	switch k {
	case ReferenceReply:
		return "reply"
	case ReferenceStarter:
		return "starter"
	case ReferenceForward:
		return "forward"
	case ReferenceAddress:
		return "address"
	case ReferenceInferred:
		return "inferred"
	case ReferenceLink:
		return "link"
	}
	return unnamed("ReferenceKind", uint8(k))
}

// String returns the state in one word or two.
func (s ReferenceState) String() string {
	switch s {
	case ReferenceNotLoaded:
		return "not loaded"
	case ReferenceResolved:
		return "resolved"
	case ReferenceDeleted:
		return "deleted"
	case ReferenceUnreadable:
		return "unreadable"
	case ReferenceWithheld:
		return "withheld"
	}
	return unnamed("ReferenceState", uint8(s))
}

// String returns the origin in one word.
func (o Origin) String() string {
	switch o {
	case OriginPerson:
		return "person"
	case OriginBot:
		return "bot"
	case OriginSelf:
		return "self"
	case OriginWebhook:
		return "webhook"
	}
	return unnamed("Origin", uint8(o))
}

// String returns the direction in one word.
func (d Direction) String() string {
	switch d {
	case Older:
		return "older"
	case Newer:
		return "newer"
	}
	return unnamed("Direction", uint8(d))
}

// String returns the kind in one word.
func (k ReasonKind) String() string {
	switch k {
	case ReasonSeed:
		return "seed"
	case ReasonReference:
		return "reference"
	case ReasonTemporal:
		return "temporal"
	case ReasonLineage:
		return "lineage"
	case ReasonAnswer:
		return "answer"
	}
	return unnamed("ReasonKind", uint8(k))
}

// String returns the kind in one word.
func (k EdgeKind) String() string {
	switch k {
	case EdgeReference:
		return "reference"
	case EdgeTemporal:
		return "temporal"
	case EdgeVersion:
		return "version"
	}
	return unnamed("EdgeKind", uint8(k))
}

// String returns the reason in one word.
func (r SealReason) String() string {
	switch r {
	case SealGap:
		return "gap"
	case SealAffinity:
		return "affinity"
	case SealChannel:
		return "channel"
	case SealBudget:
		return "budget"
	case SealUnreadable:
		return "unreadable"
	case SealTrigger:
		return "trigger"
	}
	return unnamed("SealReason", uint8(r))
}

func unnamed(kind string, value uint8) string {
	return kind + "(" + strconv.Itoa(int(value)) + ")"
}

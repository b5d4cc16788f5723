package record

// HealRules is how agents are kept alive, as the configuration says.
type HealRules struct {
	IntervalMin   int         `json:"interval_min"`   // minutes between two sweeps
	AllowRestart  bool        `json:"allow_restart"`  // the owner lets a deaf agent be restarted
	EscalateAfter int         `json:"escalate_after"` // messages to an agent that does not answer, a sweep each, before it is restarted
	BackoffMin    int         `json:"backoff_min"`    // minutes until the second try; twice as long for each further one
	BackoffMaxMin int         `json:"backoff_max_min"`
	MaxAttempts   int         `json:"max_attempts"`    // restarts or launches in one episode
	StaggerS      int         `json:"stagger_s"`       // seconds between two starts of a sweep; 0: none
	WindowS       int         `json:"window_s"`        // seconds in which one agent is launched or restarted at most WindowMax times
	WindowMax     int         `json:"window_max"`      //
	FleetGapS     int         `json:"fleet_gap_s"`     // seconds between two restarts in the whole fleet
	GreenProbes   int         `json:"green_probes"`    // times in a row that an upgraded agent must answer
	Stalls        []StallRule `json:"stalls,omitzero"` // what a session that stalled shows next to its prompt
}

// StallRule is a text that a stalled session shows, and what is done about it.
type StallRule struct {
	ID     string `json:"id"`
	Match  string `json:"match"`     // regular expression, without regard to case, within one line
	Action string `json:"action"`    // nudge or report
	Max    int    `json:"max_fires"` // within one episode
}

// DefaultHealRules is how agents are kept alive when the configuration says
// nothing more. The window is several times as wide as the time between two sweeps,
// each other of which may start an agent that ends once it was seen well: a narrower
// one would never hold anything back.
func DefaultHealRules() HealRules {
	return HealRules{IntervalMin: 10, EscalateAfter: 1, BackoffMin: 20, BackoffMaxMin: 180, MaxAttempts: 3, StaggerS: 15,
		WindowS: 7200, WindowMax: 3, FleetGapS: 60, GreenProbes: 2, Stalls: []StallRule{}}
}

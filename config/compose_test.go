package config_test

import (
	"os"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"heddle/config"
	"heddle/internal/errtest"
)

// compose is what is checked of a compose file.
type compose struct {
	Services map[string]struct {
		Build       any
		Environment map[string]string
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
		Healthcheck any
	}
}

// TestComposeFilesFitTheSettings checks that each variable that a compose file gives
// heddle is a setting, and that the values are valid. A service that is waited for exists,
// and has a health check if it has to be healthy.
func TestComposeFilesFitTheSettings(t *testing.T) {
	for file, processes := range map[string]int{"../compose.yaml": 1, "../deploy/compose.three.yaml": 3} {
		t.Run(file, func(t *testing.T) {
			raw := errtest.Must(os.ReadFile(file))(t)
			var c compose
			errtest.None(t, yaml.Unmarshal(raw, &c))
			found := 0
			for name, service := range c.Services {
				for other, needs := range service.DependsOn {
					needed, ok := c.Services[other]
					if !ok || needs.Condition == "service_healthy" && needed.Healthcheck == nil {
						t.Errorf("%s waits for %s, which is not there or has no health check, want a service with one", name, other)
					}
				}
				if service.Build != nil {
					found++
					valid(t, service.Environment)
				}
			}
			if found != processes {
				t.Errorf("heddle is started %d times, want %d", found, processes)
			}
		})
	}
}

// valid checks the variables that a compose file gives heddle.
func valid(t *testing.T, environment map[string]string) {
	t.Helper()
	environ := []string{"DISCORD_TOKEN=x", "OPENAI_MODEL=x", "OPENAI_API_KEY=x"}
	for variable, value := range environment {
		if !slices.ContainsFunc(config.Variables(), func(v config.Variable) bool { return v.Name == variable }) {
			t.Errorf("%s is set, want only settings that there are", variable)
		}
		environ = append(environ, variable+"="+value)
	}
	if _, warnings, err := config.LoadBot(environ, noFiles); err != nil || len(warnings) > 0 {
		t.Errorf("the settings give %v with the warnings %v, want valid ones and no warnings", err, warnings)
	}
}

package main

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// JSON of a YAML text (a JSON string), as kubectl and the API server convert it.
func init() {
	register("yaml", func(question json.RawMessage) (any, error) {
		var text string
		if err := json.Unmarshal(question, &text); err != nil {
			return nil, err
		}
		converted, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			return nil, err
		}
		return json.RawMessage(converted), nil
	})
}

package main

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

// Possible faults of the conversion of an object from maps to its kind; '' for none. Map iteration is random, so any
// one of several faults may be reported.
func init() {
	register("unstructured", func(line json.RawMessage) (any, error) {
		var question struct {
			Kind   schema.GroupVersionKind `json:"kind"`
			Object json.RawMessage         `json:"object"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		var object map[string]any
		if err := kjson.UnmarshalCaseSensitivePreserveInts(question.Object, &object); err != nil {
			return nil, err
		}
		outcomes := []string{}
		for range 8 {
			into, err := schemeOf(question.Kind).New(question.Kind)
			if err != nil {
				return nil, err
			}
			outcome := ""
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, into); err != nil {
				outcome = err.Error()
			}
			if !slices.Contains(outcomes, outcome) {
				outcomes = append(outcomes, outcome)
			}
		}
		return outcomes, nil
	})
}

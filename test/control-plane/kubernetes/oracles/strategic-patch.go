package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
)

// All possible results of a strategic merge patch: map iteration is random, so any of several faults may come.
func init() {
	register("strategic-patch", func(line json.RawMessage) (any, error) {
		var question struct {
			Kind     schema.GroupVersionKind `json:"kind"`
			Original json.RawMessage         `json:"original"`
			Patch    json.RawMessage         `json:"patch"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		object, err := schemeOf(question.Kind).New(question.Kind)
		if err != nil {
			return nil, err
		}
		outcomes := []string{}
		for range 8 {
			outcome := strategicOutcome(question.Original, question.Patch, object)
			if !slices.Contains(outcomes, outcome) {
				outcomes = append(outcomes, outcome)
			}
		}
		return outcomes, nil
	})
}

func strategicOutcome(originalText, patchText []byte, object runtime.Object) (outcome string) {
	defer func() {
		if reason := recover(); reason != nil {
			outcome = fmt.Sprintf("panic: %v", reason)
		}
	}()
	var original, patch map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(originalText, &original); err != nil {
		return err.Error()
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(patchText, &patch); err != nil {
		return err.Error()
	}
	// As in the handler: lists without spare capacity.
	merged, err := strategicpatch.StrategicMergeMapPatch(runtime.DeepCopyJSON(original), patch, object)
	if err != nil {
		return "error: " + err.Error()
	}
	text, err := json.Marshal(merged)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

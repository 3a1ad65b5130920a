package main

import (
	"encoding/json"
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	kjson "sigs.k8s.io/json"
)

// jsonPatchOp is a copy of the handler's type, which is not exported.
type jsonPatchOp struct {
	Op    string      `json:"op"`
	Path  string      `json:"path"`
	From  string      `json:"from"`
	Value interface{} `json:"value"`
}

// Result of a JSON patch or merge patch in the patch handler, before it decodes the object again.
func init() {
	jsonpatch.AccumulatedCopySizeLimit = 3 * 1024 * 1024
	register("json-patch", func(line json.RawMessage) (any, error) {
		var question struct {
			Type      string          `json:"type"`
			IsChecked bool            `json:"isChecked"`
			Document  json.RawMessage `json:"document"`
			Patch     json.RawMessage `json:"patch"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		apply := jsonPatched
		if question.Type == "merge" {
			apply = mergePatched
		}
		document, strict, refusal := apply(question.Document, question.Patch, question.IsChecked)
		strictTexts := []string{}
		for _, text := range strict {
			strictTexts = append(strictTexts, text.Error())
		}
		if refusal != "" {
			return map[string]any{"refusal": strings.ReplaceAll(refusal, "main.", "handlers.")}, nil
		}
		return map[string]any{"document": json.RawMessage(document), "strict": strictTexts}, nil
	})
}

func jsonPatched(document, patch []byte, isChecked bool) ([]byte, []error, string) {
	var strict []error
	if isChecked {
		var operations []jsonPatchOp
		var err error
		if strict, err = kjson.UnmarshalStrict(patch, &operations); err != nil {
			return nil, nil, fmt.Sprintf("400: error decoding patch: %v", err)
		}
		for i, text := range strict {
			strict[i] = fmt.Errorf("json patch %v", text)
		}
	}
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, nil, "400: " + err.Error()
	}
	patched, err := operations.Apply(document)
	if err != nil {
		return nil, nil, "422"
	}
	return patched, strict, ""
}

func mergePatched(document, patch []byte, isChecked bool) ([]byte, []error, string) {
	var strict []error
	if isChecked {
		var err error
		if strict, err = kjson.UnmarshalStrict(patch, &map[string]any{}); err != nil {
			return nil, nil, fmt.Sprintf("400: error decoding patch: %v", err)
		}
	}
	patched, err := jsonpatch.MergePatch(document, patch)
	if err != nil {
		return nil, nil, "400: " + err.Error()
	}
	return patched, strict, ""
}

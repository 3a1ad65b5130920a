package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/resource"
)

// The canonical form of a quantity, given as a JSON string.
func init() {
	register("quantity", func(question json.RawMessage) (any, error) {
		var text string
		if err := json.Unmarshal(question, &text); err != nil {
			return nil, err
		}
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, err
		}
		return quantity.String(), nil
	})
}

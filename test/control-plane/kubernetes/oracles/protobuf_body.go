package main

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime/schema"
	runtimejson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

type protobufQuestion struct {
	Kind schema.GroupVersionKind `json:"kind"`
	Body json.RawMessage         `json:"body"`
}

// Protobuf body that a Go client sends for an object, and the JSON that a Go server decodes from it.
func init() {
	register("protobuf-body", func(line json.RawMessage) (any, error) {
		var question protobufQuestion
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		scheme := schemeOf(question.Kind)
		inJSON := runtimejson.NewSerializerWithOptions(
			runtimejson.DefaultMetaFactory, scheme, scheme, runtimejson.SerializerOptions{})
		inProtobuf := protobuf.NewSerializer(scheme, scheme)
		object, _, err := inJSON.Decode(question.Body, &question.Kind, nil)
		if err != nil {
			return nil, err
		}
		object.GetObjectKind().SetGroupVersionKind(question.Kind)
		var sent bytes.Buffer
		if err := inProtobuf.Encode(object, &sent); err != nil {
			return nil, err
		}
		received, _, err := inProtobuf.Decode(sent.Bytes(), nil, nil)
		if err != nil {
			return nil, err
		}
		received.GetObjectKind().SetGroupVersionKind(question.Kind)
		var written bytes.Buffer
		if err := inJSON.Encode(received, &written); err != nil {
			return nil, err
		}
		return map[string]any{"sent": sent.Bytes(), "object": json.RawMessage(written.Bytes())}, nil
	})
}

package main

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	runtimejson "k8s.io/apimachinery/pkg/runtime/serializer/json"
)

type codecQuestion struct {
	Kind schema.GroupVersionKind `json:"kind"`
	Body json.RawMessage         `json:"body"`
	// Hub requests a conversion through the internal version.
	Hub bool `json:"hub"`
	// To is the version of the answer, if it differs from the body's.
	To schema.GroupVersion `json:"to"`
	// Plain keeps values that protocol buffers would lose.
	Plain bool `json:"plain"`
}

// Decoding, storage and encoding of a body as its kind, without defaults.
func init() {
	register("built-in-codec", func(line json.RawMessage) (any, error) {
		var question codecQuestion
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		scheme := schemeOf(question.Kind)
		strict := runtimejson.NewSerializerWithOptions(
			runtimejson.DefaultMetaFactory, scheme, scheme, runtimejson.SerializerOptions{Strict: true})
		object, kind, err := strict.Decode(question.Body, &question.Kind, nil)
		strictErrors := []string{}
		if list, ok := runtime.AsStrictDecodingError(err); ok {
			for _, each := range list.Errors() {
				strictErrors = append(strictErrors, each.Error())
			}
		} else if err != nil {
			return nil, err
		}
		to := kind.GroupVersion()
		if question.To != (schema.GroupVersion{}) {
			to = question.To
		}
		if question.Hub {
			hub, err := scheme.ConvertToVersion(object, schema.GroupVersion{Group: to.Group, Version: runtime.APIVersionInternal})
			if err != nil {
				return nil, err
			}
			if object, err = scheme.ConvertToVersion(hub, to); err != nil {
				return nil, err
			}
		}
		if !question.Plain {
			if object, err = keptAsProto(scheme, object); err != nil {
				return nil, err
			}
		}
		object.GetObjectKind().SetGroupVersionKind(to.WithKind(kind.Kind))
		var written bytes.Buffer
		if err := runtimejson.NewSerializerWithOptions(
			runtimejson.DefaultMetaFactory, scheme, scheme, runtimejson.SerializerOptions{}).Encode(object, &written); err != nil {
			return nil, err
		}
		return map[string]any{"object": json.RawMessage(written.Bytes()), "strictErrors": strictErrors}, nil
	})
}

// keptAsProto returns the object as read from etcd.
func keptAsProto(scheme *runtime.Scheme, object runtime.Object) (runtime.Object, error) {
	kept, ok := object.(interface {
		Marshal() ([]byte, error)
	})
	if !ok {
		return object, nil
	}
	data, err := kept.Marshal()
	if err != nil {
		return nil, err
	}
	kinds, _, err := scheme.ObjectKinds(object)
	if err != nil {
		return nil, err
	}
	fresh, err := scheme.New(kinds[0])
	if err != nil {
		return nil, err
	}
	return fresh, fresh.(interface{ Unmarshal([]byte) error }).Unmarshal(data)
}

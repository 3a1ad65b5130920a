package main

import (
	"context"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"
)

// Table of kubectl get for an object: its cells, its columns, and the time to which ages are relative.
func init() {
	generator := printers.NewTableGenerator().With(printersinternal.AddHandlers)
	register("printers", func(line json.RawMessage) (any, error) {
		var question struct {
			Kind   schema.GroupVersionKind `json:"kind"`
			Object json.RawMessage         `json:"object"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			return nil, err
		}
		scheme := schemeOf(question.Kind)
		object, err := scheme.New(question.Kind)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(question.Object, object); err != nil {
			return nil, err
		}
		hub, err := scheme.ConvertToVersion(object, schema.GroupVersion{Group: question.Kind.Group, Version: runtime.APIVersionInternal})
		if err != nil {
			return nil, err
		}
		// Ages are in seconds: the end of a second meanwhile would change them.
		for {
			now := time.Now()
			table, err := generator.GenerateTable(hub, printers.GenerateOptions{Wide: true})
			if err != nil {
				convertor := rest.NewDefaultTableConvertor(schema.GroupResource{})
				table, err = convertor.ConvertToTable(context.Background(), hub, &v1.TableOptions{})
			}
			if err != nil {
				return nil, err
			}
			if time.Now().Unix() == now.Unix() {
				return map[string]any{
					"columns": table.ColumnDefinitions,
					"cells":   table.Rows[0].Cells,
					"nowMs":   now.UnixMilli(),
				}, nil
			}
		}
	})
}

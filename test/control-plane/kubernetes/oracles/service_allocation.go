package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/netip"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/api/servicecidr"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
	servicestorage "k8s.io/kubernetes/pkg/registry/core/service/storage"
)

// Addresses and ports allocated for a service on creation, or on an update if the question has an old one. The hooks of
// its registry allocate them before its strategy runs. The numbers are random.
func init() {
	register("service-allocation", func(question json.RawMessage) (any, error) {
		var asked struct {
			Object     json.RawMessage
			Old        json.RawMessage
			Range      string
			TakenIPs   []string
			TakenPorts []int
		}
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		object, gvk, err := decodeDefaulted(asked.Object)
		if err != nil {
			return nil, err
		}
		ips, err := takenIPs(asked.Range, asked.TakenIPs)
		if err != nil {
			return nil, err
		}
		ports, err := takenPorts(asked.TakenPorts)
		if err != nil {
			return nil, err
		}
		services, _, _, err := servicestorage.NewREST(unstoredOptions{}, api.IPv4Protocol,
			map[api.IPFamily]ipallocator.Interface{api.IPv4Protocol: ips}, ports, nil, nil, nil)
		if err != nil {
			return nil, err
		}
		if asked.Old == nil {
			_, err = services.Store.BeginCreate(context.Background(), object, &metav1.CreateOptions{})
		} else {
			old, _, failed := decodeDefaulted(asked.Old)
			if failed != nil {
				return nil, failed
			}
			_, err = services.Store.BeginUpdate(context.Background(), object, old, &metav1.UpdateOptions{})
		}
		return admittedOrRefused(object, gvk.GroupVersion(), err)
	})
}

// admittedOrRefused returns the object, or the Status of its rejection.
func admittedOrRefused(object runtime.Object, version schema.GroupVersion, refusal error) (any, error) {
	if refusal == nil {
		return encodeVersioned(object, version)
	}
	var status apierrors.APIStatus
	if errors.As(refusal, &status) {
		told := status.Status()
		return map[string]any{"code": told.Code, "reason": told.Reason, "message": told.Message}, nil
	}
	return map[string]any{"code": 500, "reason": "", "message": refusal.Error()}, nil
}

// serviceRange rejects addresses outside its range as the server's allocator over several ranges does.
type serviceRange struct {
	ipallocator.Interface
	prefix netip.Prefix
}

func (r serviceRange) Allocate(ip net.IP) error {
	if !servicecidr.PrefixContainsIP(r.prefix, servicecidr.IPToAddr(ip)) {
		return ipallocator.ErrMismatchedNetwork
	}
	return r.Interface.Allocate(ip)
}

func takenIPs(text string, taken []string) (ipallocator.Interface, error) {
	_, cidr, err := net.ParseCIDR(text)
	if err != nil {
		return nil, err
	}
	inner, err := ipallocator.NewInMemory(cidr)
	if err != nil {
		return nil, err
	}
	for _, ip := range taken {
		if err := inner.Allocate(net.ParseIP(ip)); err != nil {
			return nil, err
		}
	}
	return serviceRange{inner, netip.MustParsePrefix(text)}, nil
}

func takenPorts(taken []int) (portallocator.Interface, error) {
	ports, err := portallocator.NewInMemory(*utilnet.ParsePortRangeOrDie("30000-32767"))
	if err != nil {
		return nil, err
	}
	for _, port := range taken {
		if err := ports.Allocate(port); err != nil {
			return nil, err
		}
	}
	return ports, nil
}

// unstoredOptions make a registry without storage.
type unstoredOptions struct{}

func (unstoredOptions) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	config := storagebackend.NewDefaultConfig("", legacyscheme.Codecs.LegacyCodec(schema.GroupVersion{Version: "v1"}))
	return generic.RESTOptions{
		StorageConfig:  config.ForResource(resource),
		ResourcePrefix: resource.Resource,
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object, func() runtime.Object,
			storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
			return nil, func() {}, nil
		},
	}, nil
}

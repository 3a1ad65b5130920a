// Kinds for tests on the embedded API server: a Tenant has children in the namespace that its spec names.
import type { StatusWithConditions } from '../../src/object/object.ts'
import { defineResource } from '../../src/object/resource.ts'

export interface TenantSpec {
  readonly namespace: string
  readonly note?: string
}

const text = { type: 'string' }

/** A kind of example.com. `records`: schema of the optional fields of an item of `status.inventory`. */
export function definitionOf(
  kind: string,
  spec: object,
  records: object = { retained: { type: 'boolean' } },
  scope = 'Namespaced',
) {
  const plural = `${kind.toLowerCase()}s`
  const entry = {
    type: 'object',
    properties: { kind: text, namespace: text, name: text, tokenDigest: text, ...records },
  }
  const status = {
    type: 'object',
    properties: {
      observedGeneration: { type: 'integer' },
      lastHandledReconcileAt: text,
      inventory: { type: 'array', items: entry },
      conditions: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  }
  const openAPIV3Schema = { type: 'object', properties: { spec, status } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope,
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  }
}

export const tenantSpec = { type: 'object', properties: { namespace: text, note: text } }

export const Tenant = defineResource<TenantSpec, StatusWithConditions>({
  ...{ group: 'example.com', version: 'v1', kind: 'Tenant', plural: 'tenants', scope: 'Namespaced' },
})

/** Cluster-scoped: its children in namespaces have an owner reference and an inventory entry. */
export const Landlord = defineResource<TenantSpec, StatusWithConditions>({
  ...{ group: 'example.com', version: 'v1', kind: 'Landlord', plural: 'landlords', scope: 'Cluster' },
})

import { describe, expect, it } from 'vitest'
import { BuiltInDataLoader, type KindName } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { builtInCatalogue } from '../../../src/apiserver/built-in/catalogue.ts'
import { type BuiltInKind, decodeBuiltIn } from '../../../src/apiserver/built-in/codec.ts'
import { statusOf } from '../../../src/apiserver/status-error.ts'
import type { JsonObject } from '../../../src/base/json.ts'

const loader = new BuiltInDataLoader()

function builtIn(name: KindName): BuiltInKind {
  const kind = loader.kind(name)
  if (kind === undefined) throw new Error(`no ${name.kind}`)
  return kind
}

const deployment = builtIn({ group: 'apps', version: 'v1', kind: 'Deployment' })

describe('the codec of built-in kinds', () => {
  it('returns the same reference for a canonical body', () => {
    const sent = {
      metadata: { labels: { z: '1', a: '2' }, name: 'web' },
      spec: {
        selector: {},
        template: { spec: { containers: [{ name: 'c', resources: { limits: { memory: '1024Mi' } } }] } },
      },
    }
    const { object } = decodeBuiltIn(deployment, sent)
    expect(Object.keys(object)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status'])
    expect(object).toMatchObject({
      spec: { template: { spec: { containers: [{ resources: { limits: { memory: '1Gi' } } }] } } },
    })
    expect(decodeBuiltIn(deployment, object).object).toBe(object)
  })

  it('returns the same references for canonical parts', () => {
    const spec = decodeBuiltIn(deployment, { spec: { replicas: 3 } }).object['spec']
    expect(decodeBuiltIn(deployment, { spec, metadata: { unknown: 1 } } as JsonObject).object['spec']).toBe(spec)
  })

  it('rejects a body with the message of the real server', () => {
    const body = { spec: { replicas: 'three' } }
    let thrown: unknown
    try {
      decodeBuiltIn(deployment, body)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({
      reason: 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    })
    const { parts } = thrown as { readonly parts: Parameters<typeof statusOf>[0] } // Checked above.
    expect(statusOf(parts)).toMatchObject({
      code: 400,
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    })
  })

  it('reports unknown fields, each once and in the order of the body', () => {
    const body = { zzz: 1, spec: { template: { spec: { containers: [{ imag: 'x' }] } }, replicaz: 1 } }
    expect(decodeBuiltIn(deployment, body).strictErrors).toEqual([
      'unknown field "zzz"',
      'unknown field "spec.template.spec.containers[0].imag"',
      'unknown field "spec.replicaz"',
    ])
  })
})

it.each(builtInCatalogue)('has a type and a schema for $kind of $group/$version', (entry) => {
  const { type } = builtIn(entry)
  const schema = loader.schema(entry)
  expect([...type.fields.keys()].sort()).toEqual([...(schema?.properties.keys() ?? [])].sort())
})

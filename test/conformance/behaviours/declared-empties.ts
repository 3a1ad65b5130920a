// Empty values of built-in kinds in an apply: what the API server stores and records, and the effect of another apply.
// Source: sigs.k8s.io/structured-merge-diff, typed.TypedValue.ToFieldSet and merge.Updater.
import { expect } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import {
  configMaps,
  deployments,
  type Kind,
  networkPolicies,
  object,
  podTemplate,
  serviceAccounts,
  services,
} from '../kinds.ts'
import { at, recordsOf, type Stage, taken, versionOf } from '../stage.ts'

const force = { query: { force: true } }
const asUser = { query: { fieldManager: 'u' } }

function policy(name: string): JsonObject {
  return object(networkPolicies, name, {
    spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [], egress: [] },
  })
}

function service(name: string): JsonObject {
  const empty = { selector: {}, externalIPs: [], loadBalancerSourceRanges: [], publishNotReadyAddresses: false }
  return object(services, name, { spec: { ports: [{ port: 80, protocol: 'TCP' }], ...empty } })
}

const emptyContainer = {
  ...{ args: [], command: [], envFrom: [], stdin: false },
  securityContext: { capabilities: { add: [], drop: [] } },
}
const emptyPod = {
  ...{ tolerations: [], nodeSelector: {}, readinessGates: [], hostNetwork: false },
  ...{ securityContext: { sysctls: [], supplementalGroups: [] }, dnsConfig: { nameservers: [] } },
}

function emptyDeployment(name: string): JsonObject {
  const { metadata } = podTemplate(name)
  const container = { name: 'main', image: 'example:1', ...emptyContainer }
  const template = { metadata, spec: { ...emptyPod, containers: [container] } }
  const selector = { matchLabels: { app: name } }
  return object(deployments, name, { spec: { replicas: 0, paused: false, selector, template } })
}

/** Returns the fields that `a` owns by apply. */
function ownedFieldsOf(body: Json): Json | undefined {
  return recordsOf(body)['a Apply']
}

async function applied(stage: Stage, kind: Kind, body: JsonObject): Promise<JsonObject> {
  return taken(await stage.apply('a', kind, body, force))
}

export const declaredEmpties = area('declared-empties', (it) => {
  it('owns an empty atomic list without storing it', async (stage) => {
    const body = await applied(stage, networkPolicies, policy('owned'))
    expect(at(body, 'spec')).toEqual({ podSelector: {}, policyTypes: ['Ingress'] })
    expect(ownedFieldsOf(body)).toEqual({
      'f:spec': { 'f:podSelector': {}, 'f:policyTypes': {}, 'f:ingress': {}, 'f:egress': {} },
    })
  })

  it('owns an empty atomic map and a false without storing them', async (stage) => {
    const body = await applied(stage, services, service('owned'))
    for (const field of ['selector', 'externalIPs', 'loadBalancerSourceRanges', 'publishNotReadyAddresses']) {
      expect(at(body, 'spec')).not.toHaveProperty(field)
      expect(at(ownedFieldsOf(body) ?? {}, 'f:spec')).toMatchObject({ [`f:${field}`]: {} })
    }
  })

  it('owns empty atomic values in a pod template, and stores their parent structs', async (stage) => {
    const body = await applied(stage, deployments, emptyDeployment('owned'))
    const pod = at(body, 'spec.template.spec')
    for (const field of ['tolerations', 'nodeSelector', 'readinessGates', 'hostNetwork'])
      expect(pod).not.toHaveProperty(field)
    expect(pod).toMatchObject({ securityContext: {}, dnsConfig: {} })
    expect(at(body, 'spec.template.spec.containers.0.securityContext')).toEqual({ capabilities: {} })
    expect(at(ownedFieldsOf(body) ?? {}, 'f:spec.f:template.f:spec')).toEqual({
      ...{ 'f:tolerations': {}, 'f:nodeSelector': {}, 'f:readinessGates': {}, 'f:hostNetwork': {} },
      'f:securityContext': { 'f:sysctls': {}, 'f:supplementalGroups': {} },
      'f:dnsConfig': { 'f:nameservers': {} },
      'f:containers': {
        'k:{"name":"main"}': {
          ...{ '.': {}, 'f:name': {}, 'f:image': {} },
          ...{ 'f:args': {}, 'f:command': {}, 'f:envFrom': {}, 'f:stdin': {} },
          'f:securityContext': { 'f:capabilities': { 'f:add': {}, 'f:drop': {} } },
        },
      },
    })
  })

  it('changes nothing by another apply of empty values', async (stage) => {
    for (const [kind, body] of [
      [services, service('again')],
      [deployments, emptyDeployment('again')],
      [serviceAccounts, object(serviceAccounts, 'again', { imagePullSecrets: [] })],
      [configMaps, object(configMaps, 'again', { data: {} })],
    ] as const) {
      await applied(stage, kind, body)
      if (kind === deployments) await stage.settled(deployments, 'again')
      const before = taken(await stage.get(kind, 'again'))
      const after = await applied(stage, kind, body)
      expect(versionOf(after)).toBe(versionOf(before))
    }
  })

  it('raises the generation of a NetworkPolicy by another apply of an empty list', async (stage) => {
    const before = await applied(stage, networkPolicies, policy('again'))
    const after = await applied(stage, networkPolicies, policy('again'))
    expect(at(after, 'metadata.generation')).toBe(Number(at(before, 'metadata.generation')) + 1)
    expect(at(after, 'spec')).toEqual(at(before, 'spec'))
  })

  it('raises the generation of a NetworkPolicy by a write that has an empty list or map anywhere', async (stage) => {
    const peer = { podSelector: { matchLabels: { app: 'x' } } }
    const stored = { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [peer] }] }
    const made = await stage.made(networkPolicies, object(networkPolicies, 'nested', { spec: stored }))
    for (const [generation, spec] of [
      [1, stored],
      [1, { ...stored, ingress: [{ from: [peer], ports: null }] }],
      [2, { ...stored, ingress: [{ from: [peer], ports: [] }] }],
      [3, { ...stored, podSelector: { matchLabels: {} } }],
      [4, { ...stored, podSelector: { matchExpressions: [] } }],
      [4, { ...stored, policyTypes: [] }],
      [5, { ...stored, egress: [] }],
    ] as const) {
      const updated = taken(await stage.update(networkPolicies, { ...made, metadata: { name: 'nested' }, spec }))
      expect(at(updated, 'metadata.generation'), JSON.stringify(spec)).toBe(generation)
      expect(at(updated, 'spec')).toEqual(stored)
    }
    const patched = taken(await stage.patch('merge', networkPolicies, 'nested', { spec: { egress: [] } }))
    expect(at(patched, 'metadata.generation')).toBe(6)
  })

  it('passes an empty list to a user who fills it, and empties it with the next forced apply', async (stage) => {
    await applied(stage, networkPolicies, policy('filled'))
    const filled = taken(await stage.patch('merge', networkPolicies, 'filled', { spec: { ingress: [{}] } }, asUser))
    expect(recordsOf(filled)).toEqual({
      'a Apply': { 'f:spec': { 'f:podSelector': {}, 'f:policyTypes': {}, 'f:egress': {} } },
      'u Update': { 'f:spec': { 'f:ingress': {} } },
    })
    const conflict = await stage.apply('a', networkPolicies, policy('filled'))
    expect(conflict.status).toBe(409)
    const restored = await applied(stage, networkPolicies, policy('filled'))
    expect(at(restored, 'spec')).not.toHaveProperty('ingress')
    expect(Object.keys(recordsOf(restored))).toEqual(['a Apply'])
  })

  it('passes an empty atomic map to a user who fills it, and empties it with the next forced apply', async (stage) => {
    await applied(stage, services, service('filled'))
    taken(await stage.patch('merge', services, 'filled', { spec: { selector: { app: 'x' } } }, asUser))
    const restored = await applied(stage, services, service('filled'))
    expect(at(restored, 'spec')).not.toHaveProperty('selector')
    expect(Object.keys(recordsOf(restored))).toEqual(['a Apply'])
  })

  it('empties atomic values of the applier', async (stage) => {
    const spec = { selector: { app: 'x' }, externalIPs: ['192.0.2.1'], ports: [{ port: 80, protocol: 'TCP' }] }
    await applied(stage, services, object(services, 'emptied', { spec }))
    const body = await applied(stage, services, service('emptied'))
    expect(at(body, 'spec')).not.toHaveProperty('selector')
    expect(at(body, 'spec')).not.toHaveProperty('externalIPs')
  })

  it('keeps the entries of other managers in a granular map that is applied empty', async (stage) => {
    const body = object(configMaps, 'entries', { data: {} })
    await applied(stage, configMaps, body)
    taken(await stage.patch('merge', configMaps, 'entries', { data: { theirs: 'x' } }, asUser))
    const after = await applied(stage, configMaps, body)
    expect(at(after, 'data')).toEqual({ theirs: 'x' })
    expect(recordsOf(after)).toEqual({
      'a Apply': { 'f:data': {} },
      'u Update': { 'f:data': { '.': {}, 'f:theirs': {} } },
    })
  })

  it('records nothing for an empty list with keyed items, and keeps the items of other managers', async (stage) => {
    const body = object(serviceAccounts, 'items', { secrets: [], imagePullSecrets: [] })
    expect(ownedFieldsOf(await applied(stage, serviceAccounts, body))).toEqual({ 'f:imagePullSecrets': {} })
    taken(await stage.patch('merge', serviceAccounts, 'items', { secrets: [{ name: 'theirs' }] }, asUser))
    expect(at(await applied(stage, serviceAccounts, body), 'secrets')).toEqual([{ name: 'theirs' }])
  })
})

// Pod logs without a kubelet: responses of the API server before it contacts a kubelet, and if none responds.
// test/local-node covers
// the kubelet's own responses. Source: k8s.io/kubernetes/pkg/registry/core/pod/{rest/log.go,strategy.go},
// pkg/kubelet/client.
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { type Kind, object, pod, pods } from '../kinds.ts'
import type { Answer, Query } from '../server-under-test.ts'
import { at, type Stage } from '../stage.ts'

const nodes: Kind = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', isNamespaced: false }
const two: JsonObject = {
  initContainers: [{ name: 'first', image: 'example:1' }],
  containers: [
    { name: 'main', image: 'example:1' },
    { name: 'side', image: 'example:1' },
  ],
}
/** Only root may listen on this port. */
const deafPort = 1

function log(stage: Stage, name: string, query: Query = {}): Promise<Answer> {
  return stage.get(pods, name, { subresource: 'log', query })
}

async function podOnNode(stage: Stage, name: string, status: JsonObject): Promise<string> {
  const node = `${stage.namespace}-${name}`
  await stage.made(nodes, object(nodes, node, { status }))
  await stage.made(pods, pod(name, { nodeName: node }))
  return node
}

export const podLogs = area('pod-logs', (it) => {
  it('returns an empty log for a pod without a node', async (stage) => {
    await stage.made(pods, pod('nowhere'))
    const { status, body } = await log(stage, 'nowhere')
    expect({ status, body }).toEqual({ status: 204, body: '' })
    expect((await log(stage, 'nowhere', { container: 'main', previous: true })).status).toBe(204)
  })

  it('rejects an absent pod', async (stage) => {
    const { status, body } = await log(stage, 'absent')
    expect({ status, message: at(body, 'message') }).toEqual({ status: 404, message: 'pods "absent" not found' })
  })

  it('requires a container name if the pod has several', async (stage) => {
    await stage.made(pods, pod('several', two))
    const { status, body } = await log(stage, 'several')
    expect(status).toBe(400)
    expect(at(body, 'reason')).toBe('BadRequest')
    expect(at(body, 'message')).toBe(
      'a container name must be specified for pod several, choose one of: [first main side]',
    )
  })

  it('rejects a container that the pod lacks', async (stage) => {
    await stage.made(pods, pod('known', two))
    const { status, body } = await log(stage, 'known', { container: 'other' })
    expect({ status, message: at(body, 'message') }).toEqual({
      status: 400,
      message: 'container other is not valid for pod known',
    })
    expect((await log(stage, 'known', { container: 'first' })).status).toBe(204)
  })

  it('rejects malformed options', async (stage) => {
    await stage.made(pods, pod('asked'))
    const cases: readonly Query[] = [
      { tailLines: 'x' },
      { tailLines: '' },
      { tailLines: '9223372036854775808' },
      { limitBytes: '1.5' },
      { sinceTime: 'yesterday' },
      { sinceTime: '2026-01-01T00:00:00' },
      { sinceSeconds: 'x', tailLines: 'y' },
    ]
    const messages: unknown[] = []
    for (const query of cases) {
      const { status, body } = await log(stage, 'asked', query)
      messages.push([status, at(body, 'reason'), at(body, 'message')])
    }
    expect(messages).toEqual([
      [400, 'BadRequest', 'strconv.ParseInt: parsing "x": invalid syntax'],
      [400, 'BadRequest', 'strconv.ParseInt: parsing "": invalid syntax'],
      [400, 'BadRequest', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
      [400, 'BadRequest', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
      [
        400,
        'BadRequest',
        'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
      ],
      [
        400,
        'BadRequest',
        'parsing time "2026-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
      ],
      [400, 'BadRequest', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ])
  })

  it('rejects invalid options', async (stage) => {
    await stage.made(pods, pod('bounded'))
    const { status, body } = await log(stage, 'bounded', {
      tailLines: -1,
      limitBytes: 0,
      sinceSeconds: 1,
      sinceTime: '2026-01-01T00:00:00Z',
      stream: 'Stdout',
    })
    expect(status).toBe(422)
    expect(body).toMatchObject({
      reason: 'Invalid',
      message:
        'PodLogOptions "bounded" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0, []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified, stream: Forbidden: may not be specified]',
      details: { kind: 'PodLogOptions', name: 'bounded' },
    })
    expect(at((await log(stage, 'bounded', { sinceSeconds: 0 })).body, 'message')).toBe(
      'PodLogOptions "bounded" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0',
    )
    expect((await log(stage, 'bounded', { sinceTime: '', tailLines: '+3' })).status).toBe(204)
  })

  it('reports why no kubelet responds', async (stage) => {
    await podOnNode(stage, 'deaf', {
      addresses: [
        { type: 'ExternalIP', address: '192.0.2.1' },
        { type: 'InternalIP', address: '127.0.0.1' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: deafPort } },
    })
    const query = { follow: true, tailLines: 5, sinceTime: '2026-01-01T01:00:00.5+01:00', timestamps: 'false' }
    const { status, body } = await log(stage, 'deaf', query)
    const url = `https://127.0.0.1:1/containerLogs/${stage.namespace}/deaf/main?follow=true&sinceTime=2026-01-01T00%3A00%3A00Z&tailLines=5`
    expect({ status, body }).toMatchObject({
      status: 500,
      body: { message: `Get "${url}": dial tcp 127.0.0.1:1: connect: connection refused` },
    })
    expect(at(body, 'reason')).toBeUndefined()
  })

  it('reports a node without an address', async (stage) => {
    await podOnNode(stage, 'unheard', { addresses: [{ type: 'Other', address: '127.0.0.1' }] })
    const { status, body } = await log(stage, 'unheard')
    expect({ status, message: at(body, 'message') }).toEqual({
      status: 500,
      message: 'no preferred addresses found; known addresses: [{Other 127.0.0.1}]',
    })
  })

  it('reports an absent node', async (stage) => {
    const node = `${stage.namespace}-gone`
    await stage.made(pods, pod('orphan', { nodeName: node }))
    const { status, body } = await log(stage, 'orphan')
    expect({ status, message: at(body, 'message') }).toEqual({ status: 404, message: `pods "${node}" not found` })
  })

  it('rejects every other method', async (stage) => {
    await stage.made(pods, pod('silent'))
    const path = stage.path(pods, 'silent', { subresource: 'log' })
    expect((await stage.server.request({ method: 'POST', path, body: {} })).status).toBe(405)
    expect((await stage.server.request({ method: 'DELETE', path })).status).toBe(405)
  })
})

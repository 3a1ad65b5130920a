import { App, Chart } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { WorkerJob, type WorkerJobProps } from '../../constructs/index.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { at } from './render.ts'

const props: WorkerJobProps = {
  ...{ name: 'v1-0123456789', image: 'konverge:1', work: ['migrate'], order: '{"a":1}', orderDigest: 'd1' },
  credentials: [
    { folder: 'target', files: [{ secret: 'server', key: 'host', file: 'host' }] },
    {
      folder: 'source-1',
      files: [
        { secret: 'server', key: 'host', file: 'host' },
        { secret: 'trust', key: 'bundle', file: 'ca.crt' },
      ],
    },
  ],
  labels: { worker: 'v1-0123456789' },
}

function render(change: Partial<WorkerJobProps> = {}) {
  const chart = new Chart(new App(), 'chart', { namespace: 'shop' })
  new WorkerJob(chart, 'worker', { ...props, ...change })
  const [configMap, job]: readonly JsonObject[] = chart.toJson()
  return { configMap, job, pod: at(job, 'spec', 'template', 'spec') }
}

describe('WorkerJob', () => {
  it('applies the order before the Job, immutable', () => {
    const { configMap, job } = render()
    expect([configMap?.['kind'], job?.['kind']]).toEqual(['ConfigMap', 'Job'])
    expect(configMap).toMatchObject({ immutable: true, data: { 'order.json': '{"a":1}' } })
  })

  it('names the order of the worker', () => {
    expect(at(render().pod, 'containers', 0, 'args')).toEqual([
      ...['worker', 'migrate', '--order', '/var/run/konverge/order/order.json', '--digest', 'd1'],
      ...['--credentials', '/var/run/konverge/credentials', '--termination-log', '/dev/termination-log'],
    ])
  })

  it('bounds the worker’s use of its node’s disk', () => {
    const limits = { 'ephemeral-storage': '5Gi', memory: '512Mi' }
    const { pod } = render({ scratchLimit: '5Gi' })
    expect(at(pod, 'containers', 0, 'resources')).toMatchObject({ limits, requests: { 'ephemeral-storage': '64Mi' } })
    expect(at(render().pod, 'containers', 0, 'resources', 'limits')).toMatchObject({ 'ephemeral-storage': '256Mi' })
  })

  it('isolates the second of two steps from credentials and from the store’s volume', () => {
    const two = { work: ['fetch'], sealedWork: ['prove'], storeClaim: 'backups', scratchLimit: '5Gi' }
    const { job, pod } = render(two)
    expect(at(pod, 'initContainers', 0, 'args')).toEqual(
      expect.arrayContaining(['fetch', '--credentials', '--store', '--scratch']),
    )
    expect(at(pod, 'containers', 0, 'args')).toEqual([
      ...['worker', 'prove', '--order', '/var/run/konverge/order/order.json', '--digest', 'd1'],
      ...['--termination-log', '/dev/termination-log', '--scratch', '/var/run/konverge/scratch'],
    ])
    expect(at(pod, 'containers', 0, 'volumeMounts')).toEqual([
      { name: 'order', mountPath: '/var/run/konverge/order', readOnly: true },
      { name: 'scratch', mountPath: '/var/run/konverge/scratch' },
    ])
    expect(at(pod, 'containers', 0, 'env')).toBeUndefined()
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
    expect(pod).not.toHaveProperty('shareProcessNamespace')
    expect(at(job, 'spec', 'template', 'metadata', 'annotations')).toEqual({
      'eks.amazonaws.com/skip-containers': 'worker',
    })
  })

  it('has no network if it runs code of others and its store is a volume', () => {
    const sealed = { work: ['fetch'], sealedWork: ['prove'], scratchLimit: '5Gi' }
    const networkOf = (props: object) =>
      at(render(props).job, 'spec', 'template', 'metadata', 'labels', 'konverge.dev/network')
    expect(networkOf({ ...sealed, storeClaim: 'backups' })).toBe('none')
    expect(networkOf(sealed)).toBeUndefined()
    expect(networkOf({ storeClaim: 'backups' })).toBeUndefined()
  })

  it('mounts the given keys of Secrets, in a folder for each database', () => {
    expect(at(render().pod, 'volumes', 1, 'projected', 'sources')).toEqual([
      { secret: { name: 'server', items: [{ key: 'host', path: 'target/host' }] } },
      { secret: { name: 'server', items: [{ key: 'host', path: 'source-1/host' }] } },
      { secret: { name: 'trust', items: [{ key: 'bundle', path: 'source-1/ca.crt' }] } },
    ])
  })

  it('lets only optional keys be missing', () => {
    const files = ['id', 'token'].map((key) => ({ secret: 'keys', key, file: key, isOptional: key === 'token' }))
    const { pod } = render({ credentials: [{ folder: 'store', files }] })
    expect(at(pod, 'volumes', 1, 'projected', 'sources')).toEqual([
      { secret: { name: 'keys', items: [{ key: 'id', path: 'store/id' }] } },
      { secret: { name: 'keys', items: [{ key: 'token', path: 'store/token' }], optional: true } },
    ])
  })

  it('has a store volume and a temporary disk if requested', () => {
    const { job, pod } = render({ storeClaim: 'backups', scratchLimit: '5Gi', deadlineSeconds: 60 })
    expect(at(job, 'spec', 'activeDeadlineSeconds')).toBe(60)
    expect(at(pod, 'volumes', 2)).toEqual({ name: 'store', persistentVolumeClaim: { claimName: 'backups' } })
    expect(at(pod, 'volumes', 3)).toEqual({ name: 'scratch', emptyDir: { sizeLimit: '5Gi' } })
    expect(at(pod, 'containers', 0, 'volumeMounts', 2)).toEqual({ name: 'store', mountPath: '/var/run/konverge/store' })
    const args: unknown = at(pod, 'containers', 0, 'args')
    expect(args).toEqual(expect.arrayContaining(['--store', '/var/run/konverge/store', '--scratch']))
  })

  it('runs as an unprivileged user that writes nothing and reaches no API server', () => {
    const { pod } = render()
    expect(pod).toMatchObject({
      ...{ automountServiceAccountToken: false, restartPolicy: 'Never' },
      securityContext: { runAsNonRoot: true, runAsUser: 65532 },
    })
    expect(at(pod, 'containers', 0, 'securityContext')).toMatchObject({ readOnlyRootFilesystem: true })
  })

  it.each([
    [{}, { suspend: false, backoffLimit: 6 }],
    [
      { isSuspended: true, retries: 2 },
      { suspend: true, backoffLimit: 2 },
    ],
  ])('with %j is %j', (change, spec) => {
    expect(at(render(change).job, 'spec')).toMatchObject(spec)
  })
})

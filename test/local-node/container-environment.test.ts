import { describe, expect, it } from 'vitest'
import { environmentOf } from '../../src/local-node/container-environment.ts'
import type { EnvironmentEntry, EnvironmentSource } from '../../src/local-node/pod.ts'
import { aPod } from './pods.ts'

const data = (values: Readonly<Record<string, string>>) =>
  new Map(Object.entries(values).map(([key, value]) => [key, Buffer.from(value)]))

function variables(env: readonly EnvironmentEntry[], envFrom: readonly EnvironmentSource[] = []) {
  const container = { name: 'main', image: 'app', env, envFrom, resources: { limits: { cpu: '1500m', memory: '1Gi' } } }
  const pod = aPod({ metadata: { labels: { app: 'x' } }, spec: { containers: [container] } })
  const sources = {
    configMap: (name: string) => (name === 'conf' ? data({ a: 'conf-a', b: 'conf-b' }) : undefined),
    secret: (name: string) => (name === 'keys' ? data({ a: 'key-a' }) : undefined),
  }
  const place = { podIp: '127.50.0.1', hostIp: '127.0.0.1', nodeName: 'n' }
  const given = new Map([['KUBERNETES_SERVICE_HOST', 'api']])
  const allocatable = { cpu: '8', memory: '1024Ki' }
  return Object.fromEntries(environmentOf({ pod, container, sources, place, allocatable, given }))
}

const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } })
const amount = (name: string, resource: string, divisor?: string) => ({
  name,
  valueFrom: { resourceFieldRef: divisor === undefined ? { resource } : { resource, divisor } },
})

describe('the environment of a container', () => {
  it('has sources first, then entries that override them, each with references to earlier ones', () => {
    const env = [
      { name: 'a', value: 'own' },
      { name: 'both', value: '$(a) $(p_a) $(later) $(KUBERNETES_SERVICE_HOST)' },
      { name: 'later', value: 'x' },
    ]
    const envFrom = [{ configMapRef: { name: 'conf' } }, { prefix: 'p_', secretRef: { name: 'keys' } }]
    expect(variables(env, envFrom)).toEqual({
      KUBERNETES_SERVICE_HOST: 'api',
      a: 'own',
      b: 'conf-b',
      p_a: 'key-a',
      both: 'own key-a $(later) api',
      later: 'x',
    })
  })

  it('has fields of the pod and resources, rounded up, with the node’s amount if there is no limit', () => {
    const env = [
      field('NAME', 'metadata.name'),
      field('APP', "metadata.labels['app']"),
      field('IP', 'status.podIP'),
      amount('CPUS', 'limits.cpu'),
      amount('MILLIS', 'limits.cpu', '1m'),
      amount('MEBIS', 'limits.memory', '1Mi'),
      amount('NONE', 'requests.memory'),
    ]
    expect(variables(env)).toMatchObject({
      NAME: 'pod',
      APP: 'x',
      IP: '127.50.0.1',
      CPUS: '2',
      MILLIS: '1500',
      MEBIS: '1024',
      NONE: '0',
    })
  })

  it('omits missing optional sources, and rejects missing required ones', () => {
    const key = (name: string, key: string, optional?: boolean) => [
      { name: 'x', valueFrom: { configMapKeyRef: { name, key, ...(optional === undefined ? {} : { optional }) } } },
    ]
    expect(variables(key('conf', 'z', true))).not.toHaveProperty('x')
    expect(variables([], [{ secretRef: { name: 'none', optional: true } }])).toEqual({ KUBERNETES_SERVICE_HOST: 'api' })
    expect(() => variables(key('none', 'z'))).toThrow('configmap "none" not found')
    expect(() => variables(key('conf', 'z'))).toThrow("couldn't find key z in ConfigMap default/conf")
    expect(() => variables([], [{ secretRef: { name: 'none' } }])).toThrow('secret "none" not found')
    expect(() => variables([field('x', 'spec.unknown')])).toThrow('unsupported fieldPath: spec.unknown')
  })
})

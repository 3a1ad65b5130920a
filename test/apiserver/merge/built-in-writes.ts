// Random writes to built-in kinds: the parts of Deployments, Services and ConfigMaps in which server-side apply is
// subtle.
// These are ports by two keys, one with a default; containers by name; atomic selectors; quantities; empty structs.
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { type Dice, randomMetadata } from './custom-kinds.ts'
import type { Write, WriteSequences } from './write-sequences.ts'

const managers = ['one', 'two', 'three', 'kubectl', 'kube-controller-manager'] as const

interface WrittenKind {
  readonly apiVersion: string
  readonly kind: string
  readonly fields: (dice: Dice, density: number) => JsonObject
  readonly status: (dice: Dice) => JsonObject
}

const kinds: readonly [WrittenKind, ...WrittenKind[]] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', fields: deployment, status: deploymentStatus },
  { apiVersion: 'v1', kind: 'Service', fields: service, status: serviceStatus },
  { apiVersion: 'v1', kind: 'ConfigMap', fields: configMap, status: () => ({}) },
]

export function randomBuiltInSequences(dice: Dice): WriteSequences {
  const { apiVersion, kind, fields, status } = dice.pick(kinds)
  const resetFields = dice.chance(0.8) ? { '': [['status']], status: [['spec'], ['metadata', 'labels']] } : {}
  const randomWrite = (index: number): Write => {
    const subresource = index > 0 && dice.chance(0.2) ? 'status' : ''
    const manager = dice.chance(0.1) ? `m${dice.between(1, 14)}` : dice.pick(managers)
    const metadata = { name: 'it', namespace: 'here', ...randomMetadata(dice) }
    const density = dice.pick([0.3, 0.5, 0.8])
    const body = { ...fields(dice, density), ...(dice.chance(0.2) ? { status: status(dice) } : {}), metadata }
    const head = { manager, subresource, force: dice.chance(0.4) }
    return dice.chance(0.6) ? { ...head, apply: { apiVersion, kind, ...body } } : { ...head, patch: body }
  }
  const objects = Array.from({ length: 8 }, () =>
    Array.from({ length: dice.between(2, 14) }, (_, index) => randomWrite(index)),
  )
  return { apiVersion, kind, resetFields, objects }
}

/** Returns an object with each field at its own chance. */
function chosen(dice: Dice, density: number, fields: Readonly<Record<string, () => Json>>): JsonObject {
  const names = Object.keys(fields).filter(() => dice.chance(density))
  return Object.fromEntries(names.map((name) => [name, fields[name]?.() ?? null]))
}

function texts(dice: Dice): JsonObject {
  return Object.fromEntries(dice.some(['k1', 'k2', 'k3'], 0.5).map((key) => [key, dice.pick(['1', '2'])]))
}

function configMap(dice: Dice, density: number): JsonObject {
  return chosen(dice, density, { data: () => texts(dice), binaryData: () => ({ b: 'AAAA' }), immutable: () => false })
}

function service(dice: Dice, density: number): JsonObject {
  const port = (number: number): JsonObject => ({
    port: number,
    ...chosen(dice, 0.5, {
      name: () => dice.pick(['http', 'https']),
      protocol: () => dice.pick(['TCP', 'UDP']),
      targetPort: () => dice.pick<Json>([80, 'web']),
    }),
  })
  return {
    spec: chosen(dice, density, {
      ports: () => dice.some([80, 443, 8080], 0.6).map(port),
      selector: () => texts(dice),
      type: () => dice.pick(['ClusterIP', 'NodePort']),
      externalIPs: () => dice.some(['10.0.0.1', '10.0.0.2'], 0.6),
      clusterIPs: () => ['None'],
      sessionAffinityConfig: () => ({ clientIP: dice.chance(0.5) ? { timeoutSeconds: 10 } : {} }),
    }),
  }
}

function serviceStatus(dice: Dice): JsonObject {
  return { loadBalancer: dice.chance(0.5) ? {} : { ingress: [{ ip: '10.1.1.1' }] }, conditions: conditions(dice) }
}

function conditions(dice: Dice): Json {
  return dice.some(['Ready', 'Available'], 0.6).map((type) => ({
    type,
    status: dice.pick(['True', 'False']),
    reason: 'Because',
    message: '',
    lastTransitionTime: '2024-01-01T00:00:00Z',
  }))
}

function deploymentStatus(dice: Dice): JsonObject {
  const known = ({ lastTransitionTime: _, ...rest }: JsonObject): JsonObject => rest
  return { replicas: dice.between(0, 3), conditions: (conditions(dice) as readonly JsonObject[]).map(known) }
}

function deployment(dice: Dice, density: number): JsonObject {
  return {
    spec: chosen(dice, density, {
      replicas: () => dice.between(0, 3),
      selector: () => ({ matchLabels: texts(dice) }),
      strategy: () =>
        dice.pick<Json>([{}, { type: 'Recreate' }, { type: 'RollingUpdate', rollingUpdate: { maxSurge: '10%' } }]),
      paused: () => dice.chance(0.5),
      template: () => ({
        ...chosen(dice, density, { metadata: () => ({ labels: texts(dice) }) }),
        spec: podSpec(dice, density),
      }),
    }),
  }
}

function podSpec(dice: Dice, density: number): JsonObject {
  return chosen(dice, density, {
    containers: () => dice.some(['a', 'b', 'c'], 0.6).map((name) => container(dice, name, density)),
    initContainers: () => dice.some(['i'], 0.6).map((name) => container(dice, name, density)),
    nodeSelector: () => texts(dice),
    volumes: () =>
      dice
        .some(['v1', 'v2'], 0.6)
        .map((name) => ({ name, ...dice.pick([{ emptyDir: {} }, { configMap: { name: 'c' } }]) })),
    tolerations: () => dice.some(['t1', 't2'], 0.5).map((key) => ({ key, operator: 'Exists' })),
    securityContext: () => (dice.chance(0.5) ? {} : { runAsUser: 1_234_567 }),
    topologySpreadConstraints: () =>
      dice
        .some(['zone', 'host'], 0.6)
        .map((topologyKey) => ({ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule' })),
    imagePullSecrets: () => dice.some(['s1', 's2'], 0.6).map((name) => ({ name })),
    hostAliases: () => [{ ip: '10.0.0.1', hostnames: ['x'] }],
  })
}

function container(dice: Dice, name: string, density: number): JsonObject {
  return {
    name,
    ...chosen(dice, density, {
      image: () => dice.pick(['x:1', 'x:2']),
      args: () => dice.some(['--a', '--b'], 0.5),
      env: () => dice.some(['E1', 'E2', 'E3'], 0.5).map((key) => ({ name: key, value: dice.pick(['1', '2']) })),
      ports: () =>
        dice.some([80, 443, 9090], 0.5).map((containerPort) => ({
          containerPort,
          ...(dice.chance(0.4) ? { protocol: dice.pick(['TCP', 'UDP']) } : {}),
        })),
      resources: () => ({ limits: { cpu: dice.pick<Json>(['100m', '0.1', 1]), memory: dice.pick(['1Gi', '1024Mi']) } }),
      volumeMounts: () => dice.some(['/a', '/b'], 0.5).map((mountPath) => ({ mountPath, name: 'v1' })),
      readinessProbe: () => ({ httpGet: { port: dice.pick<Json>([80, 'web']) } }),
    }),
  }
}

// Pods of the scripts: one or two containers with few values, in every kind of list that a pod has.
import fc from 'fast-check'
import type { JsonObject } from '../../../../src/base/json.ts'
import { some } from './objects.ts'

const word = fc.constantFrom('x', 'y')
const quantity = fc.constantFrom('100m', '0.1', '1', '1Gi', '1e3', '-1')
const quantities = fc.dictionary(fc.constantFrom('cpu', 'memory'), quantity, { maxKeys: 2 })

const probe = fc.constantFrom<JsonObject>(
  { httpGet: { port: 80 } },
  { tcpSocket: { port: 'http' }, periodSeconds: 5 },
  { exec: { command: ['true'] }, timeoutSeconds: 0 },
  { exec: { command: ['true'] }, initialDelaySeconds: -1 },
)

const fields = {
  command: fc.array(word, { maxLength: 2 }),
  args: fc.array(word, { maxLength: 2 }),
  env: fc.uniqueArray(some({ name: fc.constantFrom('A', 'B', 'C'), value: word }), {
    maxLength: 2,
    selector: ({ name }) => String(name),
  }),
  ports: fc.uniqueArray(
    some({
      containerPort: fc.constantFrom(80, 81),
      name: fc.constantFrom('http', 'dns'),
      protocol: fc.constantFrom('TCP', 'UDP'),
    }),
    {
      maxLength: 2,
      selector: ({ containerPort, protocol }) => `${String(containerPort)}/${String(protocol ?? 'TCP')}`,
    },
  ),
  resources: some({ requests: quantities, limits: quantities }),
  imagePullPolicy: fc.constantFrom('Always', 'Never'),
  readinessProbe: probe,
  livenessProbe: probe,
  volumeMounts: fc.constantFrom([{ name: 'scratch', mountPath: '/x' }], []),
  securityContext: fc.constantFrom<JsonObject>({ runAsUser: 1 }, { privileged: true }, {}),
  terminationMessagePolicy: fc.constantFrom('File'),
}

function container(name: string): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(fc.constantFrom('example:1', 'example:2'), fc.subarray(Object.keys(fields), { maxLength: 4 }))
    .chain(([image, keys]) =>
      some(Object.fromEntries(Object.entries(fields).filter(([key]) => keys.includes(key)))).map((more) => ({
        name,
        image,
        ...more,
      })),
    )
}

/** Has no service account token, because its volume has a random name. */
export const podSpec: fc.Arbitrary<JsonObject> = fc
  .tuple(
    container('main'),
    fc.option(container('side'), { freq: 2, nil: undefined }),
    some({
      initContainers: container('first').map((one) => [one]),
      terminationGracePeriodSeconds: fc.constantFrom(0, 30),
      nodeSelector: fc.dictionary(word, word, { maxKeys: 1 }),
      tolerations: fc.constantFrom(
        [{ key: 'x', operator: 'Exists' }],
        [{ key: 'y', value: 'z', effect: 'NoSchedule' }],
      ),
      volumes: fc.constantFrom([{ name: 'scratch', emptyDir: {} }], [{ name: 'scratch', configMap: { name: 'x' } }]),
      securityContext: fc.constantFrom<JsonObject>({ runAsNonRoot: true }, { fsGroup: 1 }),
      hostNetwork: fc.boolean(),
      priorityClassName: fc.constantFrom('system-node-critical', 'absent'),
      topologySpreadConstraints: fc.constantFrom([
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'a' } },
        },
      ]),
    }).chain((all) =>
      fc.subarray(Object.keys(all), { maxLength: Math.min(3, Object.keys(all).length) }).map((keys) => only(all, keys)),
    ),
  )
  .map(([main, side, more]) => ({
    automountServiceAccountToken: false,
    containers: side === undefined ? [main] : [main, side],
    ...more,
  }))

function only(all: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)))
}

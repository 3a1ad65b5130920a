import { describe, expect, it } from 'vitest'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { coreResources } from '../../../src/apiserver/built-in/core-kinds.ts'
import { parseCidr } from '../../../src/apiserver/built-in/ip-rules.ts'
import { allocateService } from '../../../src/apiserver/built-in/service-allocation.ts'
import { StatusError } from '../../../src/apiserver/status-error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/base/json.ts'
import { wireJson } from '../../../src/base/wire-json.ts'
import { oracleRuns } from '../../oracles/field-errors.ts'
import { ask } from '../../oracles/oracle.ts'
import { Dice, mutated } from './object-mutations.ts'

const range = '10.96.0.0/16'
const takenIps = ['10.96.0.1', '10.96.0.10', '10.96.7.7']
const takenPorts = [30_080, 30_081, 31_000]
const words = [
  ...takenIps,
  '10.96.0.0',
  '10.96.255.255',
  '10.96.3.4',
  '10.97.0.1',
  'None',
  '::1',
  'fd00::1',
  'IPv4',
  'IPv6',
  'SingleStack',
  'PreferDualStack',
  'RequireDualStack',
  'ClusterIP',
  'NodePort',
  'LoadBalancer',
  'ExternalName',
  'Local',
  'Cluster',
  'UDP',
  'TCP',
]
const nodePorts = [0, 80, 29_999, 30_000, 30_080, 30_090, 31_000, 31_001, 32_767, 32_768]
const metadata = { name: 'web', namespace: 'shop' }
const ports = [
  { name: 'http', port: 80, nodePort: 30_090 },
  { name: 'dns', port: 53, protocol: 'UDP' },
  { name: 'dns-tcp', port: 53, protocol: 'TCP' },
]
const bases: readonly JsonObject[] = [
  { ports },
  { type: 'NodePort', ports, clusterIP: '10.96.3.4', clusterIPs: ['10.96.3.4'] },
  { type: 'NodePort', ports: [...ports, { name: 'more', port: 81, nodePort: 30_091 }], selector: { app: 'web' } },
  { type: 'LoadBalancer', ports, externalTrafficPolicy: 'Local', healthCheckNodePort: 31_001 },
  { type: 'LoadBalancer', ports, externalTrafficPolicy: 'Local', allocateLoadBalancerNodePorts: false },
  { clusterIP: 'None', ports: [{ port: 80 }], selector: { app: 'web' }, ipFamilies: ['IPv4'] },
  { clusterIP: 'None', ports: [{ port: 80 }] },
  { clusterIP: 'None', ports: [{ port: 80 }], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
  { ports, clusterIPs: ['10.96.3.4'], clusterIP: '10.96.3.4', ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' },
  { type: 'ExternalName', externalName: 'example.com' },
].map((spec) => ({ apiVersion: 'v1', kind: 'Service', metadata, spec }) as JsonObject)

const { strategy } = serviceKind()
const clusterIps = rangeOf(range)

describe('the addresses and ports of services', () => {
  it('are allocated like in the control plane', async () => {
    const dice = new Dice(11)
    const stored = bases.map((object) => allocated({ object }, 5))
    const questions: Question[] = []
    for (let count = oracleRuns(3_000); count > 0; count--) {
      questions.push({ object: roll(dice.pick(bases), dice) })
      const old = dice.pick(stored)
      // An update often sends the manifest again, without allocated values.
      const next = [old, dice.pick(bases), dice.pick(stored)][dice.below(3)] ?? old
      questions.push({ object: roll(next, dice), old })
    }
    const unlike = await differing(questions)
    // The control plane sometimes draws a value that is requested later; hardly twice.
    const twice = await differing(unlike.map(({ question }) => question))
    const shownOnes = twice.map((one) => ({ ...one, question: wireJson(asked(one.question)) }))
    expect(shownOnes.slice(0, 3), `${twice.length} of ${questions.length} differ`).toEqual([])
  })
})

interface Difference {
  readonly ours: string
  readonly theirs: string
  readonly question: Question
}

async function differing(questions: readonly Question[]): Promise<readonly Difference[]> {
  const answers = await ask('service-allocation', questions.map(asked))
  return questions.flatMap((question, index) => {
    const answer = answers[index]
    // Undecodable bodies are tested with the codec.
    if (answer?.error?.includes('unmarshal') || isHeadlessUpgrade(question)) return []
    const [ours, theirs] = [outcome(question), answer?.error ?? shown(answer?.value ?? null, question)]
    return ours === theirs ? [] : [{ ours, theirs, question }]
  })
}

/** See headless-upgrade in deviations.yaml. */
function isHeadlessUpgrade({ object, old }: Question): boolean {
  const [text, before] = [wireJson(object), wireJson(old ?? {})]
  return text.includes('"None"') && /"clusterIP":"\d/.test(before) && before.includes('"ipFamilies":["IPv4"]')
}

interface Question {
  readonly object: JsonObject
  readonly old?: JsonObject
}

function asked({ object, old }: Question): JsonObject {
  const taken = { range, takenIPs: takenIps, takenPorts }
  if (old === undefined) return { object, ...taken }
  // The values of the old object are allocated.
  const [ownIps, ownPorts] = [ipsOf(old), portsOf(old)]
  return {
    object,
    old,
    range,
    takenIPs: [...new Set([...takenIps, ...ownIps])],
    takenPorts: [...new Set([...takenPorts, ...ownPorts])],
  }
}

function outcome(question: Question): string {
  try {
    return shown(allocated(question, 77), question)
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown
    const { code, reason, message } = thrown.parts
    return wireJson({ code, message, reason: reason ?? '' })
  }
}

function allocated(question: Question, seed: number): JsonObject {
  const { takenIPs, takenPorts: inUse } = asked(question) as { takenIPs: string[]; takenPorts: number[] }
  const taken = new Set([...takenIPs, ...inUse.map(String)])
  let drawn = seed
  const pools = {
    clusterIps,
    nodePorts: { from: 30_000, to: 32_767 },
    isTaken: (value: string) => taken.has(value),
    below: (limit: number) => {
      drawn = (drawn * 7_919 + 1) % 1_000_003
      return drawn % limit
    },
  }
  const object = strategy.decode(question.object).object
  const old = question.old && strategy.decode(question.old).object
  return strategy.decode(allocateService(object, old, pools)).object
}

/** Replaces each unrequested number with the first drawn one. */
function shown(value: Json, question: Question): string {
  if (!isJsonObject(value) || value['code'] !== undefined) return wireJson(value)
  const text = wireJson(strategy.decode(value).object)
  const known = wireJson(question as unknown as Json)
  const numbers = new Map<string, string>()
  const name = (drawn: string): string => {
    if (known.includes(drawn)) return drawn
    const named = numbers.get(drawn) ?? `drawn-${numbers.size}`
    numbers.set(drawn, named)
    return named
  }
  return text.replace(/(?<=odePort":)[1-9]\d*/g, (port) => name(port)).replace(/10\.96\.\d+\.\d+/g, (ip) => name(ip))
}

function roll(object: JsonObject, dice: Dice): JsonObject {
  let value = object
  const isOpen = (path: readonly (string | number)[]) => path[0] === 'spec' && path.length > 1
  for (let count = dice.below(4); count > 0; count--) {
    const next = mutated(value, dice, isOpen, words)
    if (isJsonObject(next)) value = next
  }
  const text = wireJson(value).replace(/(?<="nodePort":)-?\d+/g, (port) =>
    dice.below(4) === 0 ? String(dice.pick(nodePorts)) : port,
  )
  return JSON.parse(text) as JsonObject
}

function ipsOf(service: JsonObject): readonly string[] {
  return [...new Set(wireJson(service).match(/10\.96\.\d+\.\d+/g) ?? [])]
}

function portsOf(service: JsonObject): readonly number[] {
  return [...wireJson(service).matchAll(/odePort":([1-9]\d*)/g)].map(([, port]) => Number(port))
}

function serviceKind() {
  const found = coreResources(new BuiltInDataLoader()).find(({ kind }) => kind === 'Service')
  if (found === undefined) throw new Error('no services')
  return found
}

function rangeOf(text: string) {
  const found = parseCidr(text)
  if (found === undefined) throw new Error(`no range: ${text}`)
  return found
}

import { describe, expect, it } from 'vitest'
import { Admission } from '../../../src/apiserver/admission/admission.ts'
import { usualAdmission } from '../../../src/apiserver/admission/usual-admission.ts'
import { BuiltInDataLoader } from '../../../src/apiserver/built-in/built-in-data-loader.ts'
import { coreResources } from '../../../src/apiserver/built-in/core-kinds.ts'
import { groupResources } from '../../../src/apiserver/built-in/group-kinds.ts'
import { ObjectLog } from '../../../src/apiserver/object-log.ts'
import { StatusError } from '../../../src/apiserver/status-error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/base/json.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { wireJson } from '../../../src/base/wire-json.ts'
import { oracleRuns } from '../../oracles/field-errors.ts'
import { ask } from '../../oracles/oracle.ts'
import { Dice, mutated } from '../built-in/object-mutations.ts'
import { admissionWords, admittedBases, worlds } from './admission-cases.ts'

interface Question {
  readonly operation: 'CREATE' | 'UPDATE'
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly object: JsonObject
  readonly old?: JsonObject
  readonly world: readonly JsonObject[]
}

const data = new BuiltInDataLoader()
const resources = [...coreResources(data), ...groupResources(data)]
const usual = { hasServiceAccounts: true, hasNodeLifecycle: true, hasStorageProtection: true }
const admission = new Admission(usualAdmission({ random: seededRandom(3), ...usual }))

describe('the usual admission', () => {
  it('mutates and rejects objects like the plugins of the control plane', async () => {
    const dice = new Dice(13)
    const questions: Question[] = []
    for (let count = oracleRuns(3_000); count > 0; count--) questions.push(questionOf(dice))
    const answers = await ask('admission', questions as unknown as readonly Json[]) // Plain objects all of them.
    const differing = questions.flatMap((question, index) => {
      const answer = answers[index]
      // Undecodable bodies are tested with the codec.
      if (answer?.error?.includes('unmarshal') || answer?.error?.includes('quantities must match')) return []
      const [ours, theirs] = [outcome(question), answer?.error ?? shown(answer?.value ?? null, question)]
      return ours === theirs ? [] : [{ ours, theirs, question: wireJson(question as unknown as Json) }]
    })
    expect(differing.slice(0, 3), `${differing.length} of ${questions.length} differ`).toEqual([])
  })
})

function questionOf(dice: Dice): Question {
  const { resource, objects } = dice.pick(admittedBases)
  const old = dice.pick(objects)
  const operation = dice.below(3) === 0 ? 'UPDATE' : 'CREATE'
  const { name = '', namespace = '' } = old['metadata'] as { name?: string; namespace?: string }
  const other = dice.pick(objects)
  const renamed = { ...other, metadata: { ...(other['metadata'] as JsonObject), name } }
  const object = rolled(dice.below(3) === 0 ? renamed : old, dice)
  const subresource = operation === 'UPDATE' && dice.below(6) === 0 ? 'status' : ''
  const asked = { operation, resource, subresource, name, namespace, object, world: dice.pick(worlds) } as const
  return operation === 'UPDATE' ? { ...asked, old } : asked
}

function rolled(object: JsonObject, dice: Dice): JsonObject {
  let value = object
  const isOpen = (path: readonly (string | number)[]) =>
    path.length > 1 && !(path[0] === 'metadata' && ['name', 'namespace'].includes(String(path[1])))
  for (let count = dice.below(4); count > 0; count--) {
    const next = mutated(value, dice, isOpen, admissionWords)
    if (isJsonObject(next)) value = next
  }
  return value
}

function outcome(question: Question): string {
  const resource = resourceOf(question)
  const read = (object: JsonObject): JsonObject => resource.strategy.decode(object).object
  const request = {
    ...question,
    resource,
    object: read(question.object),
    old: question.old && read(question.old),
    pathName: '',
    user: { name: 'admin', groups: [] },
    world: viewOf(question.world),
  }
  try {
    const object = admission.mutate(request)
    admission.validate({ ...request, object })
    return shown(object, question)
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown
    const { code, reason, message } = thrown.parts
    return wireJson({ code, message, reason: reason ?? '' })
  }
}

function viewOf(world: readonly JsonObject[]): ObjectLog {
  const log = new ObjectLog()
  for (const object of world) {
    const { kind, apiVersion } = object as { kind: string; apiVersion: string }
    const { name, namespace = '' } = object['metadata'] as { name: string; namespace?: string }
    const [group, version] = apiVersion.split('/')
    const plural = `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`
    const shelf = version === undefined ? plural : `${plural}.${group}`
    log.commit({ shelf, namespace, name }, 'created', () => object)
  }
  return log
}

/** The names of token volumes are drawn at random. */
function shown(value: Json, question: Question): string {
  if (!isJsonObject(value) || value['code'] !== undefined) return wireJson(value)
  const text = wireJson(resourceOf(question).strategy.decode(value).object)
  return text.replace(/(?<=kube-api-access-)[a-z0-9]{5}(?=")/g, '*')
}

function resourceOf({ resource, object }: Question) {
  const found = resources.find((one) => {
    const apiVersion = one.group === '' ? one.version : `${one.group}/${one.version}`
    return one.plural === resource && apiVersion === object['apiVersion']
  })
  if (found === undefined) throw new Error(`no ${resource}`)
  return found
}

// An attempt is data: the attacker, one phrase for what he does, the act, and the outcome that must follow. After each one the stage
// also holds that the victim is as before, so that an outcome names only what the attacker sees.
import { expect } from 'vitest'
import { type Condition, findCondition } from '../../src/index.ts'
import type { LiveJson } from '../e2e/hand.ts'
import type { AdversaryStage } from './adversary-stage.ts'
import type { AttackerName } from './attacker.ts'

export interface Attempt {
  readonly attacker: AttackerName
  /** Completes "A tenant …" in docs/security.md. */
  readonly does: string
  /** `name` is free for its objects. */
  readonly act: (stage: AdversaryStage, name: string) => Promise<unknown>
  readonly outcome: Outcome
  /** The oldest PostgreSQL on which the act means anything. */
  readonly since?: number
}

export interface Outcome {
  /** One sentence for docs/security.md. */
  readonly sentence: string
  /** A server refuses the act itself, so that no reconcile can follow from it. */
  readonly isRefusal?: true
  readonly check: (stage: AdversaryStage, name: string) => Promise<void>
}

/** The API server answers the last request with one of these. */
export function refused(...statuses: readonly number[]): Outcome {
  const why = statuses.includes(403) ? 'no such right' : 'the object is not valid'
  return {
    sentence: `The API server refuses: ${why}.`,
    isRefusal: true,
    check: async (stage) => {
      const last = stage.answers.at(-1)
      expect(statuses, `${last?.status} ${last?.text.slice(0, 500)}`).toContain(last?.status)
    },
  }
}

export const forbidden = refused(403)
export const invalid = refused(400, 422)

/** A resource of the attacker gets this condition, as `Ready False NotOwned`. */
export function condition(kind: string, standing: string, message: RegExp = /./): Outcome {
  const [type = '', status = '', reason = ''] = standing.split(' ')
  return {
    sentence: `${named(kind)} gets ${type}=${status}, reason ${reason}.`,
    check: async (stage, name) => {
      accepted(stage)
      let found: Condition | undefined
      const isSo = async () => {
        found = conditionOf(await stage.editor.peek(kind, name), type)
        return `${found?.status} ${found?.reason}` === `${status} ${reason}`
      }
      const trouble = () => `${kind}/${name} to have ${standing}, not ${JSON.stringify(found)}`
      await stage.until(trouble, isSo)
      expect(found?.message).toMatch(message)
    },
  }
}

/** PostgreSQL refuses the last statement of the attacker. */
export function denied(
  message: RegExp = /permission denied|must be (a )?(owner|superuser|member|able)|Only roles with|must have/i,
): Outcome {
  return {
    sentence: 'PostgreSQL denies it.',
    isRefusal: true,
    check: async (stage) => expect(String(stage.said.at(-1))).toMatch(message),
  }
}

/** The review rejects the step of a Migration, or its worker reports that PostgreSQL did. */
export const stepFails: Outcome = {
  sentence:
    'The Migration fails: the review rejects the step, or its login may do no more than the owner of its database.',
  check: async ({ report }) => {
    if (report === 'rejected') return
    expect(report).toMatchObject({ outcome: 'Failed' })
    expect(JSON.stringify(report)).toMatch(
      /permission denied|must be|Only roles with|must have|cannot run inside|must belong|is not allowed/i,
    )
  },
}

/** Every request was accepted, and a full round of reconciles later the victim is as before. */
export function harmless(sentence: string, check: Outcome['check'] = async () => {}): Outcome {
  return {
    sentence,
    check: async (stage, name) => {
      accepted(stage)
      await check(stage, name)
    },
  }
}

/** As `harmless`, with SQL: the statements may succeed or not. */
export function tolerated(sentence: string, check: Outcome['check'] = async () => {}): Outcome {
  return { sentence, check }
}

function accepted({ answers }: AdversaryStage): void {
  const refusals = answers.filter(({ status }) => status >= 300)
  expect(refusals.map(({ status, text }) => `${status} ${text.slice(0, 500)}`)).toEqual([])
}

export function conditionOf(object: LiveJson | undefined, type: string): Condition | undefined {
  const { conditions } = (object?.status ?? {}) as { readonly conditions?: readonly Condition[] } // As every status has them.
  const found = findCondition(conditions, type)
  return found?.observedGeneration === object?.metadata.generation ? found : undefined
}

const kindNames: Readonly<Record<string, string>> = {
  bak: 'The Backup',
  db: 'The Database',
  dbu: 'The DatabaseUser',
  kv: 'The ReplicatedKVStore',
  mig: 'The Migration',
}

function named(kind: string): string {
  return kindNames[kind] ?? kind
}

// Attempts as data: the attacker, a phrase for the deed, the act, and the required outcome. The stage also checks after
// each one that the victim is unchanged, so an outcome names only what the attacker sees. Invariant: an attempt passes
// only if the rule under test stopped it. An outcome names that rule; a resource that is not Ready for another reason
// fails the attempt.
import { expect } from 'vitest'
import { type Condition, findCondition } from '../../src/index.ts'
import type { LiveJson } from '../e2e/hand.ts'
import type { AdversaryStage } from './adversary-stage.ts'
import type { AttackerName } from './attacker.ts'

export interface Attempt {
  readonly attacker: AttackerName
  /** Completes "A tenant …" in docs/security.md. */
  readonly does: string
  /** `name` is unused; the act may give it to its objects. */
  readonly act: (stage: AdversaryStage, name: string) => Promise<unknown>
  readonly outcome: Outcome
  /** Oldest PostgreSQL version on which the act has an effect. */
  readonly since?: number
}

export interface Outcome {
  /** One sentence for docs/security.md. */
  readonly sentence: string
  /** A server rejects the act itself, so that no reconcile follows from it. */
  readonly isRefusal?: true
  /** Reasons of Ready=False that the attacker's resources may end with. Default: none, so each becomes Ready. */
  readonly reasons?: readonly string[]
  readonly check: (stage: AdversaryStage, name: string) => Promise<void>
}

/** The API server answers the last request with 403, because RBAC grants no right. */
export const forbidden: Outcome = {
  sentence: 'The API server rejects the request: RBAC grants no such right.',
  isRefusal: true,
  check: async (stage) => {
    const last = stage.answers.at(-1)
    expect(last).toMatchObject({ status: 403, text: expect.stringMatching(/User \S+ cannot \w+ resource /) })
  },
}

/** The API server rejects the last object at this field, `metadata.name` or below `spec`, and at no other. */
export function invalid(field: string): Outcome {
  return {
    sentence: `The API server rejects the invalid field \`${field}\`.`,
    isRefusal: true,
    check: async (stage) => {
      const last = stage.answers.at(-1)
      expect([400, 422], last?.text.slice(0, 500)).toContain(last?.status)
      expect(rejectedFields(last?.text ?? '')).toEqual([field])
    },
  }
}

/**
 * Returns the rejected fields. Fields of skipped rules are absent, because the first error of an object ends its
 * validation.
 */
function rejectedFields(text: string): readonly string[] {
  const { details } = JSON.parse(text) as { readonly details?: { readonly causes?: readonly { field?: string }[] } } // A Status.
  const fields = (details?.causes ?? []).map(({ field = '' }) => field.replaceAll(/\[\d+\]/g, '[]'))
  return [...new Set(fields.filter((field) => field !== '<nil>'))]
}

/** A resource of the attacker gets this condition, for example `Ready False NotOwned`. */
export function condition(kind: string, standing: string, message: RegExp = /./): Outcome {
  const [type = '', status = '', reason = ''] = standing.split(' ')
  return {
    sentence: `${named(kind)} gets ${type}=${status}, reason ${reason}.`,
    reasons: [reason],
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

/** PostgreSQL rejects the last statement of the attacker. */
export function denied(
  message: RegExp = /permission denied|must be (a )?(owner|superuser|member|able)|Only roles with|must have/i,
): Outcome {
  return {
    sentence: 'PostgreSQL denies it.',
    isRefusal: true,
    check: async (stage) => expect(String(stage.said.at(-1))).toMatch(message),
  }
}

/** The review rejects the step of a Migration, or its worker reports a rejection by PostgreSQL, for this reason. */
export function stepFails(reason: RegExp): Outcome {
  return {
    sentence:
      'The Migration fails: the review rejects the step, or PostgreSQL denies it to the login of the run, which has only the rights of the owner.',
    check: async ({ report }) => {
      expect(report).toMatchObject({ outcome: expect.stringMatching(/^(Rejected|Failed)$/) })
      expect(JSON.stringify(report)).toMatch(reason)
    },
  }
}

export interface Toleration {
  readonly check?: Outcome['check']
  /** As in Outcome. */
  readonly reasons?: readonly string[]
  /** Messages with which PostgreSQL may reject statements of the attacker. Default: none. */
  readonly denials?: RegExp
}

/** The servers accept every request and statement, and after a reconcile of every resource the victim is unchanged. */
export function harmless(sentence: string, more: Toleration = {}): Outcome {
  const { check = async () => {}, reasons = [], denials } = more
  return {
    sentence,
    reasons,
    check: async (stage, name) => {
      accepted(stage)
      const errors = stage.said.filter((one): one is string => typeof one === 'string')
      expect(errors.filter((error) => denials?.test(error) !== true)).toEqual([])
      await check(stage, name)
    },
  }
}

function accepted({ answers }: AdversaryStage): void {
  const refusals = answers.filter(({ status }) => status >= 300)
  expect(refusals.map(({ status, text }) => `${status} ${text.slice(0, 500)}`)).toEqual([])
}

export function conditionOf(object: LiveJson | undefined, type: string): Condition | undefined {
  const { conditions } = (object?.status ?? {}) as { readonly conditions?: readonly Condition[] } // Every status has this form.
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

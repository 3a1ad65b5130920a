// Password rule of a rotation, from the spec. Pure.
import type { DatabaseUserSpec } from '../../../imports/wire/database-user.ts'
import { durationMs } from '../../index.ts'
import type { PasswordProblem } from './database-user-facts.ts'
import type { PasswordRule } from './rotation.ts'

/** Defaults of the CRD. */
const defaultShape = { length: 32, charset: 'Alnum' } as const

export interface Supplied {
  /** The password or verifier; undefined if there is no valid one. */
  readonly value?: string
  readonly trouble?: PasswordProblem
}

export function passwordRule({ password, rotation }: DatabaseUserSpec, supplied: Supplied): PasswordRule {
  if (password?.disabled === true) return { kind: 'none' }
  if (password?.secretRef !== undefined) return { kind: 'supplied', value: supplied.value }
  const { length, charset } = password?.generate ?? defaultShape
  const { interval, strategy, overlap, trigger } = rotation ?? {}
  return {
    kind: 'generate',
    shape: { length, charset },
    intervalMs: interval === undefined ? undefined : durationMs(interval),
    overlapMs: strategy === 'DualRole' ? durationMs(overlap ?? '24h') : undefined,
    trigger,
  }
}

// Rotation of a password: one step from the current content of the Secret to the desired one. A new password is in the
// Secret as the next one before the server gets it. It becomes active when the server is verified to have it.
// Invariant: after a crash at any point the Secret has each password that the server may have (I3).
//
//   nothing ──▶ active ──due──▶ active + next ──verified──▶ active (+ previous, with DualRole) ──overlap over──▶ active
//                 ▲                   │
//                 └─── withdrawn ─────┘
import { createHash } from 'node:crypto'
import { otherLogin } from './login-roles.ts'
import type { PasswordShape } from './password.ts'

/** Credential of a login. */
export interface Credential {
  readonly username: string
  /** Undefined if only the verifier was supplied. */
  readonly password?: string
  readonly verifier: string
}

/** Rotation state in the Secret. */
export interface Held {
  readonly active: Credential
  readonly next?: Credential
  /** DualRole: the former login, and the end of its overlap. */
  readonly previous?: { readonly username: string; readonly untilMs: number }
  /** Time at which `active` became active. */
  readonly rotatedAtMs: number
  /** Number of passwords so far, including this one. */
  readonly generation: number
  /** Value of `rotation.trigger` that started the newest one. */
  readonly trigger?: string
  /** Source of the newest one. */
  readonly source: 'generate' | 'supplied'
}

/** Password rule of the spec. */
export type PasswordRule =
  | {
      readonly kind: 'generate'
      readonly shape: PasswordShape
      readonly intervalMs?: number | undefined
      /** Overlap of two alternating roles; undefined: one role, whose password changes. */
      readonly overlapMs?: number | undefined
      readonly trigger?: string | undefined
    }
  /** `value` is a password or a verifier; undefined while its source is missing. */
  | { readonly kind: 'supplied'; readonly value: string | undefined }
  | { readonly kind: 'none' }

/** Rules with a login. */
type LoginRule = Exclude<PasswordRule, { kind: 'none' }>
type LoginInput = RotationInput & { readonly rule: LoginRule }

/** Creates random passwords and their verifiers. */
export interface Mint {
  password(shape: PasswordShape): string
  verifierOf(password: string): string
  isVerifier(text: string): boolean
}

export interface RotationInput {
  readonly group: string
  readonly rule: PasswordRule
  readonly held: Held | undefined
  /** Facts in the status, if the Secret is lost. */
  readonly remembered: Remembered
  /** Hash of the credential that the server was last verified to have. */
  readonly provenHash: string | undefined
  readonly nowMs: number
  readonly mint: Mint
}

export interface Remembered {
  readonly username: string
  readonly generation: number
  readonly previous?: Held['previous']
}

/** Desired content of the Secret; undefined: no Secret. */
export function rotate(input: RotationInput): Held | undefined {
  const { rule, held } = input
  if (rule.kind === 'none') return undefined
  return held === undefined ? firstOf({ ...input, rule }) : nextOf({ ...input, rule }, held)
}

/**
 * Identifies a credential without revealing it: the salt of the verifier is 16 random bytes, and is as secret as the
 * rest.
 */
export function credentialHash({ username, verifier }: Credential): string {
  return createHash('sha256').update(`${username}\n${verifier}`).digest('hex').slice(0, 32)
}

/** Credential that the server should have: the next one as soon as it is in the Secret. */
export function newestOf({ active, next }: Held): Credential {
  return next ?? active
}

/** Role that should be able to log in. */
export interface LoginRole {
  readonly name: string
  /** Undefined: unchanged, while the role exists. */
  readonly verifier?: string
}

/** Roles that should be able to log in now, the active one first. */
export function loginsOf(held: Held): readonly LoginRole[] {
  const { active, next, previous } = held
  const newest = newestOf(held)
  const others = next === undefined || next.username === active.username ? [] : [active]
  return [
    ...[...others, newest].map(({ username, verifier }) => ({ name: username, verifier })),
    ...(previous === undefined ? [] : [{ name: previous.username }]),
  ]
}

/** Time of the next rotation; undefined: never. */
export function rotationDueMs(
  { intervalMs }: { readonly intervalMs?: number | undefined },
  held: Held,
): number | undefined {
  return intervalMs === undefined ? undefined : held.rotatedAtMs + intervalMs
}

function nextOf(input: LoginInput, held: Held): Held {
  const { provenHash, nowMs } = input
  const current = settleNext(input, withoutEnded(withOverlap(input, held), nowMs))
  if (current.next !== undefined) return credentialHash(current.next) === provenHash ? swapped(input, current) : current
  return isDue(input, current) ? withNext(input, current) : current
}

function firstOf({ group, rule, remembered, nowMs, mint }: LoginInput): Held | undefined {
  const made = credentialFor(rule, remembered.username, mint)
  if (made === undefined) return undefined
  const { previous } = remembered
  const goesOn =
    previous !== undefined && previous.username === otherLogin(group, made.username) && nowMs < previous.untilMs
  return {
    active: made,
    ...(goesOn ? { previous } : {}),
    rotatedAtMs: nowMs,
    generation: remembered.generation + 1,
    ...answering(rule),
  }
}

/** Replaces a next password that is obsolete: another one was supplied, or must be generated. */
function settleNext({ rule, mint }: LoginInput, held: Held): Held {
  const { next, active, ...rest } = held
  if (next === undefined) return held
  // The server may have the next password already. It becomes active first; a later trigger starts another rotation.
  if (rule.kind === 'generate') return held.source === 'generate' ? held : { ...rest, active }
  if (rule.value === undefined || (held.source === 'supplied' && isThat(next, rule.value, mint))) return held
  return { ...rest, active }
}

function isDue({ rule, nowMs, mint }: LoginInput, held: Held): boolean {
  if (rule.kind === 'supplied') return rule.value !== undefined && !isThat(held.active, rule.value, mint)
  if (held.source !== 'generate') return true
  const dueMs = rotationDueMs(rule, held)
  return isTriggered(rule, held) || (dueMs !== undefined && nowMs >= dueMs)
}

function isTriggered(rule: LoginRule, { trigger }: Held): boolean {
  return rule.kind === 'generate' && rule.trigger !== undefined && rule.trigger !== trigger
}

/** A trigger within an overlap does not wait for its end: DualRole reuses the older role, InPlace ends it. */
function withNext({ group, rule, mint }: LoginInput, held: Held): Held {
  const { active, previous, ...rest } = held
  const changesRole = rule.kind === 'generate' && rule.overlapMs !== undefined
  const username = changesRole ? otherLogin(group, active.username) : active.username
  const next = credentialFor(rule, username, mint)
  if (next === undefined) return held
  const isEnded = previous?.username === username || (!changesRole && isTriggered(rule, held))
  const goesOn = previous !== undefined && !isEnded
  return { ...rest, active, next, ...(goesOn ? { previous } : {}), ...answering(rule) }
}

function swapped({ rule, nowMs }: LoginInput, { next, active, previous, ...rest }: Held): Held {
  if (next === undefined) return { ...rest, active, ...(previous === undefined ? {} : { previous }) }
  const overlapMs = rule.kind === 'generate' ? (rule.overlapMs ?? 0) : 0
  const older = overlapMs === 0 ? undefined : { username: active.username, untilMs: nowMs + overlapMs }
  const goesOn = next.username === active.username ? previous : older
  return {
    ...rest,
    active: next,
    ...(goesOn === undefined ? {} : { previous: goesOn }),
    rotatedAtMs: nowMs,
    generation: rest.generation + 1,
  }
}

/**
 * A shorter `overlap` ends a running one earlier, because the older password may have leaked. A longer one does not
 * prolong it.
 */
function withOverlap({ rule }: LoginInput, held: Held): Held {
  const { previous, rotatedAtMs } = held
  if (previous === undefined || rule.kind !== 'generate' || rule.overlapMs === undefined) return held
  return { ...held, previous: { ...previous, untilMs: Math.min(previous.untilMs, rotatedAtMs + rule.overlapMs) } }
}

function withoutEnded(held: Held, nowMs: number): Held {
  const { previous, ...rest } = held
  return previous !== undefined && nowMs >= previous.untilMs ? rest : held
}

function credentialFor(rule: LoginRule, username: string, mint: Mint): Credential | undefined {
  const password = rule.kind === 'generate' ? mint.password(rule.shape) : rule.value
  if (password === undefined) return undefined
  if (rule.kind === 'supplied' && mint.isVerifier(password)) return { username, verifier: password }
  return { username, password, verifier: mint.verifierOf(password) }
}

function isThat({ password, verifier }: Credential, value: string, mint: Mint): boolean {
  return mint.isVerifier(value) ? verifier === value : password === value
}

function answering(rule: LoginRule): Pick<Held, 'source' | 'trigger'> {
  const trigger = rule.kind === 'generate' ? rule.trigger : undefined
  return { source: rule.kind, ...(trigger === undefined ? {} : { trigger }) }
}

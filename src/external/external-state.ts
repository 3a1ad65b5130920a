// States of an external resource: reason and message for conditions, and the outcome of the reconcile. Nothing here
// decides.
import type { ExternalChange, ExternalReport, Token } from './external.ts'

export interface ExternalState {
  readonly state: ExternalReport['state']
  /** One CamelCase word. */
  readonly reason: string
  /** A sentence without secrets. */
  readonly message: string
  /**
   * `settled`: nothing to do until the next observation. `waiting`: an operation takes time. `retry`: the cause may
   * pass; retry with backoff. `stopped`: it needs a change by a user.
   */
  readonly end: 'settled' | 'waiting' | 'retry' | 'stopped'
}

/** The difference of an owned resource that lost its token. */
export const markMissing: ExternalChange = {
  reason: 'MarkMissing',
  message: 'the mark that says whose it is, is missing',
}

export function notYetVisible(name: string): ExternalState {
  const message = `${quoted(name)} has been asked for, and is not to be seen yet`
  return { state: 'notYetVisible', reason: 'NotYetVisible', message, end: 'waiting' }
}

export function notVisible(name: string): ExternalState {
  const message = `${quoted(name)} is not to be seen at the moment, which proves nothing yet`
  return { state: 'notYetVisible', reason: 'NotVisible', message, end: 'waiting' }
}

export function provisioning(name: string, detail: string): ExternalState {
  return {
    state: 'pending',
    reason: 'Provisioning',
    message: `${quoted(name)} is on its way: ${detail}`,
    end: 'waiting',
  }
}

export function provisionTimeout(name: string, detail: string, limitMs: number): ExternalState {
  const message = `${quoted(name)} is not there after ${Math.round(limitMs / 1_000)} s, and is still looked at: ${detail}`
  return { state: 'pending', reason: 'ProvisionTimeout', message, end: 'stopped' }
}

export function vanished(name: string, providerID: string): ExternalState {
  const message = `${quoted(name)} was there (${providerID}) and is not; it is not made anew, as what it held would be missing`
  return { state: 'vanished', reason: 'Vanished', message, end: 'stopped' }
}

export function replaced(name: string, { was, is }: { readonly was: string; readonly is: string }): ExternalState {
  const message = `${quoted(name)} is not the one that was made here: it was ${was} and is ${is}; nothing is done to it`
  return { state: 'vanished', reason: 'IdentityChanged', message, end: 'stopped' }
}

export function notOwned(name: string, owner: Token | undefined): ExternalState {
  const whose = owner === undefined ? 'carries no mark of this resource' : `belongs to ${titleOf(owner)}`
  const message = `${quoted(name)} exists and ${whose}; nothing is done to it`
  return { state: 'notOwned', reason: 'NotOwned', message, end: 'stopped' }
}

/** Markers of earlier versions have no holder. */
function titleOf({ uid, holder }: Token): string {
  return holder === undefined ? `the resource with uid ${uid}` : `${holder} (uid ${uid})`
}

export function beingDeleted(name: string, detail: string): ExternalState {
  const message = `${quoted(name)} is being deleted: ${detail}`
  return { state: 'deleting', reason: 'BeingDeleted', message, end: 'waiting' }
}

export function quoted(name: string): string {
  return JSON.stringify(name)
}

export function described(changes: readonly ExternalChange[]): string {
  return changes.map(({ message }) => message).join('; ')
}

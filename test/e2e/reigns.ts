// Leadership terms and writes, both from the record of requests, by the identity at the end of each user agent. Only
// the server's clock counts, so the verdict does not depend on what the processes report.
import { isWrite } from './stores.ts'
import type { StoryRequest } from './story-server.ts'

export interface ReignRules {
  readonly lease: string
  readonly leaseDurationMs: number
}

/** A write and the reason why its sender was not allowed to send it. */
export interface WriteOutOfTurn {
  readonly write: string
  readonly why: string
}

interface Claim {
  readonly identity: string
  readonly atMs: number
}

/** Returns `pod-1_1a2b3c4d` for `konverge/0.1.0 (pod-1_1a2b3c4d)`. */
export function identityOf({ userAgent }: Pick<StoryRequest, 'userAgent'>): string | undefined {
  return /\(([^()]+)\)$/.exec(userAgent)?.[1]
}

/** Returns the accepted writes of the Lease, oldest first. A process that stops gracefully writes its release last. */
export function claimsOf(events: readonly StoryRequest[], lease: string): readonly Claim[] {
  return events
    .filter((event) => isClaim(event, lease) && event.code < 300 && event.code > 0)
    .flatMap((event) => {
      const identity = identityOf(event)
      return identity === undefined ? [] : [{ identity, atMs: event.atMs }]
    })
    .sort((left, right) => left.atMs - right.atMs)
}

/** Returns the writes, accepted or rejected, whose sender did not hold the Lease. */
export function writesOutOfTurn(events: readonly StoryRequest[], rules: ReignRules): readonly WriteOutOfTurn[] {
  const claims = claimsOf(events, rules.lease)
  const candidates = new Set(claims.map(({ identity }) => identity))
  return events
    .filter((event) => isWrite(event) && !isClaim(event, rules.lease))
    .flatMap((event) => {
      const identity = identityOf(event)
      if (identity === undefined || !candidates.has(identity)) return []
      const why = wrongWith({ identity, atMs: event.atMs }, claims, rules)
      return why === undefined ? [] : [{ write: `${event.verb} ${event.path} by ${identity}`, why }]
    })
}

function wrongWith(
  { identity, atMs }: Claim,
  claims: readonly Claim[],
  { leaseDurationMs }: ReignRules,
): string | undefined {
  const last = claims.findLast((claim) => claim.atMs <= atMs)
  if (last === undefined) return 'nobody had claimed the lease yet'
  if (last.identity !== identity) return `${last.identity} had claimed the lease ${atMs - last.atMs} ms before`
  return atMs - last.atMs > leaseDurationMs ? `its last claim was ${atMs - last.atMs} ms old` : undefined
}

function isClaim({ resource, name, verb }: StoryRequest, lease: string): boolean {
  return resource === 'leases' && verb !== 'get' && [lease, ''].includes(name)
}

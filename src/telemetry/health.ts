// Is this process alive, and is it ready? Parts say so by named checks; a probe asks them all. Liveness is for what only a
// restart mends; readiness for what mends itself, such as a cache that has not synced.
import { assert } from '../base/assert.ts'
import { messageOf } from '../base/errors.ts'

/** `live`: a failure restarts the process. `ready`: a failure takes it out of service until it passes. */
export type Probe = 'live' | 'ready'

export interface HealthCheck {
  readonly probe: Probe
  /** Unique within its probe; a slug, as in `informer-databases`. */
  readonly name: string
  /** Undefined while all is well, else one sentence that says what is wrong. Cheap, and never a secret. */
  readonly check: () => string | undefined
  /** What to know while all is well, in a few words. */
  readonly note?: () => string
}

export interface HealthFailure {
  readonly name: string
  readonly sentence: string
}

export interface HealthPass {
  readonly name: string
  readonly note: string | undefined
}

export interface HealthReport {
  readonly isOk: boolean
  readonly failures: readonly HealthFailure[]
  readonly passed: readonly HealthPass[]
}

export class HealthRegistry {
  readonly #checks = new Map<string, HealthCheck>()

  /** Adds a check; returns what removes it again. */
  add(check: HealthCheck): () => void {
    const id = `${check.probe}/${check.name}`
    assert(!this.#checks.has(id), `health check ${id} is added once`)
    this.#checks.set(id, check)
    return () => void this.#checks.delete(id)
  }

  /** Asks every check of the probe. A check that throws has failed. With no checks, all is well. */
  report(probe: Probe): HealthReport {
    const checks = [...this.#checks.values()].filter((check) => check.probe === probe)
    const failures: HealthFailure[] = []
    const passed: HealthPass[] = []
    for (const check of checks) {
      const sentence = sentenceOf(check)
      if (sentence === undefined) passed.push({ name: check.name, note: check.note?.() })
      else failures.push({ name: check.name, sentence })
    }
    return { isOk: failures.length === 0, failures, passed }
  }
}

/**
 * The report in the form of the API server's own health endpoints: `ok`, or one line a check. When all is well the lines
 * are shown only if `isVerbose`.
 */
export function healthText(report: HealthReport, { isVerbose }: { readonly isVerbose: boolean }): string {
  if (report.isOk && !isVerbose) return 'ok\n'
  const lines = [
    ...report.passed.map(({ name, note }) => `[+] ${name}: ok${note === undefined ? '' : ` (${note})`}`),
    ...report.failures.map(({ name, sentence }) => `[-] ${name}: ${sentence}`),
    report.isOk ? 'check passed' : 'check failed',
  ]
  return `${lines.join('\n')}\n`
}

function sentenceOf({ check }: HealthCheck): string | undefined {
  try {
    return check()
  } catch (thrown) {
    return `the check itself failed: ${messageOf(thrown)}`
  }
}

// Health of a process: named checks, which a probe runs. Liveness is for faults that only a restart corrects; readiness
// is for those that resolve themselves, such as a cache that is not in sync.
import { assert } from '../base/assert.ts'
import { messageOf } from '../base/errors.ts'

/** `live`: a failure restarts the process. `ready`: a failure takes it out of service until the check passes. */
export type Probe = 'live' | 'ready'

export interface HealthCheck {
  readonly probe: Probe
  /** Name of the check, unique within its probe; a slug, e.g. `informer-databases`. */
  readonly name: string
  /** Returns the problem as one sentence without secrets; undefined if the check passes. Must be cheap. */
  readonly check: () => string | undefined
  /** Returns a short note for a passed check. */
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

/** Result of all checks of a probe. */
export interface HealthReport {
  readonly isOk: boolean
  readonly failures: readonly HealthFailure[]
  readonly passed: readonly HealthPass[]
}

export class HealthRegistry {
  readonly #checks = new Map<string, HealthCheck>()

  /** Adds a check and returns a function that removes it. */
  add(check: HealthCheck): () => void {
    const id = `${check.probe}/${check.name}`
    assert(!this.#checks.has(id), `health check ${id} is added once`)
    this.#checks.set(id, check)
    return () => void this.#checks.delete(id)
  }

  /** Runs every check of the probe. A check that throws fails. Without checks, the report passes. */
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
 * Formats a report like the API server's health endpoints: `ok`, or one line for each check. If all pass, the lines
 * appear only with `isVerbose`.
 *
 * @example healthText(operator.readyz(), { isVerbose: true })
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

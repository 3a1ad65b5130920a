// The operator's engine for a test, with a clock, usually the machine's, and endpoints that pass and record every call.
// It stops with the test.
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { CodedError } from '../../src/base/errors.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { systemRandom } from '../../src/base/random.ts'
import type { DatabaseEngine, DatabaseServer } from '../../src/controllers/engines/engine.ts'
import { postgresEngine } from '../../src/controllers/engines/postgres/postgres-driver.ts'
import type { ServerAccess } from '../../src/controllers/engines/server-access.ts'
import type { ExternalTools } from '../../src/external/external.ts'

export interface EndpointCall {
  readonly endpoint: string
  readonly operation: string
  /** True if the failure counts for a breaker. */
  readonly counts: boolean
}

export interface EngineHere {
  readonly engine: DatabaseEngine
  readonly tools: ExternalTools
  readonly calls: readonly EndpointCall[]
  /** Returns a server as a controller would get it. */
  at(access: ServerAccess, signal?: AbortSignal, name?: string): DatabaseServer
  stop(): Promise<void>
}

export function engineHere(clock = systemClock): EngineHere {
  const calls: EndpointCall[] = []
  const closers: (() => Promise<void>)[] = []
  const { log, tracer } = silentInstruments
  const tools: ExternalTools = {
    clock,
    random: systemRandom,
    log,
    tracer,
    endpoint: (name) => ({
      name,
      isOpen: false,
      call: async (operation, run, signal) => {
        try {
          const value = await run(signal)
          calls.push({ endpoint: name, operation, counts: false })
          return value
        } catch (error) {
          calls.push({ endpoint: name, operation, counts: error instanceof CodedError && error.remedy === 'retry' })
          throw error
        }
      },
    }),
    atStop: (close) => {
      closers.push(close)
    },
  }
  const engine = postgresEngine(tools)
  const stop = async () => {
    await Promise.all(closers.splice(0).map((close) => close()))
  }
  onTestFinished(stop)
  return {
    engine,
    tools,
    calls,
    stop,
    at: (access, signal = new AbortController().signal, name = 'shop') =>
      engine.server(access, { caller: { kind: 'Database', namespace: 'default', name }, signal }),
  }
}

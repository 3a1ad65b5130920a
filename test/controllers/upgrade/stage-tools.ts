// Fixture: tools of an upgrade step, with hooks: a server crashes during the first copy, or each restore fails.
import { tmpdir } from 'node:os'
import { systemClock } from '../../../src/base/clock.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import type { DatabaseEngine } from '../../../src/controllers/engines/engine.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import type { SideTools } from '../../../src/controllers/upgrade/new-side-worker.ts'

const places = { versions: '/usr/lib/postgresql', folders: [] }

// Acknowledged data survives a crash.
export const oldSettings = { wal_level: 'logical', synchronous_commit: 'on' }
export const newSettings = { wal_retrieve_retry_interval: '200ms', synchronous_commit: 'on' }

/** Connections of the operator to both servers. */
export interface Ways {
  readonly old: () => ServerAccess
  readonly new: () => ServerAccess
}

export function toolsBy(ways: Ways, engine: DatabaseEngine): SideTools {
  const work = { clock: systemClock, secrets: systemSecrets, workFolder: tmpdir() }
  const logical = postgresLogicalEngine({ clock: systemClock, places, workFolder: tmpdir() })
  return { ...work, engine, logical, old: ways.old(), new: ways.new() }
}

/** `fail` throws. */
export function withoutRestore(tools: SideTools, fail: () => void): SideTools {
  return { ...tools, logical: { ...tools.logical, restore: async () => fail() } }
}

export function withCrashes(tools: SideTools, crash: (side: keyof Ways) => Promise<void>): SideTools {
  const { logical } = tools
  return {
    ...tools,
    logical: {
      ...logical,
      freeze: async (call) => {
        const frozen = await logical.freeze(call)
        await crash('old')
        return frozen
      },
      restore: async (call) => {
        await crash('new')
        await logical.restore(call)
      },
    },
  }
}

// Cost of thirty databases and sixty users for their server and the API server. Limits: five connections at once, and
// 2.5 per object for the creation.
// A pass over all of them without a change costs two statements each and no write.
import { expect, it } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { defaultCadenceMs } from '../../../src/external/cadence.ts'
import { type Condition, findCondition, type LiveObject } from '../../../src/index.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { fleetOf } from './fleet.ts'
import { UserStage } from './user-stage.ts'

const fleet = fleetOf(30)
const objects = fleet.databases.length + fleet.users.length
const maxConnections = 5
/**
 * Largest average cost of one creation. Connections: one to observe its database, one to test its login; and
 * statements.
 */
const making = { connections: 2.5, statements: 21 }

onEachPostgres('thirty databases and sixty users', (server) => {
  it('need at most five connections, and two statements each and no write when in sync', async () => {
    const stage = await UserStage.start(server())
    for (const { name, spec } of fleet.databases) await stage.database(name, spec)
    for (const { name, spec } of fleet.users) await stage.create(name, spec)
    const all = async () => [...(await stage.cluster.list(Database)), ...(await stage.cluster.list(DatabaseUser))]
    await stage.until('all to be ready', async () => (await all()).every(isReady))
    expect(stage.engines.proxy.connections.peak).toBe(maxConnections)
    expect(stage.engines.proxy.connections.total / objects).toBeLessThanOrEqual(making.connections)
    expect(stage.engines.statements.length / objects).toBeLessThanOrEqual(making.statements)

    // Grants have enlarged the databases, which the next observation reports. An observation has up to a tenth of
    // jitter.
    await stage.pass(1.15 * defaultCadenceMs)
    const [statements, writes] = [stage.engines.statements.length, stage.operator.way.writes.length]
    // Each object is observed at most once within the cadence, and nearly all are.
    await stage.pass(defaultCadenceMs)
    const asked = stage.engines.statements.slice(statements)
    expect(stage.operator.way.writes.slice(writes)).toEqual([])
    expect(asked.filter(({ text }) => !text.startsWith('SELECT'))).toEqual([])
    expect(asked.length).toBeGreaterThan(1.5 * objects)
    expect(asked.length).toBeLessThanOrEqual(2 * objects)
    expect(stage.engines.proxy.connections.peak).toBe(maxConnections)
  })
})

function isReady({ status }: LiveObject): boolean {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] } // The CRD has this form.
  return findCondition(conditions, 'Ready')?.status === 'True'
}

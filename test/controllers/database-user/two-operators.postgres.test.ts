// Two operators with separate caches that both lead and manage the same databases and users. Invariant: the end state
// is that of one operator.
// Nothing is created twice, one password holds, and both become idle.
import { expect, it } from 'vitest'
import { defaultCadenceMs } from '../../../src/external/cadence.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { UserStage } from './user-stage.ts'

const names = ['one', 'two', 'three']

onEachPostgres('two operators at once', (server) => {
  it('create everything once, and become idle with one password', async () => {
    const stage = await UserStage.start(server())
    const rival = await stage.rival()
    // Watch events reach the second operator late, and later with each one.
    const effect = { kind: 'delay', delayMs: 700 } as const
    rival.operator.way.inject({ match: { verb: 'watch', frame: 'MODIFIED' }, times: 40, effect })
    for (const name of names) {
      await stage.database(name)
      await stage.create(`${name}-user`, { databases: [{ name, access: 'ReadWrite' }] })
    }
    for (const name of names) await stage.becomes(`${name}-user`, 'Ready', 'True InSync')
    for (const name of names) {
      expect(await stage.app(`${name}-user`, 'SELECT current_user AS is')).toEqual([{ is: `${name}_user` }])
    }
    // Grants have enlarged the databases, which the next observation reports.
    await stage.pass(1.15 * defaultCadenceMs)

    // A name is unique: if both operators ask, the server rejects one, which then finds its own marker. No DROP means
    // that nothing was created twice.
    const asked = [...stage.engines.statements, ...rival.engines.statements].map(({ text }) => text)
    expect(asked.filter((text) => /\bDROP\b/.test(text))).toEqual([])
    for (const name of names) {
      const creations = asked.filter((text) => text.startsWith(`CREATE DATABASE "${name}"`))
      expect(creations.length).toBeLessThanOrEqual(2)
    }

    const rested = () => [
      ...[stage.operator, rival.operator].map(({ way }) => way.writes.length),
      ...[stage.engines, rival.engines].map(({ statements }) => statements.filter(isChange).length),
    ]
    const before = rested()
    await stage.pass(1.15 * defaultCadenceMs)
    expect(rested()).toEqual(before)

    await stage.patch('one-user', { rotation: { trigger: 'now' } })
    await stage.until('the rotation', async () => (await stage.status('one-user')).passwordGeneration === 2)
    await stage.becomes('one-user', 'Ready', 'True InSync')
    await stage.app('one-user', 'SELECT 1')
    await stage.pass(30_000)
    await stage.app('one-user', 'SELECT 1')
    expect(await stage.status('one-user')).toMatchObject({ passwordGeneration: 2 })

    for (const name of names) await stage.delete(`${name}-user`)
    const left = await server().byHand(`SELECT rolname FROM pg_roles WHERE rolname LIKE '%user%'`)
    expect(left).toEqual([])
  })
})

function isChange({ text }: { readonly text: string }): boolean {
  return !text.startsWith('SELECT')
}

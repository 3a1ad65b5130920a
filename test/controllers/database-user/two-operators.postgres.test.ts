// What if two operators look after the same databases and users, and the one does not know of the other: two leaders, each with memories
// of its own? The end is that of one operator: nothing is made twice, one password holds, and then both are at rest.
import { expect, it } from 'vitest'
import { defaultCadenceMs } from '../../../src/external/cadence.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { UserStage } from './user-stage.ts'

const names = ['one', 'two', 'three']

onEachPostgres('two operators at once', (server) => {
  it('make everything once, and come to rest with one password', async () => {
    const stage = await UserStage.start(server())
    const rival = await stage.rival()
    // The rival hears of everything late, and for ever later.
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
    // Databases have grown by what was granted in them, which the next look tells.
    await stage.pass(1.15 * defaultCadenceMs)

    // A name is taken once: where both asked, the server refused one, who then finds that it is theirs. Without a DROP nothing was made twice.
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

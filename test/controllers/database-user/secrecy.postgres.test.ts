// Is a password anywhere but in the Secret? Searched for in everything that operator, cluster and server write down (I11).
import { expect, it } from 'vitest'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { Event, Secret } from '../../../src/index.ts'
import { onEachPostgres } from '../../postgres/on-each-postgres.ts'
import { home, UserStage } from './user-stage.ts'

onEachPostgres(
  'the passwords of a DatabaseUser',
  (server) => {
    it('are in its Secret and nowhere else', async () => {
      const stage = await UserStage.start(server(), 'vault')
      const databases = [{ name: 'vault', access: 'ReadWrite' as const }]
      const password = { generate: { charset: 'Printable' as const } }
      await stage.secret('mine', { password: 'supplied-by-hand-1' })
      await stage.create('keeper', { databases, password, rotation: { strategy: 'DualRole', overlap: '5s' } })
      await stage.create('bearer', { databases, password: { secretRef: { name: 'mine' } } })
      const passwords = new Set<string>()
      const collect = async () => {
        for (const name of ['keeper', 'bearer']) {
          const keys = (await stage.keys(name)) ?? {}
          for (const key of ['password', 'password-next']) if (keys[key] !== undefined) passwords.add(keys[key])
        }
      }
      for (const name of ['keeper', 'bearer']) await stage.becomes(name, 'Ready', 'True InSync')
      await collect()
      await server().byHand("ALTER ROLE keeper_a CONNECTION LIMIT 1; ALTER ROLE bearer_a PASSWORD 'x'")
      await stage.look('keeper')
      await stage.look('bearer')
      // Failures are where secrets leak: a server that is gone, a statement that is refused, a role that is somebody else's.
      stage.engines.judge = ({ text }) => (text.startsWith('ALTER ROLE') ? 'cutBefore' : 'pass')
      await stage.patch('keeper', { rotation: { strategy: 'DualRole', overlap: '5s', trigger: 'now' } })
      await stage.secret('mine', { password: 'supplied-by-hand-2' })
      await stage.pass(10_000)
      await collect()
      stage.engines.judge = () => 'pass'
      await stage.until('both to rotate', async () => {
        const [keeper, bearer] = [await stage.status('keeper'), await stage.status('bearer')]
        return keeper.passwordGeneration === 2 && bearer.passwordGeneration === 2
      })
      await collect()
      await stage.pass(6_000)
      await stage.delete('bearer')
      const { cluster, operator, engines } = stage
      const secrets = (await cluster.list(Secret, home)).map(({ metadata }) => metadata)
      const told = {
        log: operator.lines,
        metrics: (await operator.get('/metrics')).text,
        users: await cluster.list(DatabaseUser),
        events: await cluster.list(Event, home),
        secrets,
        statements: engines.statements,
        server: server().log(),
      }
      expect(passwords.size).toBeGreaterThanOrEqual(4)
      for (const [place, content] of Object.entries(told)) {
        const text = typeof content === 'string' ? content : JSON.stringify(content)
        expect(text.length, place).toBeGreaterThan(100)
        for (const one of passwords) {
          const forms = [
            one,
            JSON.stringify(one).slice(1, -1),
            encodeURIComponent(one),
            Buffer.from(one).toString('base64'),
          ]
          for (const form of forms) expect(text.includes(form), place).toBe(false)
        }
      }
      expect(told.server).toContain('keeper')
    })
  },
  { settings: { log_statement: 'all', log_connections: 'on' } },
)

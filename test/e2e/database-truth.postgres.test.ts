// Each row of the truth tables: a change outside the operator shows in `kubectl get db,dbu` within one cadence, and so
// does its correction. One server per PostgreSQL version; a simulated clock, real servers.
import { expect, it } from 'vitest'
import { Database } from '../../imports/wire/database.ts'
import { DatabaseUser } from '../../imports/wire/database-user.ts'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { UserStage } from '../controllers/database-user/user-stage.ts'
import { home } from '../controllers/postgres-stage.ts'
import { onEachPostgres, startPostgres } from '../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'
import { corrections, databaseTruths, userTruths } from './database-truths.ts'
import { adminTruths, serverTruths } from './server-truths.ts'
import { operatorRole, type Scene, type Setting } from './truth.ts'

/** Annotation that reconciles every ten seconds, with up to 10 % jitter. */
const often = { metadata: { annotations: { 'konverge.dev/reconcile-interval': '10s' } } }
const cadenceMs = 15_000
const truths = [...serverTruths, ...adminTruths, ...databaseTruths, ...userTruths]
const inSync = ['True InSync', 'True InSync']

onEachPostgres('kubectl get db,dbu', (shared, version) => {
  /** Starts a Database and a DatabaseUser that are Ready, on a server without other objects. */
  const setScene = async (setting: Setting): Promise<Scene> => {
    const { server: options } = setting
    const server = options === undefined ? shared() : await startPostgres({ ...options, version })
    if (options === undefined) await empty(server)
    const stage = await UserStage.start(server)
    await furnish({ server, stage }, setting)
    return { server, stage }
  }

  it.each(truths)('shows within one cadence, and shows the correction within another, that $title', async (truth) => {
    const scene = await setScene(truth)
    const { stage } = scene
    await truth.make(scene)
    const told = new RegExp(`^${truth.database}, ${truth.user}$`)
    const { databaseConditions = {}, userConditions = {} } = truth
    const isTold = async () =>
      told.test((await table(stage)).join(', ')) &&
      (await claims(stage, Database, 'truth', databaseConditions)) &&
      (await claims(stage, DatabaseUser, 'app', userConditions))
    const all = [told, JSON.stringify([databaseConditions, userConditions])].join(' ')
    await stage.until(`the table to say ${all}`, isTold, cadenceMs + (truth.toldLateMs ?? 0))
    await truth.mend(scene)
    const isMended = async () => `${await table(stage)}` === `${inSync}`
    await stage.until('the table to say InSync', isMended, cadenceMs + (truth.mendedLateMs ?? 0))
    expect(await stage.app('app', 'SELECT current_user AS is')).toEqual([{ is: 'app' }])
  })

  it.each(corrections)('corrects within one cadence and emits an Event when $title', async (correction) => {
    const scene = await setScene(correction)
    const { stage } = scene
    await correction.make(scene)
    expect(await correction.isRight(scene)).toBe(false)
    const isTold = async () => {
      const events = [...(await stage.events('truth')), ...(await stage.events('app'))]
      const isRight = events.some((event) => event.startsWith('DriftCorrected')) && (await correction.isRight(scene))
      // A DatabaseUser may report a failure while the drift blocks its login.
      return isRight && `${await table(stage)}` === `${inSync}`
    }
    // A DatabaseUser that was observed before the correction reports the failure until its next observation.
    await stage.until('it to be right again', isTold, 2 * cadenceMs)
    expect(await stage.app('app', 'SELECT current_user AS is')).toEqual([{ is: 'app' }])
  })
})

/** Removes everything that the previous row left on the server, also after a failure. */
async function empty(server: PostgresServer): Promise<void> {
  server.resume()
  await server.byHand('SELECT 1').catch(() => server.restart())
  await server.byHand('ALTER SYSTEM RESET ALL')
  await server.byHand('SELECT pg_reload_conf()')
  for (const name of ['truth', 'lie']) await server.byHand(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  // The grantor of a membership is dropped after the members.
  for (const name of ['app_a', 'app_b', 'lie', 'app', 'truth_owner', 'op'])
    await server.byHand(`DROP ROLE IF EXISTS ${name}`)
}

async function furnish({ server, stage }: Scene, { admin, sslMode, databaseSpec, userSpec }: Setting): Promise<void> {
  const { username, password } = operatorRole
  if (admin !== undefined) {
    const rights = admin === 'limited' ? 'CREATEDB CREATEROLE' : 'SUPERUSER'
    await server.byHand(`CREATE ROLE ${username} LOGIN ${rights} PASSWORD '${password}'`)
  }
  await stage.secret('server', {
    ...(admin === undefined ? {} : { username, password }),
    ...(server.certificate === undefined ? {} : { 'ca.crt': server.certificate }),
  })
  const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: sslMode ?? 'disable' } }
  await stage.database('truth', { provider, ...databaseSpec })
  await stage.databaseReady('truth')
  await stage.create('app', { databases: [{ name: 'truth', access: 'ReadWrite' }], ...userSpec })
  await stage.becomes('app', 'Ready', 'True InSync')
  await stage.cluster.patch(Database, `${home}/truth`, often)
  await stage.cluster.patch(DatabaseUser, `${home}/app`, often)
  await stage.pass(2_000)
  expect(await table(stage)).toEqual(inSync)
}

/**
 * True if the object has all conditions of `asked`, for example `True InSync`; `-` means that the condition is absent.
 */
async function claims(
  { cluster }: UserStage,
  kind: typeof Database | typeof DatabaseUser,
  name: string,
  asked: Readonly<Record<string, string>>,
): Promise<boolean> {
  for (const [type, standing] of Object.entries(asked)) {
    const condition = await cluster.condition(kind, `${home}/${name}`, type)
    const claimed = condition === undefined ? '-' : `${condition.status} ${condition.reason}`
    if (!new RegExp(`^${standing}$`).test(claimed)) return false
  }
  return true
}

/** Returns the columns Ready and Reason of the Database and of the DatabaseUser, from the API server's Table. */
async function table({ cluster }: UserStage): Promise<readonly string[]> {
  const paths = ['databases/truth', 'databaseusers/app']
  return await Promise.all(
    paths.map(async (path) => {
      const url = `http://server/apis/data.konverge.dev/v1alpha1/namespaces/${home}/${path}`
      const headers = { authorization: 'Bearer admin', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
      const answer = await handleFetch(cluster.server, new Request(url, { headers }))
      const { columnDefinitions, rows } = (await answer.json()) as Table // meta.k8s.io/v1.
      const at = (title: string) => rows[0]?.cells[columnDefinitions.findIndex(({ name }) => name === title)]
      return `${at('Ready')} ${at('Reason')}`
    }),
  )
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[]
  readonly rows: readonly { readonly cells: readonly unknown[] }[]
}

// A Database whose server fails in every way that a real one can. Invariant: the status names the fault, and the
// Database recovers.
import { expect, inject, it } from 'vitest'
import { Crowd, fewConnections } from '../../postgres/crowd.ts'
import { onEachPostgres, startPostgres } from '../../postgres/on-each-postgres.ts'
import { giveToServer, noDisks, resizeDisk, smallDisk } from '../../postgres/small-disk.ts'
import { secretText } from '../../taint/secret-text.ts'
import { DatabaseStage } from './database-stage.ts'

const often = { metadata: { annotations: { 'konverge.dev/reconcile-interval': '10s' } } }

onEachPostgres('a Database', (shared, version) => {
  it('continues after its server was stopped, and reports the stop', async () => {
    const server = await startPostgres({ version })
    const stage = await DatabaseStage.start(server)
    await stage.create('stopped')
    await stage.patch('stopped', often)
    await stage.becomes('stopped', 'Ready', 'True InSync')
    await server.stop()
    // A short restart is not reported, and by now the breaker is open.
    await stage.pass(25_000)
    expect(await stage.condition('stopped', 'Ready')).toMatchObject({ status: 'True' })
    expect(await stage.becomes('stopped', 'Ready', 'False DependencyUnavailable')).toContain(
      'could not look at the server',
    )
    expect(await stage.condition('stopped', 'Connected')).toMatchObject({
      status: 'False',
      reason: 'DependencyUnavailable',
    })
    expect(await stage.condition('stopped', 'Provisioned')).toMatchObject({ status: 'Unknown' })
    expect(await stage.condition('stopped', 'Stalled')).toBeUndefined()
    expect(await stage.status('stopped')).toMatchObject({ observed: { owner: 'stopped_owner' } })
    await server.start()
    await stage.becomes('stopped', 'Ready', 'True InSync')
    expect(await stage.events('DriftCorrected')).toEqual([])
  })

  it('does not accept another server as its own', async () => {
    const server = await startPostgres({ version })
    // Test servers of one version are copies with the same system identifier.
    const other = await startPostgres({
      version: inject('postgresHome').versions.find(({ major }) => major !== version)?.major ?? 0,
    })
    const stage = await DatabaseStage.start(server)
    await stage.create('elsewhere')
    await stage.patch('elsewhere', often)
    await stage.becomes('elsewhere', 'Ready', 'True InSync')
    const { identity } = await stage.status('elsewhere')
    await stage.kill()
    stage.engines.target = other.access()
    await other.byHand(`ALTER ROLE postgres PASSWORD '${server.password}'`)
    await stage.live()
    expect(await stage.becomes('elsewhere', 'Ready', 'False IdentityChanged')).toContain(
      'is not the one that had database',
    )
    expect(await stage.condition('elsewhere', 'Drifted')).toMatchObject({ status: 'True', reason: 'IdentityChanged' })
    expect(await other.byHand(`SELECT FROM pg_database WHERE datname = 'elsewhere'`)).toEqual([])
    expect((await stage.status('elsewhere')).identity).toEqual(identity)
    await stage.patch('elsewhere', { spec: { deletionPolicy: 'Delete' } })
    await stage.startDelete('elsewhere')
    await stage.becomes('elsewhere', 'DeletionBlocked', 'True IdentityChanged')
    await stage.kill()
    stage.engines.target = server.access()
    await stage.live()
    await stage.until('it to go from its own server', async () => (await stage.find('elsewhere')) === undefined)
    expect(await server.byHand(`SELECT FROM pg_database WHERE datname = 'elsewhere'`)).toEqual([])
  })

  it('rejects a server that accepts no writes', async () => {
    const server = await startPostgres({ version })
    const stage = await DatabaseStage.start(server)
    await server.byHand('ALTER SYSTEM SET default_transaction_read_only = on')
    await server.byHand('SELECT pg_reload_conf()')
    await stage.create('standby')
    await stage.patch('standby', often)
    expect(await stage.becomes('standby', 'Ready', 'False ServerUnreachable')).toContain('is read only')
    await server.byHand('ALTER SYSTEM RESET default_transaction_read_only')
    await server.byHand('SELECT pg_reload_conf()')
    await stage.becomes('standby', 'Ready', 'True InSync')
  })

  it('waits for a server without free connections', async () => {
    const server = await startPostgres({
      version,
      settings: fewConnections,
    })
    const stage = await DatabaseStage.start(server)
    const crowd = await Crowd.fill(server)
    await stage.create('full')
    await stage.becomes('full', 'Ready', 'False TooManyConnections')
    expect(await stage.condition('full', 'Connected')).toMatchObject({ reason: 'TooManyConnections' })
    await crowd.leave()
    await stage.becomes('full', 'Ready', 'True InSync')
  })

  it('reports that its server has no disk space, and continues when it has', async ({ skip }) => {
    const server = await startPostgres({ version })
    // The disk holds the template database, but not the last page of each table of a copy.
    const folder = (await smallDisk('8m')) ?? skip(noDisks)
    await giveToServer(folder)
    await server.byHand(`CREATE TABLESPACE small LOCATION '${folder}'`)
    await server.byHand('ALTER DATABASE template0 SET TABLESPACE small')
    const stage = await DatabaseStage.start(server)
    await stage.create('large')
    expect(await stage.becomes('large', 'Ready', 'False StorageFull')).toMatch(/53100 .*No space left on device/)
    expect(await stage.condition('large', 'Stalled')).toMatchObject({ status: 'True', reason: 'StorageFull' })
    await resizeDisk(folder, '64m')
    await stage.becomes('large', 'Ready', 'True InSync', { limitMs: 600_000 })
  })

  it('sends nothing to a server that cannot prove its identity', async () => {
    const server = await startPostgres({ version, tlsFor: ['127.0.0.1'] })
    const stage = await DatabaseStage.start(server)
    await stage.create('untrusted', {}, { sslMode: 'verify-full' })
    await stage.becomes('untrusted', 'Ready', 'False TLSVerifyFailed')
    expect(stage.engines.statements).toEqual([])
    await stage.secret('server', stage.connection({ 'ca.crt': server.certificate ?? '' }))
    await stage.becomes('untrusted', 'Ready', 'True InSync', { limitMs: 30_000 })
  })

  it('reports that a server offers no TLS', async () => {
    const stage = await DatabaseStage.start(shared())
    await stage.create('in-clear', {}, { sslMode: 'require' })
    expect(await stage.becomes('in-clear', 'Ready', 'False TLSVerifyFailed')).toContain('does not offer TLS')
  })

  it('reconciles when the password in its Secret is corrected', async () => {
    const stage = await DatabaseStage.start(shared())
    await stage.secret('server', stage.connection({ password: secretText('wrong') }))
    await stage.create('refused')
    expect(await stage.becomes('refused', 'Ready', 'False AdminAuthFailed')).not.toContain('wrong')
    expect(await stage.condition('refused', 'Stalled')).toMatchObject({ status: 'True' })
    await stage.secret('server', stage.connection())
    await stage.becomes('refused', 'Ready', 'True InSync', { limitMs: 10_000 })
  })

  it('waits for its Secret, and reports the missing key', async () => {
    const stage = await DatabaseStage.start(shared())
    await stage.deleteSecret('server')
    await stage.create('secretless')
    await stage.becomes('secretless', 'Ready', 'False SecretNotFound')
    const { password: _, ...some } = stage.connection()
    await stage.secret('server', some)
    expect(await stage.becomes('secretless', 'Ready', 'False SecretIncomplete', { limitMs: 10_000 })).toContain(
      'has no password',
    )
    await stage.secret('server', stage.connection())
    await stage.becomes('secretless', 'Ready', 'True InSync', { limitMs: 10_000 })
  })

  it('needs no superuser, and reports the missing privileges of its role', async () => {
    const server = shared()
    await server.byHand(`CREATE ROLE op LOGIN CREATEROLE PASSWORD 'op-password'`)
    const stage = await DatabaseStage.start(server)
    await stage.secret('server', stage.connection({ username: 'op', password: 'op-password' }))
    const wanted = {
      schemas: [{ name: 'api' }],
      extensions: [{ name: 'pgcrypto', schema: 'api' }],
      deletionPolicy: 'Delete',
    } as const
    await stage.create('plain', wanted)
    expect(await stage.becomes('plain', 'Ready', 'False InsufficientPrivilege')).toContain('ALTER ROLE "op" CREATEDB')
    expect(await stage.condition('plain', 'Configured')).toMatchObject({
      status: 'False',
      reason: 'InsufficientPrivilege',
    })
    await server.byHand('ALTER ROLE op CREATEDB')
    await stage.patch('plain', { metadata: { annotations: { 'konverge.dev/reconcile-now': 'now' } } })
    await stage.becomes('plain', 'Ready', 'True InSync')
    await stage.patch('plain', often)
    await server.byHand('GRANT CONNECT ON DATABASE plain TO PUBLIC')
    await stage.until('it to be put right', async () => (await stage.events('DriftCorrected')).length === 1)
    await stage.delete('plain')
    expect(await server.byHand(`SELECT FROM pg_roles WHERE rolname = 'plain_owner'`)).toEqual([])
  })

  it('reports a missing extension, and configures everything else', async () => {
    const stage = await DatabaseStage.start(shared())
    await stage.create('modest', { extensions: [{ name: 'no_such_thing' }], schemas: [{ name: 'api' }] })
    expect(await stage.becomes('modest', 'Ready', 'False StatementFailed')).toContain('no_such_thing')
    expect(
      await shared().byHand(`SELECT FROM pg_namespace WHERE nspname = 'api'`, { database: 'modest' }),
    ).toHaveLength(1)
    await stage.patch('modest', { spec: { extensions: null } })
    await stage.becomes('modest', 'Ready', 'True InSync')
  })
})

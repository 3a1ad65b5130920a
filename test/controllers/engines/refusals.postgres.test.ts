// Errors of a server, its network or its certificate. Invariant: the error names the reason, whether a retry may help,
// and no secret.
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Change } from '../../../src/controllers/engines/change.ts'
import { scramVerifier } from '../../../src/controllers/engines/postgres/scram.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { certifiedKey } from '../../postgres/certificate.ts'
import { askForMd5, startCuriousServer } from '../../postgres/curious-server.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import { onEachPostgres, startPostgres } from '../../postgres/on-each-postgres.ts'

const token = { uid: '5f1c', generation: 1 }
const password = 'right one'
const verifier = scramVerifier({ password, salt: Buffer.alloc(16, 3) })

onEachPostgres('a refusal', (server, version) => {
  it('stops, and does not count against the server, when the admin’s password is wrong', async () => {
    const here = engineHere()
    const wrong = server().access({ password: 'wrong-needle' })
    await expect(here.at(wrong).observe({})).rejects.toMatchObject({
      code: 'AdminAuthFailed',
      remedy: 'stop',
      retryAfterMs: 300_000,
      sqlState: '28P01',
      message: `could not look at the server on 127.0.0.1:${server().port}: 28P01 password authentication failed for user "postgres"`,
    })
    await expect(here.at(server().access({ password: '' })).observe({})).rejects.toMatchObject({
      code: 'AdminAuthFailed',
    })
    await expect(here.at(server().access({ username: 'nobody' })).observe({})).rejects.toMatchObject({
      code: 'AdminAuthFailed',
    })
    // It also does not occupy one of the five connections permanently.
    for (let round = 0; round < 6; round += 1) {
      await expect(here.at(wrong).observe({})).rejects.toMatchObject({ code: 'AdminAuthFailed' })
    }
    expect(here.calls.some(({ counts }) => counts)).toBe(false)
  })

  it('gives a verdict when a login is rejected', async () => {
    const at = engineHere().at(server().access())
    const roles = { good: {}, expired: { validUntil: '2020-01-01T00:00:00Z' }, disabled: { canLogin: false } }
    const changes = Object.entries({ ...roles, limited: { connectionLimit: 0 } }).map(
      ([role, attributes]): Change => ({
        kind: 'createRole',
        role,
        token,
        attributes: { canLogin: true, verifier, ...attributes },
      }),
    )
    await at.change(changes)
    await at.createDatabase({ name: 'private', owner: 'postgres', token })
    await at.createDatabase({ name: 'closed', owner: 'postgres', token })
    await at.change([
      { kind: 'hardenDatabase', database: 'private' },
      { kind: 'allowConnections', database: 'closed', allows: false },
    ])
    const verdict = (username: string, database = 'postgres', tried = password) =>
      at.tryLogin({ username, password: tried, database })
    expect(await verdict('good')).toBe('Verified')
    expect(await verdict('good', 'postgres', 'other')).toBe('WrongPassword')
    expect(await verdict('expired')).toBe('Expired')
    expect(await verdict('disabled')).toBe('Disabled')
    expect(await verdict('disabled', 'postgres', 'other')).toBe('Disabled')
    expect(await verdict('missing')).toBe('RoleMissing')
    expect(await verdict('good', 'missing')).toBe('DatabaseMissing')
    expect(await verdict('good', 'private')).toBe('ConnectNotGranted')
    expect(await verdict('good', 'closed')).toBe('Rejected')
    expect(await verdict('limited')).toBe('TooManyConnections')
  })

  it.each([
    ['password', 'the password in clear text'],
    ['md5', 'an MD5 hash of the password'],
  ])('follows authentication by method %s, also over verified TLS', async (method, wanted) => {
    const settings = { password_encryption: 'md5' }
    const proven = await startPostgres({
      ...{ version, settings, tlsFor: ['127.0.0.1'] },
      hba: [`host all guest 127.0.0.1/32 ${method}`],
    })
    await proven.byHand("CREATE ROLE guest SUPERUSER LOGIN PASSWORD 'guessed-right'")
    const guest = { username: 'guest', password: 'guessed-right' }
    const at = engineHere().at(proven.access({ tls: 'verify-full', ca: proven.certificate ?? '', ...guest }))
    const refusal = { code: 'AdminAuthFailed', remedy: 'stop', message: expect.stringContaining(`asks for ${wanted}`) }
    await expect(at.observe({})).rejects.toMatchObject(refusal)
    const login = engineHere().at(proven.access({ tls: 'verify-full', ca: proven.certificate ?? '' }))
    await expect(login.tryLogin({ ...guest, database: 'postgres' })).rejects.toMatchObject(refusal)
  })

  it.each([
    ['clear text', undefined],
    ['MD5', askForMd5],
  ])('to authenticate to a server that requests %s, which gets no password', async (_, welcome) => {
    const curious = await startCuriousServer(welcome === undefined ? {} : { welcome })
    onTestFinished(() => curious.stop())
    const access = server().access({ port: curious.port, password: 'never-in-clear' })
    await expect(engineHere().at(access).observe({})).rejects.toMatchObject({ code: 'AdminAuthFailed' })
    expect(curious.heard()).not.toContain('never-in-clear')
    expect(curious.heard()).not.toMatch(/md5[0-9a-f]{32}/)
  })

  it('is known beforehand when the server is read-only', async () => {
    const own = await startPostgres({ version, settings: { default_transaction_read_only: 'on' } })
    expect((await engineHere().at(own.access()).observe({})).server.isReadOnly).toBe(true)
  })

  it('is retried three times, and then waits, when others hold a lock', async () => {
    const here = engineHere()
    const at = here.at(server().access())
    await at.change([{ kind: 'createRole', role: 'locked', token, attributes: {} }])
    const other = await server().connect()
    onTestFinished(() => other.end())
    await other.query('BEGIN; ALTER ROLE locked CONNECTION LIMIT 5')
    await expect(
      at.change([{ kind: 'alterRole', role: 'locked', attributes: { connectionLimit: 6 } }]),
    ).rejects.toMatchObject({ code: 'Contention', sqlState: '55P03', remedy: 'retry' })
    expect(here.calls.some(({ counts }) => counts)).toBe(false)
    await other.query('COMMIT')
    await at.change([{ kind: 'alterRole', role: 'locked', attributes: { connectionLimit: 6 } }])
  })

  it('reports the number of sessions or dependents, and shows no rows', async () => {
    const at = engineHere().at(server().access())
    await at.change([{ kind: 'createRole', role: 'busy_owner', token, attributes: {} }])
    await at.createDatabase({ name: 'busy', owner: 'busy_owner', token })
    await at.observeContents('busy') // The test's own session does not count.
    const sleeping = server()
      .byHand('SELECT pg_sleep(60)', { database: 'busy' })
      .catch(() => undefined)
    const isInUse = async () => (await at.observe({ databases: ['busy'] })).databases[0]?.sessions === 1
    await waitUntil({ what: 'somebody in the database' }, isInUse)
    expect(await at.sessions({ database: 'busy' })).toMatchObject([
      { role: 'postgres', database: 'busy', applicationName: 'by hand', clientAddress: '127.0.0.1', state: 'active' },
    ])
    await expect(at.dropDatabase('busy', { force: false })).rejects.toMatchObject({
      code: 'DatabaseInUse',
      remedy: 'retry',
      retryAfterMs: 10_000,
      message: expect.stringContaining('There is 1 other session using the database.'),
    })
    await expect(at.change([{ kind: 'dropRole', role: 'busy_owner' }])).rejects.toMatchObject({
      code: 'DependentObjects',
      message: expect.stringContaining('owner of database busy'),
    })
    expect((await at.observe({ roles: [{ name: 'busy_owner' }] })).roles[0]?.dependents).toEqual([
      { database: '', owned: 1, granted: 0 },
    ])
    expect(await at.terminate({ database: 'busy' })).toBe(1)
    await sleeping
    await at.change([{ kind: 'renameDatabase', database: 'busy', to: 'bee' }])
    await at.dropDatabase('bee', { force: false })
    await at.change([{ kind: 'dropRole', role: 'busy_owner' }])
  })

  it('reports a name that is taken or missing', async () => {
    const at = engineHere().at(server().access())
    const make = () => at.change([{ kind: 'createRole', role: 'twin', token, attributes: {} }])
    await make()
    await expect(make()).rejects.toMatchObject({ code: 'AlreadyExists', sqlState: '42710' })
    await expect(at.observeContents('nowhere')).rejects.toMatchObject({ code: 'NotFound', sqlState: '3D000' })
    await expect(at.createDatabase({ name: 'template1', owner: 'twin', token })).rejects.toMatchObject({
      code: 'AlreadyExists',
    })
    await expect(
      at.change([{ kind: 'alterRole', role: 'ghost', attributes: { canLogin: true } }]),
    ).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('could not alter role "ghost" on 127.0.0.1'),
    })
    await expect(
      at.change([{ kind: 'createExtension', extension: 'no_such_thing' }], { database: 'postgres' }),
    ).rejects.toMatchObject({ code: 'StatementFailed', remedy: 'stop' })
  })

  it('reports a taken name when two sessions create one role', async () => {
    const at = engineHere().at(server().access())
    const make = () => at.change([{ kind: 'createRole', role: 'raced', token, attributes: {} }])
    const outcomes = await Promise.allSettled([make(), make(), make(), make()])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'AlreadyExists' })
    }
  })

  describe('for missing admin privileges', () => {
    it.each([
      ['NOCREATEROLE', [{ kind: 'createRole', role: 'x', token, attributes: {} }], 'ALTER ROLE "poor" CREATEROLE'],
      [
        'CREATEROLE',
        [{ kind: 'setDatabaseOwner', database: 'poor_db', owner: 'stranger' }],
        version < 16 ? 'GRANT "stranger" TO "poor"' : 'GRANT "stranger" TO "poor" WITH SET TRUE, INHERIT TRUE',
      ],
      ['NOCREATEDB', [{ kind: 'renameDatabase', database: 'poor_db', to: 'rich_db' }], 'ALTER ROLE "poor" CREATEDB'],
      [
        'NOCREATEROLE',
        [{ kind: 'grantMembership', role: 'stranger', member: 'poor' }],
        'GRANT "stranger" TO "poor" WITH ADMIN OPTION',
      ],
      [
        'NOCREATEROLE',
        [{ kind: 'alterRole', role: 'stranger', attributes: { canLogin: true } }],
        'ALTER ROLE "poor" CREATEROLE and GRANT "stranger" TO "poor" WITH ADMIN OPTION',
      ],
      ['NOCREATEROLE', [{ kind: 'dropOwned', role: 'stranger' }], 'GRANT "stranger" TO "poor"'],
      [
        'NOCREATEROLE',
        [
          {
            kind: 'grant',
            role: 'poor',
            on: 'Table',
            schema: 'pg_catalog',
            table: '',
            names: ['pg_authid'],
            privileges: ['SELECT'],
          },
        ],
        'make "poor" a member of its owner',
      ],
      [
        'NOCREATEROLE',
        [{ kind: 'dropRole', role: 'stranger' }],
        'ALTER ROLE "poor" CREATEROLE and GRANT "stranger" TO "poor" WITH ADMIN OPTION',
      ],
      [
        'NOCREATEDB',
        [{ kind: 'limitConnections', database: 'template1', connectionLimit: 3 }],
        'make "poor" a member of its owner',
      ],
    ] as const)('%s: %j', async (rights, changes, missing) => {
      const own = server()
      await own.byHand(`DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'poor') THEN
          CREATE ROLE poor LOGIN CREATEDB PASSWORD 'poor'; CREATE ROLE stranger;
        END IF; END $$`)
      await own.byHand('CREATE DATABASE poor_db OWNER poor').catch(() => undefined)
      await own.byHand(`ALTER ROLE poor NOCREATEROLE CREATEDB; ALTER ROLE poor ${rights}`)
      const at = engineHere().at(own.access({ username: 'poor', password: 'poor' }))
      await expect(at.change(changes)).rejects.toMatchObject({
        code: 'InsufficientPrivilege',
        remedy: 'stop',
        retryAfterMs: 600_000,
        sqlState: '42501',
        message: expect.stringMatching(new RegExp(`; missing: ${missing}$`)),
      })
    })

    it('to end the sessions of another role', async () => {
      const own = server()
      await own.byHand("CREATE ROLE powerless LOGIN PASSWORD 'poor'; CREATE ROLE other_user LOGIN PASSWORD 'other'")
      const login = { user: 'other_user', password: 'other' }
      const sleeping = own.byHand('SELECT pg_sleep(60)', login).catch((error: unknown) => error)
      const powerless = engineHere().at(own.access({ username: 'powerless', password: 'poor' }))
      const isThere = async () => (await powerless.sessions({ role: 'other_user' })).length === 1
      await waitUntil({ what: 'somebody else' }, isThere)
      await expect(powerless.terminate({ role: 'other_user' })).rejects.toMatchObject({
        code: 'InsufficientPrivilege',
        message: expect.stringContaining('missing: GRANT pg_signal_backend TO "powerless"'),
      })
      expect(await engineHere().at(own.access()).terminate({ role: 'other_user' })).toBe(1)
      expect(await sleeping).toMatchObject({ code: '57P01' })
    })

    it('to create a database', async () => {
      const own = server()
      await own.byHand("CREATE ROLE poorer LOGIN PASSWORD 'poor'")
      const at = engineHere().at(own.access({ username: 'poorer', password: 'poor' }))
      await expect(at.createDatabase({ name: 'x', owner: 'poorer', token })).rejects.toMatchObject({
        message: expect.stringContaining('missing: ALTER ROLE "poorer" CREATEDB'),
      })
    })
  })
})

onEachPostgres('TLS', (_, version) => {
  it('is the expected result, or an error with the reason', async () => {
    const tls = await startPostgres({ version, tlsFor: ['db.example'] })
    const dial = { host: '127.0.0.1', port: tls.port }
    const ca = tls.certificate ?? ''
    const { certificate: stranger } = certifiedKey(['db.example'])
    const here = engineHere()
    const asked = (changes: Parameters<typeof tls.access>[0]) =>
      here.at(tls.access({ host: 'db.example', dial, tls: 'verify-full', ca, ...changes })).observe({})
    expect((await asked({})).server.majorVersion).toBe(version)
    expect((await asked({ tls: 'verify-ca', host: 'other.example' })).server.majorVersion).toBe(version)
    expect((await asked({ tls: 'require', ca: stranger })).server.majorVersion).toBe(version)
    const inUse =
      "SELECT count(*)::int AS n FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND application_name LIKE 'konverge/%'"
    expect(await tls.byHand(inUse)).toEqual([{ n: 3 }])
    const refusal = { code: 'TLSVerifyFailed', remedy: 'stop', retryAfterMs: 300_000 }
    await expect(asked({ host: 'other.example' })).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining("is not in the cert's altnames"),
    })
    await expect(asked({ ca: stranger })).rejects.toMatchObject(refusal)
    const { ca: _, ...withoutAuthority } = tls.access({ host: 'db.example', dial, tls: 'verify-full' })
    await expect(here.at(withoutAuthority).observe({})).rejects.toMatchObject(refusal)
    await expect(asked({ host: '127.0.0.1' })).rejects.toMatchObject(refusal)
    const byAddress = await startPostgres({ version, tlsFor: ['127.0.0.1'] })
    const { certificate = '' } = byAddress
    const whole = here.at(byAddress.access({ tls: 'verify-full', ca: certificate }))
    expect((await whole.observe({})).server.majorVersion).toBe(version)
    const plain = await startPostgres({ version })
    await expect(here.at(plain.access({ tls: 'verify-full' })).observe({})).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('the server does not offer TLS'),
    })
    expect(here.calls.some(({ counts }) => counts)).toBe(false)
  })
})

// Environment of a suite of attempts: one API server, operator and PostgreSQL, a victim's resources, and attackers
// whose rights the servers enforce. Invariant: after each attempt the victim's objects, roles and databases are as
// before, and the attacker's namespace exposes none of its secrets.
import { expect } from 'vitest'
import { orderDigest } from '../../src/controllers/migration/worker-order.ts'
import type { Condition } from '../../src/index.ts'
import { applySetId } from '../../src/synth/membership.ts'
import type { ApiAnswer } from '../control-plane/api-request.ts'
import { Hand, type LiveJson } from '../e2e/hand.ts'
import { kindOf } from '../e2e/story-kinds.ts'
import type { StoryOperator, StoryRequest, StoryServer } from '../e2e/story-server.ts'
import { type KindPath, NamespaceReader, namespacedKinds } from '../fault-lab/namespace-reader.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'
import { SqlProxy } from '../postgres/sql-proxy.ts'
import type { Attempt } from './attempt.ts'
import { conditionOf } from './attempt.ts'
import { Credentials, makeAttackerAccounts } from './credentials.ts'
import { Intruder } from './intruder.ts'
import {
  attackerNamespace,
  objectsOf,
  powersOf,
  readyResources,
  rolesOf,
  secretsOf,
  victimNamespace,
  victimResources,
  victimSpecs,
  workOn,
} from './victim.ts'

const apiVersion = 'data.konverge.dev/v1alpha1'
/** Real milliseconds for server responses before the simulated time advances, and limits of waits by simulated time. */
const [patienceMs, soonMs, lastingLimitMs] = [10, 5_000, 60_000]

interface Login {
  readonly user: string
  readonly password: string
}

/** A Migration whose worker may start. */
interface Order {
  readonly outcome: 'Ordered'
  /** Name of its ConfigMap. */
  readonly name: string
  readonly text: string
  readonly digest: string
}

interface Rejected {
  readonly outcome: 'Rejected'
  readonly message: string
}

export interface StageAsk {
  readonly server: StoryServer
  readonly postgres: PostgresServer
}

export class AdversaryStage {
  readonly server: StoryServer
  readonly postgres: PostgresServer
  readonly tenant: Intruder
  readonly editor: Intruder
  /** Client of the administrator of the victim's namespace. */
  readonly victim: Hand
  /** Responses of PostgreSQL to the attacker during the attempt: rows, or the message of its error. */
  said: unknown[] = []
  /** Report of the last Migration that a worker executed. */
  report: unknown
  readonly #proxy: SqlProxy
  readonly #intruders: readonly Intruder[]
  #credentials: Credentials | undefined
  #operator: StoryOperator | undefined
  #kinds: readonly KindPath[] = []
  #known: readonly string[] = []
  #before: { readonly objects: Record<string, string>; readonly powers: readonly object[] } | undefined
  #secrets: readonly string[] = []
  #rounds = 0
  #writesBefore = 0
  #linesRead = 0
  #requestsBefore = 0

  private constructor({ server, postgres }: StageAsk, proxy: SqlProxy) {
    this.server = server
    this.postgres = postgres
    this.#proxy = proxy
    this.victim = new Hand(server, victimNamespace)
    this.tenant = new Intruder(server, { namespace: attackerNamespace, name: 'tenant' })
    this.editor = new Intruder(server, { namespace: attackerNamespace, name: 'editor' })
    this.#intruders = [this.tenant, this.editor]
  }

  static async start(ask: StageAsk): Promise<AdversaryStage> {
    const stage = new AdversaryStage(ask, await SqlProxy.start(ask.postgres.access()))
    try {
      await stage.#begin()
      return stage
    } catch (thrown) {
      await stage.stop()
      throw thrown
    }
  }

  async stop(): Promise<void> {
    await this.#operator?.stop()
    await this.server.stop()
    await this.#proxy.stop()
  }

  get operator(): StoryOperator {
    if (this.#operator === undefined) throw new Error('the operator has not been started yet')
    return this.#operator
  }

  /** Responses to both intruders during the attempt. */
  get answers(): readonly ApiAnswer[] {
    return this.#intruders.flatMap(({ answers }) => answers)
  }

  /** Runs one attempt, checks its outcome, and checks that the victim is unchanged. */
  async run({ act, outcome }: Attempt, name: string): Promise<void> {
    this.said = []
    this.report = undefined
    for (const intruder of this.#intruders) intruder.answers = []
    try {
      await act(this, name)
      await outcome.check(this, name)
      // After a rejection there is nothing to reconcile; otherwise every resource reconciles before the check.
      if (outcome.isRefusal !== true) await this.settle()
      await this.#attackersSettle(outcome.reasons ?? [])
      await this.expectUnharmed()
    } finally {
      await this.#tidy()
    }
  }

  /** Expects objects, privileges and secrets of the victim as before the attempt. */
  async expectUnharmed(): Promise<void> {
    const before = this.#before
    // Damage counts against the attempt that caused it, and against no later one.
    this.#before = await this.#look()
    expect(this.#before.objects).toEqual(before?.objects)
    expect(this.#before.powers).toEqual(before?.powers)
    await this.#expectNoSecrets()
  }

  /** Lets the operator reconcile every resource of the victim again, and waits until those that can be are Ready. */
  async settle(): Promise<void> {
    const token = `round-${++this.#rounds}`
    for (const { kind, name } of victimResources)
      await this.victim.annotate(kind, name, { 'konverge.dev/reconcile-now': token })
    let late = ''
    await this.until(
      () => `${late} to be reconciled`,
      async () => {
        for (const { kind, name } of victimResources) {
          late = `${kind}/${name}`
          const found = await this.victim.find(kind, name)
          const { lastHandledReconcileAt } = (found?.status ?? {}) as { readonly lastHandledReconcileAt?: string } // All five kinds.
          if (lastHandledReconcileAt !== token) return false
          const isReady = conditionOf(found, 'Ready')?.status === 'True'
          if (!isReady && readyResources.some((one) => one.kind === kind && one.name === name)) return false
        }
        return true
      },
    )
  }

  /**
   * Waits until `isSo`, while PostgreSQL responds: first in short steps, then in longer ones for waits with a limit.
   */
  async until(what: string | (() => string), isSo: () => Promise<boolean>, limitMs = lastingLimitMs): Promise<void> {
    const endMs = performance.now() + lastingLimitMs
    const asks = async () => (await isSo()) || (await this.#serversAnswer(endMs))
    const soon = this.server.until({ what: 'it', limitMs: soonMs, everyMs: 50 }, asks)
    try {
      await soon.catch(() => this.server.until({ what: 'it', limitMs, everyMs: 1_000 }, asks))
    } catch (cause) {
      throw new Error(`Waited ${limitMs / 1_000} s for ${typeof what === 'string' ? what : what()}.`, { cause })
    }
  }

  /** Runs one statement as `owner`, `writer`, `plain`, or as a user whose Secret is in the attacker's namespace. */
  async sql(who: string, text: string, database = 'shared'): Promise<void> {
    const { user, password } = await this.login(who)
    const answer = this.postgres.byHand(text, { user, password, database })
    this.said.push(await answer.catch((thrown: Error) => thrown.message))
  }

  async login(who: string): Promise<Login> {
    const known = this.credentials.find(who)
    if (known !== undefined) return { user: known.username, password: known.password }
    const secret = await this.editor.peek('secret', `${who}-db`)
    const value = (key: string) => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString()
    return { user: value('username'), password: value('password') }
  }

  /** Creates a Migration of the attacker's database `mine` with this step, and executes it like its pod. */
  async migrate(name: string, sql: string, more: object = {}): Promise<void> {
    const order = await this.orderOf(name, [{ name: 'only', sql, ...more }])
    const access = this.postgres.access(this.credentials.of('tenant_admin'))
    this.report = order.outcome === 'Ordered' ? await workOn(order.text, access) : order
  }

  /**
   * Creates a Migration of the attacker's database `mine`; returns its order, or the reason why the review rejects a
   * step. The Migration stays suspended: with simulated pods its Jobs would end repeatedly without a report.
   */
  async orderOf(name: string, steps: readonly object[]): Promise<Order | Rejected> {
    await this.tenant.create('mig', name, { spec: { databaseRef: { name: 'mine' }, suspend: true, steps } })
    this.tenant.created.pop()
    let found: LiveJson | undefined
    let status: unknown
    let rejection: Condition | undefined
    await this.until(
      () => `the order of Migration ${name}: ${JSON.stringify(status)}`,
      async () => {
        const migration = await this.editor.peek('mig', name)
        status = migration?.status
        if ((status as { readonly phase?: string } | undefined)?.phase === 'Failed') {
          rejection = conditionOf(migration, 'Ready')
          return rejection !== undefined
        }
        const orders = await this.attackers.list('configmap')
        found = orders.find((map) => map.metadata.name.startsWith(`${name}-`))
        return found?.data?.['order.json'] !== undefined
      },
    )
    const text = found?.data?.['order.json']
    if (text === undefined) return { outcome: 'Rejected', message: `${rejection?.reason}: ${rejection?.message}` }
    return { outcome: 'Ordered', name: found?.metadata.name ?? '', text, digest: orderDigest(text) }
  }

  /** Creates a resource of the victim while `during` runs, then deletes it and waits until it no longer exists. */
  async forVictim(kind: string, name: string, spec: object, during: () => Promise<void>): Promise<void> {
    await this.victim.apply({ apiVersion, kind, metadata: { name }, spec })
    try {
      await during()
    } finally {
      await this.victim.delete(kind, name)
    }
    await this.until(`${kind} ${name} to be gone`, async () => (await this.victim.find(kind, name)) === undefined)
    await this.until('its claims to be gone', async () => {
      const claims = (await this.victim.list('pvc')).filter((claim) => claim.metadata.name.includes(name))
      for (const claim of claims) await this.victim.delete('pvc', claim.metadata.name)
      const names = [...(await this.victim.list('service')), ...(await this.victim.list('secret'))]
      return claims.length === 0 && !names.some(({ metadata }) => metadata.name.startsWith(name))
    })
  }

  /** Migrates the shared database for the victim; a worker acts like its pod. */
  async victimMigrates(name: string): Promise<void> {
    const steps = [{ name: 'only', sql: `CREATE TABLE made_by_${name} (a int)` }]
    await this.forVictim('Migration', name, { databaseRef: { name: 'shared' }, steps }, async () => {
      this.report = await this.#workForVictim(name)
    })
  }

  /** Expects that a Migration of the victim is Ready=False for this reason, and that no worker starts. */
  async victimMigrationStops(name: string, reason: string): Promise<void> {
    const steps = [{ name: 'only', sql: `CREATE TABLE made_by_${name} (a int)` }]
    await this.forVictim('Migration', name, { databaseRef: { name: 'shared' }, steps }, async () => {
      const isSo = async () => conditionOf(await this.victim.find('mig', name), 'Ready')?.reason === reason
      await this.until(`the Migration ${name} of the victim to be ${reason}`, isSo)
    })
  }

  /** Lets the operator reconcile this resource of the victim again; waits until it is Ready. */
  async victimReconciles(kind: string, name: string, token: string): Promise<void> {
    await this.victim.annotate(kind, name, { 'konverge.dev/reconcile-now': token })
    await this.until(`${kind}/${name} to be reconciled`, async () => {
      const { status } = (await this.victim.find(kind, name)) ?? {}
      const { lastHandledReconcileAt } = (status ?? {}) as { readonly lastHandledReconcileAt?: string } // All five kinds.
      return lastHandledReconcileAt === token && (await this.victimReady(kind, name))
    })
  }

  async victimReady(kind: string, name: string): Promise<boolean> {
    return conditionOf(await this.victim.find(kind, name), 'Ready')?.status === 'True'
  }

  /** Returns the operator's writes in the victim's namespace since the first attempt, without status and Events. */
  async strayWrites(): Promise<readonly string[]> {
    const writes = (await this.server.operatorWrites(victimNamespace)).slice(this.#writesBefore)
    const isStray = ({ subresource, resource }: StoryRequest) => subresource !== 'status' && resource !== 'events'
    // Objects that the victim creates and deletes during an attempt have such a name.
    const isPassing = ({ path }: StoryRequest) => /\/(data-)?x\d+\b/.test(path)
    return writes
      .filter((write) => isStray(write) && !isPassing(write))
      .map(({ verb, path, code }) => `${code} ${verb} ${path}`)
  }

  /** Returns the controller reference to a resource of the victim; anyone who knows the uid can write it. */
  async ownerReference(kind: string, name: string): Promise<object> {
    const found = await this.victim.find(kind, name)
    const { kind: named } = kindOf(kind)
    return { apiVersion, kind: named, name, uid: found?.metadata.uid, controller: true, blockOwnerDeletion: true }
  }

  /** Returns the ApplySet id of a resource of the victim; anyone can compute it. */
  setIdOf(kind: string, name: string): string {
    return applySetId({ apiVersion, kind, metadata: { name, namespace: victimNamespace } })
  }

  async isReady(kind: string, name: string): Promise<boolean> {
    return conditionOf(await this.editor.peek(kind, name), 'Ready')?.status === 'True'
  }

  /** Starts the count for `expectRequestsBelow`. */
  async countingRequests(act: () => Promise<unknown>): Promise<void> {
    this.#requestsBefore = (await this.server.requests()).length
    await act()
  }

  async expectRequestsBelow(limit: number): Promise<void> {
    await this.settle()
    expect((await this.server.requests()).length - this.#requestsBefore).toBeLessThan(limit)
  }

  /** Waits for the StatefulSet of the attacker's store; expects `isSo` for its pod spec. */
  async expectPods(store: string, isSo: (spec: Readonly<Record<string, unknown>>) => boolean): Promise<void> {
    let spec: Readonly<Record<string, unknown>> | undefined
    await this.until(`StatefulSet ${store}`, async () => {
      const found = await this.editor.peek('statefulset', store)
      const { template } = (found?.spec ?? {}) as { readonly template?: { readonly spec: typeof spec } } // apps/v1.
      spec = template?.spec
      return spec !== undefined
    })
    expect(spec).toSatisfy((one: Readonly<Record<string, unknown>>) => isSo(one))
  }

  /** Client of an administrator for the attacker's namespace. */
  get attackers(): Hand {
    return new Hand(this.server, attackerNamespace)
  }

  /** Credentials of the roles that the fixture created. */
  get credentials(): Credentials {
    if (this.#credentials === undefined) throw new Error('the roles have not been made yet')
    return this.#credentials
  }

  async #begin(): Promise<void> {
    const namespaces = [victimNamespace, attackerNamespace]
    for (const name of namespaces) await this.server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    this.#credentials = await Credentials.make(this.postgres, this.#proxy.port)
    await makeAttackerAccounts(this.server, this.attackers)
    await this.#credentials.makeSecrets(this.victim, this.attackers)
    this.#operator = await this.server.startOperator()
    for (const { kind, name, spec } of victimSpecs)
      await this.victim.apply({ apiVersion, kind, metadata: { name }, spec })
    await this.#makeOwn()
    await this.#migratedVictim()
    await this.settle()
    await this.#ownReady()
    this.#kinds = await namespacedKinds(this.server)
    this.#known = await rolesOf(this.postgres)
    this.#before = await this.#look()
    this.#writesBefore = (await this.server.operatorWrites(victimNamespace)).length
    this.#secrets = await secretsOf(new NamespaceReader(this.server, victimNamespace))
  }

  /** Creates what the attackers own: a Database, and logins on the shared Database, which admits them. */
  async #makeOwn(): Promise<void> {
    const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }
    await this.tenant.create('db', 'mine', { spec: { provider } })
    const small = { server: { connectionSecretRef: { name: 'limited' }, sslMode: 'disable' } }
    await this.tenant.create('db', 'small', { spec: { provider: small } })
    for (const [name, access] of [
      ['owner', 'Owner'],
      ['writer', 'ReadWrite'],
    ]) {
      const databases = [{ name: 'shared', namespace: victimNamespace, access }]
      await this.tenant.create('dbu', name ?? '', { spec: { databases } })
    }
    for (const intruder of this.#intruders) intruder.created.length = 0
  }

  async #ownReady(): Promise<void> {
    const own = { mine: 'db', small: 'db', owner: 'dbu', writer: 'dbu' }
    for (const [name, kind] of Object.entries(own))
      await this.until(`${name} to be Ready`, () => this.isReady(kind, name))
  }

  async #workForVictim(name: string): Promise<{ readonly outcome: string }> {
    let text: string | undefined
    await this.until(`the order of the victim’s Migration ${name}`, async () => {
      const orders = await this.victim.list('configmap')
      text = orders.find(({ metadata }) => metadata.name.startsWith(`${name}-`))?.data?.['order.json']
      return text !== undefined
    })
    return await workOn(text ?? '', this.postgres.access(this.credentials.of('victim_admin')))
  }

  async #migratedVictim(): Promise<void> {
    expect(await this.#workForVictim('orders-v1')).toMatchObject({ outcome: 'Completed' })
    await this.until('the victim’s Migration to be completed', async () => {
      const { phase } = ((await this.victim.find('mig', 'orders-v1'))?.status ?? {}) as { readonly phase?: string } // A Migration.
      return phase === 'Completed'
    })
  }

  /** Waits until each remaining resource of the attacker is Ready, or is not for one of these reasons. */
  async #attackersSettle(reasons: readonly string[]): Promise<void> {
    for (const path of new Set(this.#intruders.flatMap(({ created }) => created))) {
      if (!path.includes('/data.konverge.dev/')) continue
      let found: unknown
      const isSettled = async () => {
        const { status, text } = await this.server.request({ method: 'GET', path })
        if (status === 404) return true
        const ready = conditionOf(JSON.parse(text) as LiveJson, 'Ready') // One of the five kinds.
        found = ready
        return ready?.status === 'True' || (ready?.status === 'False' && reasons.includes(ready.reason))
      }
      const wanted = ['Ready', ...reasons].join(' or ')
      await this.until(() => `${path} to be ${wanted}, not ${JSON.stringify(found)}`, isSettled)
    }
  }

  async #look() {
    const reader = new NamespaceReader(this.server, victimNamespace)
    const [objects, powers] = await Promise.all([objectsOf(reader, this.#kinds), powersOf(this.postgres, this.#known)])
    return { objects, powers }
  }

  /**
   * Searches the victim's secrets, raw and encoded, in all that the editor can list and in the operator's new log
   * lines.
   */
  async #expectNoSecrets(): Promise<void> {
    const { lines } = this.operator
    const seen = `${await this.editor.everything()}${JSON.stringify(lines.slice(this.#linesRead))}`
    this.#linesRead = lines.length
    const isSeen = (secret: string) => seen.includes(secret) || seen.includes(Buffer.from(secret).toString('base64'))
    expect(this.#secrets.filter(isSeen)).toEqual([])
  }

  /** Deletes the objects of the attempt and all Events, without waiting. */
  async #tidy(): Promise<void> {
    const created = this.#intruders.flatMap((intruder) => intruder.created.splice(0))
    const events = `/api/v1/namespaces/${attackerNamespace}/events`
    for (const path of [...created, events]) await this.server.request({ method: 'DELETE', path })
  }

  /** Waits in real time while the simulated clock stops, so that PostgreSQL responds; ends at `endMs` at the latest. */
  async #serversAnswer(endMs: number): Promise<false> {
    const startMs = performance.now()
    const isOver = () =>
      performance.now() > endMs || (performance.now() - startMs > patienceMs && !this.#proxy.isServerAtWork)
    while (!isOver()) await new Promise((resolve) => setImmediate(resolve))
    return false
  }
}

// One API server, one operator and one PostgreSQL for all attempts of a suite, with a victim's resources on it and attackers whose rights
// the servers enforce. Invariant: after each attempt the victim's objects, roles and databases are as before, and none of its secrets
// can be read from the attacker's namespace.
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
/** Real milliseconds in which servers may answer before the cluster's time moves on, and limits of waits by that time. */
const [patienceMs, soonMs, lastingLimitMs] = [10, 5_000, 60_000]

interface Login {
  readonly user: string
  readonly password: string
}

/** A Migration that a worker may begin. */
interface Order {
  readonly outcome: 'Ordered'
  /** Of its ConfigMap. */
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
  /** The administrator of the victim's namespace. */
  readonly victim: Hand
  /** What PostgreSQL answered to the attacker since the attempt began: rows, or the message of its error. */
  said: unknown[] = []
  /** Of the last Migration that was worked on. */
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

  /** Answers to both intruders, of the attempt. */
  get answers(): readonly ApiAnswer[] {
    return this.#intruders.flatMap(({ answers }) => answers)
  }

  /** One attempt: the act, its outcome, and that the victim is as before. */
  async run({ act, outcome }: Attempt, name: string): Promise<void> {
    this.said = []
    this.report = undefined
    for (const intruder of this.#intruders) intruder.answers = []
    try {
      await act(this, name)
      await outcome.check(this, name)
      // Where a server refused, there is nothing to reconcile; else a full round of it comes before the look.
      if (outcome.isRefusal !== true) await this.settle()
      await this.#attackersSettle(outcome.reasons ?? [])
      await this.expectUnharmed()
    } finally {
      await this.#tidy()
    }
  }

  /** Objects, powers and secrets of the victim are as before the attempt. */
  async expectUnharmed(): Promise<void> {
    const before = this.#before
    // A harm counts against the attempt that did it, and against no later one.
    this.#before = await this.#look()
    expect(this.#before.objects).toEqual(before?.objects)
    expect(this.#before.powers).toEqual(before?.powers)
    await this.#expectNoSecrets()
  }

  /** Has the operator reconcile every resource of the victim once more, and waits until all that can be are Ready. */
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
          const { lastHandledReconcileAt } = (found?.status ?? {}) as { readonly lastHandledReconcileAt?: string } // Of all five.
          if (lastHandledReconcileAt !== token) return false
          const isReady = conditionOf(found, 'Ready')?.status === 'True'
          if (!isReady && readyResources.some((one) => one.kind === kind && one.name === name)) return false
        }
        return true
      },
    )
  }

  /** Lets time pass, and PostgreSQL answer, until it is so: in small steps at first, in larger ones for what waits for a limit. */
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

  /** One statement of somebody who logs in: `owner`, `writer`, `plain`, or who has a Secret in the attacker's namespace. */
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

  /** Makes a Migration of the attacker's database `mine` with this step, and works on it as its pod would. */
  async migrate(name: string, sql: string, more: object = {}): Promise<void> {
    const order = await this.orderOf(name, [{ name: 'only', sql, ...more }])
    const access = this.postgres.access(this.credentials.of('tenant_admin'))
    this.report = order.outcome === 'Ordered' ? await workOn(order.text, access) : order
  }

  /**
   * Makes a Migration of the attacker's database `mine`, and gives its order, or why the operator's review rejects a step. The
   * Migration is suspended and stays so: where pods only seem to run, its Jobs would end without a report, again and again.
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

  /** A resource of the victim for as long as `during` takes; then it is deleted, and gone within the limit. */
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

  /** The victim migrates the shared database, by a worker as its pod would be. */
  async victimMigrates(name: string): Promise<void> {
    const steps = [{ name: 'only', sql: `CREATE TABLE made_by_${name} (a int)` }]
    await this.forVictim('Migration', name, { databaseRef: { name: 'shared' }, steps }, async () => {
      this.report = await this.#workForVictim(name)
    })
  }

  /** The Migration of the victim is held back for this reason, and no worker begins. */
  async victimMigrationStops(name: string, reason: string): Promise<void> {
    const steps = [{ name: 'only', sql: `CREATE TABLE made_by_${name} (a int)` }]
    await this.forVictim('Migration', name, { databaseRef: { name: 'shared' }, steps }, async () => {
      const isSo = async () => conditionOf(await this.victim.find('mig', name), 'Ready')?.reason === reason
      await this.until(`the Migration ${name} of the victim to be ${reason}`, isSo)
    })
  }

  /** The operator reconciles this resource of the victim once more, and it is Ready. */
  async victimReconciles(kind: string, name: string, token: string): Promise<void> {
    await this.victim.annotate(kind, name, { 'konverge.dev/reconcile-now': token })
    await this.until(`${kind}/${name} to be reconciled`, async () => {
      const { status } = (await this.victim.find(kind, name)) ?? {}
      const { lastHandledReconcileAt } = (status ?? {}) as { readonly lastHandledReconcileAt?: string } // Of all five.
      return lastHandledReconcileAt === token && (await this.victimReady(kind, name))
    })
  }

  async victimReady(kind: string, name: string): Promise<boolean> {
    return conditionOf(await this.victim.find(kind, name), 'Ready')?.status === 'True'
  }

  /** Writes of the operator in the victim's namespace since the attempts began, but those of states and Events. */
  async strayWrites(): Promise<readonly string[]> {
    const writes = (await this.server.operatorWrites(victimNamespace)).slice(this.#writesBefore)
    const isStray = ({ subresource, resource }: StoryRequest) => subresource !== 'status' && resource !== 'events'
    // What the victim makes and deletes during an attempt has such a name.
    const isPassing = ({ path }: StoryRequest) => /\/(data-)?x\d+\b/.test(path)
    return writes
      .filter((write) => isStray(write) && !isPassing(write))
      .map(({ verb, path, code }) => `${code} ${verb} ${path}`)
  }

  /** The controller reference to a resource of the victim, as anyone may write it who knows its uid. */
  async ownerReference(kind: string, name: string): Promise<object> {
    const found = await this.victim.find(kind, name)
    const { kind: named } = kindOf(kind)
    return { apiVersion, kind: named, name, uid: found?.metadata.uid, controller: true, blockOwnerDeletion: true }
  }

  /** The ApplySet id of a resource of the victim, which anyone may compute. */
  setIdOf(kind: string, name: string): string {
    return applySetId({ apiVersion, kind, metadata: { name, namespace: victimNamespace } })
  }

  async isReady(kind: string, name: string): Promise<boolean> {
    return conditionOf(await this.editor.peek(kind, name), 'Ready')?.status === 'True'
  }

  /** From here on `expectRequestsBelow` counts. */
  async countingRequests(act: () => Promise<unknown>): Promise<void> {
    this.#requestsBefore = (await this.server.requests()).length
    await act()
  }

  async expectRequestsBelow(limit: number): Promise<void> {
    await this.settle()
    expect((await this.server.requests()).length - this.#requestsBefore).toBeLessThan(limit)
  }

  /** Waits for the StatefulSet of a store of the attacker's, whose pods must be so. */
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

  /** An administrator who looks at the attacker's namespace. */
  get attackers(): Hand {
    return new Hand(this.server, attackerNamespace)
  }

  /** Of the roles that the fixture has made. */
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

  /** What the attackers have by right: a Database, and logins on the one that they were let into. */
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
      const { phase } = ((await this.victim.find('mig', 'orders-v1'))?.status ?? {}) as { readonly phase?: string } // Its own.
      return phase === 'Completed'
    })
  }

  /** Each resource that the attacker has left is Ready, or is not for one of these reasons. */
  async #attackersSettle(reasons: readonly string[]): Promise<void> {
    for (const path of new Set(this.#intruders.flatMap(({ created }) => created))) {
      if (!path.includes('/data.konverge.dev/')) continue
      let found: unknown
      const isSettled = async () => {
        const { status, text } = await this.server.request({ method: 'GET', path })
        if (status === 404) return true
        const ready = conditionOf(JSON.parse(text) as LiveJson, 'Ready') // A resource of the five kinds.
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

  /** Neither raw nor encoded, in all that the editor may list, nor in what the operator has logged since the last attempt. */
  async #expectNoSecrets(): Promise<void> {
    const { lines } = this.operator
    const seen = `${await this.editor.everything()}${JSON.stringify(lines.slice(this.#linesRead))}`
    this.#linesRead = lines.length
    const isSeen = (secret: string) => seen.includes(secret) || seen.includes(Buffer.from(secret).toString('base64'))
    expect(this.#secrets.filter(isSeen)).toEqual([])
  }

  /** Removes what the attempt made, Events included, and waits for nothing. */
  async #tidy(): Promise<void> {
    const created = this.#intruders.flatMap((intruder) => intruder.created.splice(0))
    const events = `/api/v1/namespaces/${attackerNamespace}/events`
    for (const path of [...created, events]) await this.server.request({ method: 'DELETE', path })
  }

  /** The time of the server in this process is nobody else's: while it stands still, PostgreSQL answers, and its answer arrives. Ends at `endMs` at the latest. */
  async #serversAnswer(endMs: number): Promise<false> {
    const startMs = performance.now()
    const isOver = () =>
      performance.now() > endMs || (performance.now() - startMs > patienceMs && !this.#proxy.isServerAtWork)
    while (!isOver()) await new Promise((resolve) => setImmediate(resolve))
    return false
  }
}

// Controller of DatabaseUser: its Databases, its Secret and its roles. It uses only the runtime's public API, like any
// other operator's controller. Invariant: a password is in the Secret before any server receives it.
import { ApiObject, type Chart } from 'cdk8s'
import { Database } from '../../../imports/wire/database.ts'
import { DatabaseUser, type DatabaseUserSpec, type DatabaseUserStatus } from '../../../imports/wire/database-user.ts'
import {
  type Controller,
  childNamed,
  type DesiredContext,
  defineController,
  type ExternalTools,
  hold,
  isAbandoned,
  isOf,
  type LiveObject,
  type LiveReader,
  Namespace,
  type ObserveContext,
  reportOf,
  Secret,
  Service,
  valueAt,
} from '../../index.ts'
import { loadConnection } from '../database/connection-loader.ts'
import { withoutLineEnd } from '../database/secret-text.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import { isScramVerifier, passwordProblem, scramVerifier, verifierMatches } from '../engines/postgres/scram.ts'
import { labelledSecrets, type ReferencePolicy, secretRejection } from '../references/reference-policy.ts'
import { abandonmentOf } from './abandonment.ts'
import { type BindingTarget, bindingManifest, bindingSecretType, heldIn, isUntouched } from './binding-secret.ts'
import type { DatabaseUserFacts } from './database-user-facts.ts'
import { databaseUserStatus } from './database-user-status.ts'
import { groupRoleOf, loginRolesOf } from './login-roles.ts'
import { drawPassword } from './password.ts'
import { passwordRule, type Supplied } from './password-rule.ts'
import { pausedConditions } from './paused-conditions.ts'
import { type Held, type Mint, type Remembered, rotate } from './rotation.ts'
import { reservedKeyProblem, sizeProblem } from './secret-problem.ts'
import { lastExpiryMs } from './user-due.ts'
import { isShutOut, roleName, userRole } from './user-role.ts'
import {
  type DatabaseObject,
  type Found,
  type Problem,
  problemOf,
  rejectionOf,
  type TargetInput,
  targetOf,
  type UserTarget,
} from './user-target.ts'

type Observing = ObserveContext<DatabaseUserSpec, DatabaseUserStatus>

/** Index of users by the Databases in their spec, as `namespace/name`. */
const byDatabase = 'database'
/** Index of users by the Secret that supplies the password, and by the name of their own Secret. */
const bySecret = 'secret'
/** Index of users by their own namespace, if they use a Database of another one, which may select labels. */
const byGuestNamespace = 'guestNamespace'

export interface DatabaseUserOptions {
  /** The operator's rules for references in a spec. */
  readonly policy?: ReferencePolicy | undefined
}

export function databaseUser(
  engineFor: (tools: ExternalTools) => DatabaseEngine,
  { policy = labelledSecrets }: DatabaseUserOptions = {},
): Controller {
  const role = userRole(engineFor)
  return defineController(DatabaseUser, {
    owns: [{ resource: Secret, statusMatters: false }],
    reads: [Service],
    external: [role],
    indexes: {
      [byDatabase]: ({ metadata, spec }) =>
        spec.databases.map(({ namespace = metadata.namespace, name }) => `${namespace}/${name}`),
      [bySecret]: ({ metadata, spec }) =>
        [
          secretNameOf({ metadata, spec }),
          ...(spec.password?.secretRef === undefined ? [] : [spec.password.secretRef.name]),
        ].map((name) => `${metadata.namespace}/${name}`),
      [byGuestNamespace]: ({ metadata: { namespace }, spec }) =>
        namespace !== undefined && spec.databases.some((entry) => isElsewhere(entry, namespace)) ? [namespace] : [],
    },
    watches: [
      {
        resource: Database,
        keysFor: ({ metadata }, lookup) => lookup(byDatabase, `${metadata.namespace}/${metadata.name}`),
        digest: databaseDigest,
      },
      {
        resource: Secret,
        metadataOnly: true,
        keysFor: ({ metadata }, lookup) => lookup(bySecret, `${metadata.namespace}/${metadata.name}`),
      },
      {
        resource: Namespace,
        keysFor: ({ metadata }, lookup) => lookup(byGuestNamespace, metadata.name),
        digest: ({ metadata }) => ({ ...metadata.labels }),
        keep: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
      },
    ],
    isSuspended: ({ spec }) => spec.suspend === true,
    observe: async (context) => {
      const report = reportOf(role, context.externals)
      const seen = report?.observed
      const proven = seen === undefined ? context.object.status?.secretHash : seen.provenHash
      const expiryMs = lastExpiryMs(seen, context.nowMs)
      return {
        ...(await observe(context, proven, policy)),
        ...(expiryMs === undefined ? {} : { lastExpiryMs: expiryMs }),
      }
    },
    observePaused: async ({ object, live }) =>
      pausedConditions(object, rejectionOf(await loadInput(object, live, await listDatabases(object, live)))),
    validate: (context) => {
      const { problem } = context.facts
      return problem?.kind === 'refused' && !isShutOut(context) ? problem : undefined
    },
    desired,
    status: (context) => databaseUserStatus(context, reportOf(role, context.externals)),
  })
}

function secretNameOf({ metadata, spec }: Pick<Observing['object'], 'metadata' | 'spec'>): string {
  return spec.secret.name ?? `${metadata.name}-db`
}

function isElsewhere({ namespace }: DatabaseUserSpec['databases'][number], home: string | undefined): boolean {
  return namespace !== undefined && namespace !== home
}

/** Returns a digest of the Database's fields that a user depends on. */
function databaseDigest(database: LiveObject) {
  const { provider, databaseName, allowedNamespaces } = (database as DatabaseObject).spec // A Database.
  const { phase, identity, upgrade, conditions = [] } = (database as DatabaseObject).status ?? {}
  const told = conditions
    .filter(({ type }) => type === 'Ready')
    .map(({ status, reason, message }) => [status, reason, message])
  const isGoing = database.metadata.deletionTimestamp !== undefined
  return JSON.stringify([provider, databaseName, allowedNamespaces, phase, identity, upgrade?.state, told, isGoing])
}

function desired(chart: Chart, { object, facts }: DesiredContext<DatabaseUserSpec, DatabaseUserFacts>): void {
  const { problem, target, held, trouble } = facts
  const { password, secret } = object.spec
  if (password?.disabled === true) return
  const base = { apiVersion: 'v1', kind: 'Secret', type: bindingSecretType }
  const name = secretNameOf(object)
  if (problem !== undefined || target === undefined || held === undefined) {
    const why = problem?.message ?? trouble?.message ?? 'there is no password yet'
    hold(new ApiObject(chart, 'secret', { ...base, metadata: { name } }), { sentence: why })
    return
  }
  const { labels, annotations, data } = bindingManifest({ ...secret, target: bindingTarget(target), held })
  new ApiObject(chart, 'secret', { ...base, metadata: { name, labels, annotations }, data })
}

function bindingTarget({ access: { host, port, tls, ca }, databases }: UserTarget): BindingTarget {
  const names = databases.map(({ name }) => name)
  return { host, port, sslMode: tls, databases: names, ...(ca === undefined ? {} : { ca }) }
}

async function observe(
  context: Observing,
  proven: string | undefined,
  policy: ReferencePolicy,
): Promise<DatabaseUserFacts> {
  const { object, live, nowMs } = context
  const { spec } = object
  const found = await findDatabases(object, live, policy)
  const input = await loadInput(object, live, found)
  const secret = await findSecret(context)
  const problem = secret.conflict ?? problemOf(input) ?? reservedKeyProblem(spec.secret)
  const target = targetOf(input)
  const stored = secret.held
  const supplied = await findSupplied(object, live, policy)
  const known = {
    ...(problem === undefined ? {} : { problem }),
    ...(target === undefined ? {} : { target }),
    ...(supplied.trouble === undefined ? {} : { trouble: supplied.trouble }),
    ...(proven === undefined ? {} : { provenHash: proven }),
    ...(isAbandoned(object) ? { abandonment: abandonmentOf({ object, found, recordName: roleName }) } : {}),
  }
  // While a problem blocks the roles, the password does not change.
  const unchanged = { ...known, ...(stored === undefined ? {} : { held: stored }), isRemade: false }
  if (problem !== undefined) return unchanged
  const remembered = rememberedOf(object)
  const rule = passwordRule(spec, supplied)
  const held = rotate({
    group: groupRoleOf(object),
    rule,
    held: stored,
    remembered,
    provenHash: proven,
    nowMs,
    mint: mintOf(context),
  })
  if (target !== undefined && held !== undefined) {
    const tooLarge = sizeProblem(secretNameOf(object), { ...spec.secret, target: bindingTarget(target), held })
    if (tooLarge !== undefined) return { ...unchanged, problem: tooLarge }
  }
  const isRemade = stored === undefined && held !== undefined && remembered.generation > 0
  return { ...known, ...(held === undefined ? {} : { held }), isRemade }
}

/** Reads the labels of the user's namespace only if the consent of a Database depends on them. */
async function loadInput(
  { metadata: { namespace }, spec }: Observing['object'],
  live: LiveReader,
  found: readonly Found[],
): Promise<TargetInput> {
  const asksLabels = found.some(
    ({ entry, database }) => isElsewhere(entry, namespace) && database?.spec.allowedNamespaces?.selector,
  )
  const home = asksLabels && namespace !== undefined ? await live.find(Namespace, { name: namespace }) : undefined
  const namespaceLabels = home === undefined ? undefined : (home.metadata.labels ?? {})
  return { userNamespace: namespace, spec, found, namespaceLabels }
}

/** Returns the Databases in the order of the spec, from the cache. */
async function listDatabases(
  { metadata, spec }: Observing['object'],
  live: LiveReader,
): Promise<readonly (Found & { readonly connection: undefined })[]> {
  return await Promise.all(
    spec.databases.map(async (entry) => {
      const { namespace = metadata.namespace, name } = entry
      const database = await live.find(Database, { namespace, name })
      // The CRD requires a spec.
      return { entry, database: database as DatabaseObject | undefined, connection: undefined }
    }),
  )
}

/** Loads connections in the order of the spec until one is known. All Databases of a user are on one server. */
async function findDatabases(
  object: Observing['object'],
  live: LiveReader,
  policy: ReferencePolicy,
): Promise<readonly Found[]> {
  const found: Found[] = []
  for (const { entry, database } of await listDatabases(object, live)) {
    const isKnown = found.some(({ connection }) => connection?.kind === 'known')
    const connection = database === undefined || isKnown ? undefined : await loadConnection(database, { live, policy })
    found.push({ entry, database, connection })
  }
  return found
}

/**
 * Returns what an earlier reconcile stored, under the current name of the Secret or the previous one. The children may
 * be stale, so an absent Secret is looked up again.
 */
async function findSecret({
  object,
  children,
  live,
}: Observing): Promise<{ readonly held?: Held | undefined; readonly conflict?: Problem }> {
  const { kind, metadata } = object
  const name = secretNameOf(object)
  const known = childNamed({ object, children }, Secret, name) ?? children.find((child) => isOf(Secret, child))
  if (known !== undefined) return { held: heldWhole(known) }
  const found = await live.find(Secret, { namespace: metadata.namespace, name })
  if (found === undefined) return {}
  if (found.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true)
    return { held: heldWhole(found) }
  // With the adopt annotation the apply takes the Secret over and replaces its content.
  if (found.metadata.annotations?.[adoptAnnotation] === `${kind}/${metadata.name}`) return {}
  const message =
    `Secret ${name} is there and is not this DatabaseUser's; delete it, choose another spec.secret.name, ` +
    `or hand it over with the annotation ${adoptAnnotation}: ${kind}/${metadata.name}`
  return { conflict: { kind: 'refused', reason: 'NameConflict', message } }
}

const adoptAnnotation = 'konverge.dev/adopt'

/** Treats a credential that was changed by hand as lost if its password and verifier do not match. */
function heldWhole(secret: LiveObject): Held | undefined {
  const held = heldIn(secret)
  if (held === undefined || isUntouched(secret)) return held
  const isWhole = ({ password, verifier }: Held['active']) =>
    password === undefined ? isScramVerifier(verifier) : verifierMatches(verifier, password)
  const { next, ...rest } = held
  if (!isWhole(held.active)) return undefined
  return next === undefined || isWhole(next) ? held : rest
}

async function findSupplied(
  { metadata: { namespace }, spec }: Observing['object'],
  live: LiveReader,
  policy: ReferencePolicy,
): Promise<Supplied> {
  const source = spec.password?.secretRef
  if (source === undefined) return {}
  const { name, key } = source
  const secret = await live.find(Secret, { namespace, name })
  const rejection = secret && secretRejection(secret, 'DatabaseUser', policy)
  if (rejection !== undefined) return { trouble: rejection }
  const encoded = secret === undefined ? undefined : valueAt(secret, 'data', key)
  if (typeof encoded !== 'string') {
    const what = secret === undefined ? `there is no Secret ${name}` : `Secret ${name} has no key ${key}`
    return { trouble: { reason: 'SourceMissing', message: `${what}, which spec.password.secretRef names` } }
  }
  const value = withoutLineEnd(Buffer.from(encoded, 'base64').toString('utf8'))
  const trouble = isScramVerifier(value) ? undefined : passwordProblem(value)
  if (trouble === undefined) return { value }
  return {
    trouble: { reason: 'InvalidPassword', message: `the password in Secret ${name} cannot be used: ${trouble}` },
  }
}

/** Returns the facts in the status about credentials that the Secret has lost. */
function rememberedOf(object: Observing['object']): Remembered {
  const { loginRoles = [], passwordGeneration: generation = 0 } = object.status ?? {}
  const [first] = loginRolesOf(groupRoleOf(object))
  const ending = loginRoles.find(({ active, validUntil }) => active !== true && validUntil !== undefined)
  return {
    username: loginRoles.find(({ active }) => active === true)?.name ?? first,
    generation,
    ...(ending === undefined
      ? {}
      : { previous: { username: ending.name, untilMs: Date.parse(ending.validUntil ?? '') } }),
  }
}

function mintOf({ secrets }: Observing): Mint {
  return {
    password: (shape) => drawPassword(secrets, shape),
    verifierOf: (password) => scramVerifier({ password, salt: secrets.bytes(16) }),
    isVerifier: isScramVerifier,
  }
}

// Logins of the server of a stage, and the accounts and connection Secrets of victim and attackers.
import { consentLabel } from '../../src/controllers/references/reference-policy.ts'
import type { ApiRequest } from '../control-plane/api-request.ts'
import { grant, makeAccount } from '../e2e/grants.ts'
import type { Hand } from '../e2e/hand.ts'
import type { StoryServer } from '../e2e/story-server.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'
import { attackers } from './attacker.ts'
import type { ObjectParts } from './intruder.ts'
import { attackerNamespace, encoded, secretValue } from './victim.ts'

type Data = Readonly<Record<string, string>>

/**
 * Attributes of the fixture's roles. The attacker's namespace has a superuser, and a role with the fewest attributes
 * for an operator.
 */
const roles: Data = {
  victim_admin: 'SUPERUSER',
  tenant_admin: 'SUPERUSER',
  limited: 'CREATEDB CREATEROLE',
  plain: '',
}

export class Credentials {
  readonly #port: number
  readonly #passwords: ReadonlyMap<string, string>

  private constructor(port: number, passwords: ReadonlyMap<string, string>) {
    this.#port = port
    this.#passwords = passwords
  }

  /** Creates the roles. `port`: port in the Secrets. */
  static async make(postgres: PostgresServer, port: number): Promise<Credentials> {
    const passwords = new Map<string, string>()
    for (const [user, attributes] of Object.entries(roles)) {
      const password = user === 'victim_admin' ? secretValue() : `own-${user}-password`
      await postgres.byHand(`CREATE ROLE ${user} LOGIN ${attributes} PASSWORD '${password}'`)
      passwords.set(user, password)
    }
    return new Credentials(port, passwords)
  }

  find(username: string): { readonly username: string; readonly password: string } | undefined {
    const password = this.#passwords.get(username)
    return password === undefined ? undefined : { username, password }
  }

  of(username: string): { readonly username: string; readonly password: string } {
    const found = this.find(username)
    if (found === undefined) throw new Error(`the fixture makes no role ${username}`)
    return found
  }

  /** Returns the data of a connection Secret. */
  data(username: string, changes: Data = {}): Data {
    return encoded({ host: '127.0.0.1', port: String(this.#port), ...this.of(username), ...changes })
  }

  /**
   * Returns the parts of a connection Secret with the usage label for Databases; the operator reads no Secret without
   * it.
   */
  opened(username: string, changes: Data = {}): ObjectParts {
    return { metadata: { labels: { [consentLabel('Database')]: 'true' } }, data: this.data(username, changes) }
  }

  async makeSecrets(victim: Hand, attacker: Hand): Promise<void> {
    const labels = { [consentLabel('Database')]: 'true' }
    const secret = (name: string, data: object, opened = {}) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels: opened },
      data,
    })
    await victim.create(secret('postgres-admin', this.data('victim_admin'), labels))
    await victim.create(secret('api-keys', encoded({ token: secretValue() })))
    await attacker.create(secret('server', this.data('tenant_admin'), labels))
    await attacker.create(secret('limited', this.data('limited'), labels))
  }
}

/** Creates the accounts of attackers with rights on the API server; resolves when the server grants them. */
export async function makeAttackerAccounts(server: StoryServer, administrator: Hand): Promise<void> {
  for (const name of ['tenant', 'editor'] as const) {
    const account = { namespace: attackerNamespace, name }
    await makeAccount(administrator, account)
    await grant(administrator, account, attackers[name].rules ?? [], attackerNamespace)
    const isIn = async () => (await server.requestAs(account, listOfDatabases)).status === 200
    await server.until({ what: `the rights of ${name}` }, isIn)
  }
}

const listOfDatabases: ApiRequest = {
  method: 'GET',
  path: `/apis/data.konverge.dev/v1alpha1/namespaces/${attackerNamespace}/databases`,
}

// Source of a replication on PostgreSQL: one statement or transaction for each call.
import type { Token } from '../../../../index.ts'
import type { StatementServer } from '../../engine.ts'
import type { LogPosition } from '../../log-position.ts'
import type { Publisher, PublisherFacts, ReplicationEnd, SequencePosition, TableName } from '../../replication.ts'
import { publisherFacts } from './replication-answers.ts'
import { partName, temporarySlot } from './replication-names.ts'
import { endSenders, milestone, publisherQuestion } from './replication-questions.ts'
import { readSequencePositions } from './sequence-positions-client.ts'
import { dropSlot, endHolder } from './slot-statements.ts'

export class PublisherClient implements Publisher {
  readonly #server: StatementServer
  readonly #of: ReplicationEnd
  readonly #name: string

  constructor(server: StatementServer, of: ReplicationEnd) {
    this.#server = server
    this.#of = of
    this.#name = partName(of.id)
  }

  async observe(): Promise<PublisherFacts> {
    const { database } = this.#of
    const rows = await this.#server.query({ text: publisherQuestion, values: [this.#name], database, isLook: true })
    return publisherFacts(String(rows[0]?.['answer']))
  }

  async admit(verifier: string): Promise<void> {
    const { database, token } = this.#of
    const role = this.#name
    const { login } = await this.observe()
    await (login === undefined
      ? this.#server.change([{ kind: 'createReplicator', role, database, token, verifier }], { database })
      : this.#server.change([{ kind: 'alterRole', role, attributes: { canLogin: true, verifier } }]))
  }

  async publish(tables: readonly TableName[]): Promise<void> {
    const { database, token } = this.#of
    await this.#server.change([{ kind: 'createPublication', publication: this.#name, tables, token }], { database })
  }

  async milestone(): Promise<LogPosition> {
    const { database } = this.#of
    const rows = await this.#server.query({ text: milestone, values: [this.#name], database })
    return String(rows[0]?.['position'])
  }

  async sequencePositions(): Promise<readonly SequencePosition[]> {
    return readSequencePositions(this.#server, this.#of.database)
  }

  /** Skips objects with the operator's names but without its ownership marker. */
  async remove(): Promise<void> {
    const { database } = this.#of
    const role = this.#name
    const { login, publication } = await this.observe()
    if (!this.#isFreeOrOurs(login) || !this.#isFreeOrOurs(publication)) return
    // The login is disabled first, so that no WAL sender reconnects while its slot is dropped.
    if (login !== undefined) {
      await this.#server.change([{ kind: 'alterRole', role, attributes: { canLogin: false } }])
      await this.#run(endSenders, [role])
    }
    // Terminates a session that is creating the slot.
    await this.#run(endHolder, [temporarySlot(this.#name)])
    await this.#run(dropSlot, [this.#name])
    const changes = [
      ...(publication === undefined ? [] : [{ kind: 'dropPublication', publication: this.#name } as const]),
      ...(login === undefined ? [] : [{ kind: 'dropReplicator', role, database } as const]),
    ]
    await this.#server.change(changes, { database })
  }

  async #run(text: string, values: readonly string[]): Promise<void> {
    await this.#server.query({ text, values, database: this.#of.database })
  }

  #isFreeOrOurs(part: { readonly token: Token | undefined } | undefined): boolean {
    return part === undefined || part.token?.uid === this.#of.token.uid
  }
}

// Target of a replication on PostgreSQL: one statement or transaction for each call.
import type { StatementServer } from '../../engine.ts'
import type {
  PublisherAddress,
  ReplicationEnd,
  SequencePosition,
  SequenceState,
  Subscriber,
  SubscriberFacts,
} from '../../replication.ts'
import { connectionString } from './connection-string.ts'
import { subscriberFacts } from './replication-answers.ts'
import { partName } from './replication-names.ts'
import { raiseSequences, setSequences, subscriberQuestion } from './replication-questions.ts'

export interface SubscriberOptions extends ReplicationEnd {
  /** Name of the source's database. */
  readonly sourceDatabase: string
  /** Major version of the target's server. */
  readonly majorVersion: number
}

export class SubscriberClient implements Subscriber {
  readonly #server: StatementServer
  readonly #options: SubscriberOptions
  readonly #name: string

  constructor(server: StatementServer, options: SubscriberOptions) {
    this.#server = server
    this.#options = options
    this.#name = partName(options.id)
  }

  async observe(): Promise<SubscriberFacts> {
    const { database } = this.#options
    const rows = await this.#server.query({ text: subscriberQuestion, values: [this.#name], database, isLook: true })
    return subscriberFacts(String(rows[0]?.['answer']))
  }

  async subscribe(source: PublisherAddress): Promise<void> {
    const { database, token } = this.#options
    const name = this.#name
    const connection = this.#connectionTo(source)
    const parts = { subscription: name, publication: name, slot: name }
    await this.#server.change([{ kind: 'createSubscription', ...parts, connection, token }], { database })
  }

  async redirect(source: PublisherAddress): Promise<void> {
    const change = { subscription: this.#name, connection: this.#connectionTo(source) }
    await this.#server.change([{ kind: 'redirectSubscription', ...change }], { database: this.#options.database })
  }

  #connectionTo(source: PublisherAddress): string {
    const { sourceDatabase: database, majorVersion } = this.#options
    return connectionString({ source, database, username: this.#name, majorVersion })
  }

  async raiseSequences(sequences: readonly SequenceState[]): Promise<void> {
    const used = sequences.filter(({ lastValue }) => lastValue !== null)
    const values = [JSON.stringify(used)]
    await this.#server.query({ text: raiseSequences, values, database: this.#options.database })
  }

  async setSequences(positions: readonly SequencePosition[]): Promise<void> {
    if (positions.length === 0) return
    const values = [JSON.stringify(positions), this.#name]
    await this.#server.query({ text: setSequences, values, database: this.#options.database })
  }

  /** Skips a subscription with the operator's name but without its ownership marker. */
  async remove(): Promise<void> {
    const { database, token } = this.#options
    const { subscription } = await this.observe()
    if (subscription === undefined || subscription.token?.uid !== token.uid) return
    await this.#server.change([{ kind: 'dropSubscription', subscription: this.#name }], { database })
  }
}

// Clients of the AWS SDK, one for each access. The SDK is loaded at the first use of RDS, because it is large and most
// operators do not need it. It does not retry, because the runtime decides about retries. Answers are bounded in size
// and time.
import type { RDS } from '@aws-sdk/client-rds'
import type { ExternalTools } from '../../../index.ts'
import { answerStep, boundAnswers, usualAnswers } from '../../stores/answer-watcher.ts'
import type { AwsAccess } from './instance.ts'
import { RdsError } from './rds-failure.ts'

type Sdk = typeof import('@aws-sdk/client-rds')

interface Known {
  readonly client: RDS
  uses: number
}

export interface RdsClientLoaderOptions {
  /** Address to call instead of AWS's, for tests. */
  readonly endpoint?: string | undefined
  /** Default: from the package @aws-sdk/client-rds. */
  readonly loadSdk?: (() => Promise<Sdk>) | undefined
}

const connectLimitMs = 5_000
const answerLimitMs = 30_000
/** Each rotation of credentials creates a client. The least recently used one is dropped. */
const mostClients = 32

export class RdsClientLoader {
  readonly #endpoint: string | undefined
  readonly #loadSdk: () => Promise<Sdk>
  readonly #clients = new Map<string, Known>()

  readonly #clock: ExternalTools['clock']

  constructor({ endpoint, loadSdk }: RdsClientLoaderOptions, clock: ExternalTools['clock']) {
    this.#clock = clock
    this.#endpoint = endpoint
    this.#loadSdk = loadSdk ?? (() => import('@aws-sdk/client-rds'))
  }

  /** Runs the work with the client of this access. The client is not dropped before the work is done. */
  async use<T>(access: AwsAccess, work: (client: RDS) => Promise<T>): Promise<T> {
    const known = this.#knownFor(await this.#sdk(), access)
    known.uses++
    try {
      return await work(known.client)
    } finally {
      known.uses--
      this.#dropOldest()
    }
  }

  close(): void {
    for (const { client } of this.#clients.values()) client.destroy()
    this.#clients.clear()
  }

  #knownFor(sdk: Sdk, access: AwsAccess): Known {
    const key = JSON.stringify(access)
    const known = this.#clients.get(key) ?? { client: this.#clientOf(sdk, access), uses: 0 }
    this.#clients.delete(key)
    this.#clients.set(key, known)
    return known
  }

  /**
   * Clients in use stay, because destroying one would end calls of another namespace. They are at most as many as
   * concurrent reconciliations.
   */
  #dropOldest(): void {
    for (const [oldest, { client, uses }] of this.#clients) {
      if (this.#clients.size <= mostClients) return
      if (uses > 0) continue
      this.#clients.delete(oldest)
      client.destroy()
    }
  }

  /** Node caches loaded modules. */
  async #sdk(): Promise<Sdk> {
    try {
      return await this.#loadSdk()
    } catch {
      const message =
        'provider.rds needs the AWS SDK, which is not installed with the operator: npm install @aws-sdk/client-rds@3'
      throw new RdsError({ code: 'SdkMissing', message, remedy: 'stop', retryAfterMs: 10 * 60_000 })
    }
  }

  #clientOf({ RDS }: Sdk, { region, credentials }: AwsAccess): RDS {
    const client = new RDS({
      region,
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: connectLimitMs,
        requestTimeout: answerLimitMs,
        throwOnRequestTimeout: true,
      },
      ...(credentials.kind === 'keys' ? { credentials: { ...credentials } } : {}),
      ...(this.#endpoint === undefined ? {} : { endpoint: this.#endpoint }),
    })
    const limits = { ...usualAnswers, limitMs: answerLimitMs, clock: this.#clock, isDownload: () => false }
    client.middlewareStack.add(boundAnswers(limits), answerStep)
    return client
  }
}

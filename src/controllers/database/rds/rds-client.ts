// Calls Amazon RDS, one request for each call, through an endpoint for each region and namespace. Its breaker stops
// calls to an unreachable region, and throttling of one namespace does not affect others. Errors are reported without
// secrets that the operator sent.
import type { RDS } from '@aws-sdk/client-rds'
import type { ExternalTools } from '../../../index.ts'
import type { AwsAccess, AwsCredentials } from './instance.ts'
import { RdsClientLoader, type RdsClientLoaderOptions } from './rds-client-loader.ts'
import { isAboutPlace, isNotFound, type RdsError, rdsFailure } from './rds-failure.ts'

export interface RdsCaller {
  /** Namespace for which it calls. */
  readonly namespace: string
  readonly access: AwsAccess
  /** Other secrets to remove from messages. */
  readonly secrets: readonly string[]
  readonly signal: AbortSignal
}

export type RdsSend<T> = (client: RDS, options: { readonly abortSignal: AbortSignal }) => Promise<T>

export class RdsClient {
  readonly #tools: ExternalTools
  readonly #clients: RdsClientLoader

  constructor(tools: ExternalTools, options: RdsClientLoaderOptions) {
    this.#tools = tools
    this.#clients = new RdsClientLoader(options, tools.clock)
    tools.atStop(async () => this.#clients.close())
  }

  /** Rejects with an RdsError. */
  async call<T>(operation: string, caller: RdsCaller, send: RdsSend<T>): Promise<T> {
    return await this.#clients.use(caller.access, (client) => this.#callBy(client, operation, caller, send))
  }

  async #callBy<T>(client: RDS, operation: string, caller: RdsCaller, send: RdsSend<T>): Promise<T> {
    const { namespace, access, secrets, signal } = caller
    const { region, credentials } = access
    const hidden = [...secrets, ...secretsIn(credentials)]
    const run = async (abortSignal: AbortSignal): Promise<{ value: T } | { failure: RdsError }> => {
      try {
        return { value: await send(client, { abortSignal }) }
      } catch (thrown) {
        abortSignal.throwIfAborted()
        const failure = rdsFailure(thrown, { operation, region, secrets: hidden })
        if (isAboutPlace(failure)) throw failure
        return { failure }
      }
    }
    const answer = await this.#tools.endpoint(`rds/${region}`, namespace).call(operation, run, signal)
    if ('failure' in answer) throw answer.failure
    return answer.value
  }
}

/** Ignores NotFound, and throws any other error. */
export function ignoreNotFound(thrown: unknown): undefined {
  if (!isNotFound(thrown)) throw thrown
}

function secretsIn(credentials: AwsCredentials): readonly string[] {
  return credentials.kind === 'ambient' ? [] : [credentials.secretAccessKey, credentials.sessionToken ?? '']
}

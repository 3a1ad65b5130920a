// Attribution of a failure to subscribe. The target contacts the source meanwhile. Its error about that connection does
// not mean that the target itself is unreachable. Pure.
import { EngineError } from '../../engine-error.ts'
import { asEngineError, failureOf } from '../failure.ts'

export function subscriptionError(
  thrown: unknown,
  { subscriber, admin }: { readonly subscriber: string; readonly admin: string },
): EngineError {
  const { code = '', message, isFromServer } = failureOf(thrown)
  if (isFromServer && (code.startsWith('08') || message.startsWith('could not connect to the publisher'))) {
    return new EngineError({
      code: 'StatementFailed',
      message: `the target ${subscriber} does not reach the source: ${code} ${message}`,
      remedy: 'retry',
      sqlState: code,
    })
  }
  return asEngineError(thrown, { attempt: `subscribe on ${subscriber}`, admin })
}

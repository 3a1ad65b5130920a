// Form of a worker's report: one line of JSON that fits into a termination message, without secrets. Pure.
import { CodedError } from '../../index.ts'

/**
 * Limit in bytes. The kubelet truncates longer messages, which are then no JSON. Source:
 * pod.spec.containers.terminationMessagePath.
 */
export const reportLimit = 4_096

/** Returns the report as JSON, with a shortened message if it is too long. */
export function reportText<Report extends { readonly message?: string }>(report: Report): string {
  const { message = '' } = report
  const whole = JSON.stringify(report)
  if (Buffer.byteLength(whole) <= reportLimit) return whole
  for (let length = Math.min(message.length, reportLimit); ; length = Math.floor(length * 0.9)) {
    // A cut may leave half of a surrogate pair, which is no character.
    const text = JSON.stringify({ ...report, message: `${message.slice(0, length).toWellFormed()}…` })
    if (Buffer.byteLength(text) <= reportLimit || length === 0) return text
  }
}

/** Omits the text of an error that is no CodedError, because its content is unknown. */
export function reportOfError(error: unknown) {
  if (!(error instanceof CodedError)) {
    return { outcome: 'Interrupted', reason: 'InternalError', message: 'the worker failed; its log says more' } as const
  }
  const outcome = error.remedy === 'stop' ? 'Stopped' : 'Interrupted'
  return { outcome, reason: error.code, message: error.message } as const
}

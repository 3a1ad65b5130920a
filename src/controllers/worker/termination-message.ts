// In which form does a worker say how it ended? One line of JSON that fits into a termination message, without secrets. Pure.
import { CodedError } from '../../index.ts'

/** Bytes. What is longer a kubelet cuts off, and then it is no JSON any more. Source: pod.spec.containers.terminationMessagePath. */
export const reportLimit = 4_096

/** The message gives way where it is too long. */
export function reportText<Report extends { readonly message?: string }>(report: Report): string {
  const { message = '' } = report
  const whole = JSON.stringify(report)
  if (Buffer.byteLength(whole) <= reportLimit) return whole
  for (let length = Math.min(message.length, reportLimit); ; length = Math.floor(length * 0.9)) {
    // What a cut leaves of a pair of surrogates is no character.
    const text = JSON.stringify({ ...report, message: `${message.slice(0, length).toWellFormed()}…` })
    if (Buffer.byteLength(text) <= reportLimit || length === 0) return text
  }
}

/** Of what is no CodedError nothing is told: nobody knows what is in it. */
export function reportOfError(error: unknown) {
  if (!(error instanceof CodedError)) {
    return { outcome: 'Interrupted', reason: 'InternalError', message: 'the worker failed; its log says more' } as const
  }
  const outcome = error.remedy === 'stop' ? 'Stopped' : 'Interrupted'
  return { outcome, reason: error.code, message: error.message } as const
}

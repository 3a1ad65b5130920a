// Parser of completion indexes such as `1,3-5,7`, the form in a Job's status, as strict as the server's.
// Source: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go.
import { goQuoted } from '../field-error.ts'

interface Interval {
  readonly first: number
  readonly last: number
}

/** Returns the number of indexes in the text, or its fault. `completions` is the number of all indexes. */
export function countIndexes(text: string, completions: number): number | { readonly fault: string } {
  if (text === '') return 0
  let count = 0
  let previous: number | undefined
  for (const part of text.split(',')) {
    const interval = intervalOf(part, completions)
    if ('fault' in interval) return interval
    if (previous !== undefined && previous >= interval.first) return notIncreasing(previous, interval.first)
    count += interval.last - interval.first + 1
    previous = interval.last
  }
  return count
}

/** Returns the first index that both texts contain; unreadable parts contain none. */
export function commonIndex(completed: string, failed: string, completions: number): number | undefined {
  const completedIntervals = readableIntervals(completed, completions)
  const failedIntervals = readableIntervals(failed, completions)
  let [atCompleted, atFailed] = [0, 0]
  for (;;) {
    const left = completedIntervals[atCompleted]
    const right = failedIntervals[atFailed]
    if (left === undefined || right === undefined) return undefined
    if (left.first <= right.last && right.first <= left.last) return Math.max(left.first, right.first)
    if (left.first <= right.first) atCompleted++
    else atFailed++
  }
}

function readableIntervals(text: string, completions: number): readonly Interval[] {
  if (text === '') return []
  return text.split(',').flatMap((part) => {
    const interval = intervalOf(part, completions)
    return 'fault' in interval ? [] : [interval]
  })
}

function intervalOf(text: string, completions: number): Interval | { readonly fault: string } {
  const limits = text.split('-')
  if (limits.length > 2)
    return {
      fault: `the fragment ${goQuoted(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    }
  const indexes: number[] = []
  for (const limit of limits) {
    if (!/^\+?[0-9]+$/.test(limit) || Number(limit) >= 2 ** 63)
      return { fault: `cannot convert string to integer for index: ${goQuoted(limit)}` }
    if (Number(limit) >= completions) return { fault: `too large index: ${goQuoted(limit)}` }
    indexes.push(Number(limit))
  }
  const [first = 0, last = first] = indexes
  return limits.length > 1 && first >= last ? notIncreasing(first, last) : { first, last }
}

function notIncreasing(previous: number, current: number): { readonly fault: string } {
  return { fault: `non-increasing order, previous: ${previous}, current: ${current}` }
}

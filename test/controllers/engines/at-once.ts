// Runs sliced work without pauses, for tests of its outcome.
import type { SlicedWork } from '../../../src/controllers/engines/slice-runner.ts'

export function atOnce<T>(work: SlicedWork<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}

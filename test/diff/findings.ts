// Text of the findings of a comparison, for tests.
import { isAppliedHash } from '../../src/diff/applied-hash.ts'
import type { Comparison } from '../../src/diff/compare.ts'
import { renderPath } from '../../src/diff/field-path.ts'

/** Returns the differing paths, without that of the hash. */
export function findings(comparison: Comparison): string[] {
  if (comparison.kind === 'unowned') return ['unowned']
  if (comparison.kind === 'equal') return []
  return comparison.changes.filter(({ path }) => !isAppliedHash(path)).map(({ path }) => renderPath(path))
}

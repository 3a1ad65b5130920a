// What a comparison found, as text that a test can list.
import { isAppliedHash } from '../../src/diff/applied-hash.ts'
import type { Comparison } from '../../src/diff/compare.ts'
import { renderPath } from '../../src/diff/field-path.ts'

/** The paths that differ, without that of the hash. */
export function findings(comparison: Comparison): string[] {
  if (comparison.kind === 'unowned') return ['unowned']
  if (comparison.kind === 'equal') return []
  return comparison.changes.filter(({ path }) => !isAppliedHash(path)).map(({ path }) => renderPath(path))
}

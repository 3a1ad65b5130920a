// What a comparison found, as text that a test can list.
import type { Comparison } from '../../src/diff/compare.ts'
import { renderPath } from '../../src/diff/field-path.ts'

/** The paths that differ, or that a value owned as one has gained. */
export function findings(comparison: Comparison): string[] {
  if (comparison.kind === 'unowned') return ['unowned']
  const paths = comparison.kind === 'equal' ? comparison.gained : comparison.changes.map(({ path }) => path)
  return paths.map(renderPath)
}

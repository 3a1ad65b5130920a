// Builds the oracles once before their tests; a build of unchanged sources comes from a cache outside the checkout.
import type { TestProject } from 'vitest/node'
import { findOrBuildProgram } from '../control-plane/binary-builder.ts'

export async function setup({ provide }: TestProject): Promise<void> {
  provide('oracles', await findOrBuildProgram('oracles', process.env))
}

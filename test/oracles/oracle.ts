// Client of the oracles: asks the program that the project's setup has built many questions at once, for one oracle.
import { inject } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import { askProgram, type OracleAnswer } from './program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the program, built by vitest-global-setup.ts. */
    readonly oracles: string
  }
}

/**
 * Returns all answers in the order of the questions. An oracle that fails on a question answers with an error.
 *
 * @example const [answer] = await ask('quantity', ['1024Mi'])   // { value: '1Gi' }
 */
export function ask(oracle: string, questions: readonly Json[]): Promise<OracleAnswer[]> {
  return askProgram(inject('oracles'), oracle, questions)
}

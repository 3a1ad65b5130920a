// What would the control plane's own function answer? Asks the program that the project's set-up has built many questions
// at once, with one oracle's name.
import { inject } from 'vitest'
import type { Json } from '../../src/base/json.ts'
import { askProgram, type OracleAnswer } from './program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The program that answers, built by vitest-global-setup.ts. */
    readonly oracles: string
  }
}

/**
 * All answers, in the order of the questions. An oracle that fails on a question answers with an error.
 *
 * @example const [answer] = await ask('quantity', ['1024Mi'])   // { value: '1Gi' }
 */
export function ask(oracle: string, questions: readonly Json[]): Promise<OracleAnswer[]> {
  return askProgram(inject('oracles'), oracle, questions)
}

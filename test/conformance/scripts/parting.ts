// How is it told that two servers part? The request, what each side says where they differ, and the script as JSON, which
// goes into regressions/ as it is.
import { isJsonList, isJsonObject, type Json } from '../../../src/base/json.ts'
import type { Script } from './script.ts'

/** A step to which the two sides say different things. */
export interface Difference {
  readonly step: number
  readonly left: Json
  readonly right: Json
}

export interface Parting {
  readonly script: Script
  readonly difference: Difference
}

export function partingText({ script, difference: { step, left, right } }: Parting): string {
  const lines = differences('', left, right).map(([path, one, other]) => `  ${path}\n    ${one}\n    ${other}`)
  return [
    `step ${step + 1} of ${script.steps.length}, ${script.family}: ${JSON.stringify(script.steps[step])}`,
    ...lines.slice(0, 8),
    JSON.stringify(script),
  ].join('\n')
}

/** Each path where two values differ, with what stands there. */
function differences(path: string, left: Json | undefined, right: Json | undefined): [string, string, string][] {
  if (isJsonObject(left) && isJsonObject(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])]
    return keys.flatMap((key) => differences(`${path}.${key}`, left[key], right[key]))
  }
  if (isJsonList(left) && isJsonList(right) && left.length === right.length)
    return left.flatMap((item, index) => differences(`${path}[${index}]`, item, right[index]))
  const [one, other] = [JSON.stringify(left) ?? 'nothing', JSON.stringify(right) ?? 'nothing']
  return one === other ? [] : [[path, one, other]]
}

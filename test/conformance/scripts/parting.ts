// Report of a difference between two servers: the request, both responses where they differ, and the script as JSON,
// ready for
// regressions/.
import { isJsonList, isJsonObject, type Json } from '../../../src/base/json.ts'
import type { Script } from './script.ts'

/** A step with different responses. */
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

/** Returns each path where two values differ, with both values. */
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

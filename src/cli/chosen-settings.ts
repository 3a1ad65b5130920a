// Settings of an operator. Its program derives them from the flags and the environment.
import type { ControllerSettings, OperatorCliOptions, OperatorSettings } from './program.ts'

export async function chosenSettings(
  { operator = {} }: Pick<OperatorCliOptions, 'operator'>,
  settings: ControllerSettings,
): Promise<OperatorSettings> {
  return typeof operator === 'function' ? await operator(settings) : operator
}

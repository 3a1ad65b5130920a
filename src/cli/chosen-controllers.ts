// Selection of the controllers of a command: all of the program, or those that --controllers names.
import type { Controller } from '../index.ts'
import type { KubeObject } from '../object/object.ts'
import { groupKindOf, isOf } from '../object/resource.ts'
import { CommandError } from './command-error.ts'
import type { ControllerSettings, OperatorCliOptions } from './program.ts'

export interface ControllerChoice extends ControllerSettings {
  /** Plurals (`websites`) or kinds, in any case; empty: all. */
  readonly names?: readonly string[] | undefined
}

/**
 * Returns each chosen controller once, in the order of the names. Rejects with a CommandError of exit code 2 for an
 * unknown name.
 */
export async function chosenControllers(
  { controllers }: Pick<OperatorCliOptions, 'controllers'>,
  { names = [], ...settings }: ControllerChoice,
): Promise<readonly Controller[]> {
  const all = typeof controllers === 'function' ? await controllers(settings) : controllers
  if (names.length === 0) return all
  const chosen = names.flatMap((name) => {
    const found = all.filter(({ resource: { plural, kind } }) =>
      [plural, kind.toLowerCase()].includes(name.toLowerCase()),
    )
    if (found.length > 0) return found
    const known = [...new Set(all.map(({ resource }) => resource.plural))].join(', ')
    throw new CommandError(`--controllers: there is no controller '${name}'; choose from ${known}`, 2)
  })
  return [...new Set(chosen)]
}

/**
 * Returns the controllers of an object from a file, usually one. Throws a CommandError of exit code 2 that names the
 * file if there is none.
 */
export function controllersOf(
  object: KubeObject,
  { file, controllers }: { readonly file: string; readonly controllers: readonly Controller[] },
): readonly [Controller, ...Controller[]] {
  const [first, ...others] = controllers.filter(({ resource }) => isOf(resource, object))
  if (first !== undefined) return [first, ...others]
  const kinds = [...new Set(controllers.map(({ resource }) => resource.kind))].join(', ')
  throw new CommandError(`${file}: there is no controller for ${groupKindOf(object)}; there is one for ${kinds}`, 2)
}

// Show of `dev` for any operator: its controllers and samples on a control plane in this process, with simulated pods.
import { isJsonList, isJsonObject, type Json } from '../../base/json.ts'
import { type Controller, type KubeObject, valueAt } from '../../index.ts'
import { groupResourceOf } from '../../object/resource.ts'
import { chosenControllers } from '../chosen-controllers.ts'
import { chosenSettings } from '../chosen-settings.ts'
import { definitionOf, loadDefinitions } from '../definition-loader.ts'
import { loadFolder } from '../manifest-loader.ts'
import { type FlagValues, type OperatorCliOptions, userAgentOf } from '../program.ts'
import { type EmbeddedStageOptions, startEmbeddedStage } from './embedded-stage.ts'
import type { Play } from './play.ts'
import type { ListedResource, ShownKind } from './resource-table.ts'

export interface PlainPlayOptions extends EmbeddedStageOptions {
  readonly program: OperatorCliOptions
  readonly flags: FlagValues
  readonly environment: Readonly<Record<string, string | undefined>>
}

const nodes = 3

export async function plainPlay(options: PlainPlayOptions, signal: AbortSignal): Promise<Play> {
  const { program } = options
  const controllers = await chosenControllers(program, options)
  const settings = await chosenSettings(program, options)
  // Sound: loadDefinitions returns only objects with apiVersion and kind; the API server asks for the rest.
  const definitions = (await loadDefinitions(program, signal)) as unknown as readonly KubeObject[]
  return {
    kinds: shownKindsOf(controllers, definitions),
    start: async () => ({
      stage: await startEmbeddedStage(options, {
        title: 'the embedded control plane runs; its pods only seem to run',
        nodes: { kind: 'simulated', nodes },
        groundwork: [],
        operator: { name: program.name, userAgent: userAgentOf(program), controllers, settings },
      }),
      loadSamples: async (signal) => {
        const objects = program.samples === undefined ? [] : await loadFolder(program.samples, signal)
        // Sound: as above.
        return objects.filter(({ kind }) => kind !== 'CustomResourceDefinition') as unknown as readonly KubeObject[]
      },
      look: async (rows) => {
        const areReady = rows.every(({ isReady }) => isReady)
        return { areReady, isWhole: areReady, readyText: 'All are Ready', notes: [], hints: '' }
      },
    }),
  }
}

/** Returns each kind once, with the short name and the printer columns of its definition. */
function shownKindsOf(controllers: readonly Controller[], definitions: readonly KubeObject[]): readonly ShownKind[] {
  const kinds = new Map(controllers.map((controller) => [groupResourceOf(controller.resource), controller]))
  return [...kinds.values()].map(({ resource, hasStatus }) => {
    const definition = definitionOf(resource, definitions)
    const shortNames = definition && valueAt(definition, 'spec', 'names', 'shortNames')
    const [shortName] = isJsonList(shortNames) ? shortNames : []
    const paths = columnPathsOf(definition, resource.version)
    return {
      resource,
      hasStatus,
      shortName: typeof shortName === 'string' ? shortName : resource.kind.toLowerCase(),
      detail: (listed) => detailOf(listed, paths),
    }
  })
}

/** Returns plain paths such as `.spec.image`; the table shows conditions and ages in columns of its own. */
function columnPathsOf(definition: KubeObject | undefined, version: string): readonly (readonly string[])[] {
  const versions = definition && valueAt(definition, 'spec', 'versions')
  const served = isJsonList(versions) ? versions.find((one) => isJsonObject(one) && one.name === version) : undefined
  const columns =
    isJsonObject(served) && isJsonList(served.additionalPrinterColumns) ? served.additionalPrinterColumns : []
  return columns.flatMap((column) => {
    const path = isJsonObject(column) && (column.priority ?? 0) === 0 ? column.jsonPath : undefined
    return typeof path === 'string' && /^\.(spec|status)(\.\w+)+$/.test(path) ? [path.slice(1).split('.')] : []
  })
}

const detailWidth = 19

function detailOf(listed: ListedResource, paths: readonly (readonly string[])[]): string {
  // Sound: the API server returns JSON.
  const values = paths.map((path) => path.reduce(stepInto, listed as unknown as Json))
  const text = values.filter((value) => value !== undefined && typeof value !== 'object').join(', ')
  return text.length <= detailWidth ? text : `${text.slice(0, detailWidth - 1)}…`
}

function stepInto(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

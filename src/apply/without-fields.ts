// Removal of fields that the API server named, as unknown or as fields of others. It names them by paths in the sent
// object: `spec.template.spec.containers[name="a"].imagePolicy`, `spec.items[0].b`. Pure.
import { isJsonList, isJsonObject, type Json } from '../base/json.ts'
import { wireJson } from '../base/wire-json.ts'
import { asJson, type KubeObject } from '../object/object.ts'

/** Returns the identical object if it has none of the fields. */
export function withoutFields(object: KubeObject, paths: readonly string[]): KubeObject {
  const json = asJson(object)
  // Sound: type and name of an object are always known fields.
  return paths.reduce<Json>((left, path) => without(left, `.${path}`), json) as unknown as KubeObject
}

function without(value: Json, path: string): Json {
  if (isJsonList(value)) return withoutInItems(value, path)
  if (!isJsonObject(value)) return value
  const name = Object.keys(value).find((key) => isStep(path, `.${key}`))
  if (name === undefined) return value
  const rest = path.slice(name.length + 1)
  const { [name]: field, ...others } = value
  if (rest === '' || field === undefined) return others
  const left = without(field, rest)
  return left === field ? value : { ...value, [name]: left }
}

/** Keys may have dots, so a path is matched from its beginning. */
function isStep(path: string, step: string): boolean {
  return path === step || path.startsWith(`${step}.`) || path.startsWith(`${step}[`)
}

const itemStep = /^\[(?:(\d+)|(\w+=.*?))\](?=[.[]|$)/

function withoutInItems(list: readonly Json[], path: string): Json {
  const [step, index, keys] = itemStep.exec(path) ?? []
  if (step === undefined) return list
  const isMeant = (item: Json, at: number) => (keys === undefined ? at === Number(index) : hasKeys(item, keys))
  const left = list.map((item, at) => (isMeant(item, at) ? without(item, path.slice(step.length)) : item))
  return left.some((item, at) => item !== list[at]) ? left : list
}

/** `name="a",port=80`. An undeclared key has its default. */
function hasKeys(item: Json, text: string): boolean {
  if (!isJsonObject(item)) return false
  return text.split(',').every((pair) => {
    const equals = pair.indexOf('=')
    const value = item[pair.slice(0, equals)]
    return value === undefined || wireJson(value) === pair.slice(equals + 1)
  })
}

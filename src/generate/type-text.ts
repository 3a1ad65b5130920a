// Writes names, literals and comments of TypeScript. Invariant: the text is valid for any content of a definition.
import { isJsonList, isJsonObject, type Json } from '../base/json.ts'

const lineWidth = 120

/** `ReplicatedKVStore` → `replicated-kv-store`. */
export function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
}

/** `pod-template` → `PodTemplate`, `v1beta1` → `V1Beta1`; characters that names cannot have are dropped. */
export function pascalCase(name: string): string {
  const words = name.replace(/([0-9]+)/g, '$1 ').split(/[^A-Za-z0-9]+/)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** Returns a property name, in quotes if necessary. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : literal(name)
}

/** Returns a literal: text in single quotes. */
export function literal(value: string | number | bigint | boolean): string {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'string') return String(value)
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped}'`
}

/** Returns the type of this one value: `'a'`, `readonly [1, 'b']`, `{ readonly c: true }`. */
export function literalType(value: Json): string {
  if (isJsonList(value)) return `readonly [${value.map(literalType).join(', ')}]`
  if (!isJsonObject(value)) return value === null ? 'null' : literal(value)
  const fields = Object.entries(value).map(
    ([name, field]) => `readonly ${propertyName(name)}: ${literalType(field ?? null)}`,
  )
  return fields.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${fields.join('; ')} }`
}

export interface DocComment {
  readonly description: string
  readonly constraints: readonly string[]
  readonly defaultValue?: Json
}

/** Returns the lines of a doc comment; none without content. */
export function docComment({ description, constraints, defaultValue }: DocComment, indent: string): string[] {
  const paragraphs = description.split(/\n+/).map((line) => line.trim())
  const defaultTag = defaultValue === undefined ? [] : [`@default ${JSON.stringify(defaultValue)}`]
  const width = lineWidth - indent.length - ' * '.length
  const lines = [...paragraphs, ...constraints, ...defaultTag]
    .filter((line) => line !== '')
    .flatMap((line) => wrapped(line.replaceAll('*/', '*\\/'), width))
  if (lines.length === 0) return []
  const oneLine = `${indent}/** ${lines.join(' ')} */`
  if (lines.length === 1 && oneLine.length <= lineWidth) return [oneLine]
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`]
}

/** Breaks at spaces; a word that is too long stays whole. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

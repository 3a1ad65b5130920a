import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { crdPage } from './crd-page.ts'
import { code, plain } from './markdown.ts'
import { pageAt, pagePaths, root } from './pages.ts'

interface Node {
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly additionalProperties?: Node
  readonly 'x-kubernetes-validations'?: readonly { readonly message: string }[]
}

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const files = readdirSync(new URL('crds/', root))

/** Returns every node of a schema with the path of its field, or of the field around it. */
function nodesOf(node: Node, path: string): readonly { readonly path: string; readonly node: Node }[] {
  return [
    { path, node },
    ...Object.entries(node.properties ?? {}).flatMap(([name, field]) => nodesOf(field, `${path}.${name}`)),
    ...(node.items === undefined ? [] : nodesOf(node.items, `${path}[]`)),
    ...(node.additionalProperties === undefined ? [] : nodesOf(node.additionalProperties, `${path}{}`)),
  ]
}

function definition(file: string) {
  // Own files, which the tests of crds/ check against the API server.
  const { spec } = parse(read(`crds/${file}`))
  const schema: Node = spec.versions[0].schema.openAPIV3Schema
  const { spec: desired = {}, status = {} } = schema.properties ?? {}
  const nodes = [...nodesOf(desired, 'spec'), ...nodesOf(status, 'status')]
  const columns: readonly { name: string; jsonPath: string }[] = spec.versions[0].additionalPrinterColumns
  return { schema, columns, nodes }
}

/** Maps a path like `spec.retention.keepLast` to the cells of its row. */
function rowsIn(page: string): ReadonlyMap<string, string> {
  const [, ...sections] = page.split(/^##+ /m)
  return new Map(
    sections.flatMap((section) => {
      const [heading = ''] = section.split('\n')
      const rows = [...section.matchAll(/^\| `([^`]+)` (\|.*)$/gm)]
      return rows.map(([, name, cells = '']) => [`${heading.replaceAll('\\', '')}.${name}`, cells] as const)
    }),
  )
}

it('has a page for each definition', () => {
  expect(pagePaths).toEqual(
    expect.arrayContaining(files.map((file) => `docs/reference/${file.replace('.yaml', '.md')}`)),
  )
})

describe.each(files)('reference of %s', (file) => {
  const page = pageAt(`docs/reference/${file.replace('.yaml', '.md')}`)
  const { schema, columns, nodes } = definition(file)
  const fields = nodes.filter(({ path }) => /\.\w+$/.test(path))
  const rows = rowsIn(page)

  it('has a row for each field and no other', () => {
    const documented = [...rows.keys()].filter((path) => /^(?:spec|status)\b/.test(path))
    expect(documented.sort()).toEqual(fields.map(({ path }) => path).sort())
  })

  it('has the description and the default of each field', () => {
    for (const { path, node } of fields) {
      expect(rows.get(path), path).toContain(plain(node.description ?? ''))
      if (typeof node.default === 'string' || typeof node.default === 'number') {
        expect([code(`${node.default}`), code(JSON.stringify(node.default))], path).toContain(
          rows.get(path)?.match(/`[^`]+`/)?.[0],
        )
      }
    }
  })

  it('has every pattern, allowed value and rule', () => {
    for (const { path, node } of [...nodes, { path: file, node: schema }]) {
      if (node.pattern !== undefined) expect(page, path).toContain(code(node.pattern))
      for (const value of node.enum ?? []) expect(page, path).toContain(value)
      for (const { message } of node['x-kubernetes-validations'] ?? []) expect(page, path).toContain(plain(message))
    }
  })

  it('has every printer column', () => {
    for (const { name, jsonPath } of columns)
      expect(page).toMatch(new RegExp(`^\\| \`${name}\` .*${RegExp.escape(jsonPath)}`, 'm'))
  })
})

it('writes limits, rules and nested structs of a schema', () => {
  const text = `
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Site, plural: sites, shortNames: [st] }
  versions:
    - name: v1
      storage: true
      additionalPrinterColumns: [{ name: Host, type: string, jsonPath: .spec.hosts, priority: 1 }]
      schema:
        openAPIV3Schema:
          description: A site.
          properties:
            status: { properties: {} }
            spec:
              required: [hosts]
              x-kubernetes-validations: [{ rule: self == oldSelf, message: spec is immutable }]
              properties:
                hosts:
                  type: array
                  maxItems: 3
                  x-kubernetes-list-type: set
                  items: { type: string, pattern: ^a|b$ }
                routes:
                  type: object
                  additionalProperties:
                    type: object
                    properties: { weight: { type: integer, format: int32, default: 1, minimum: 0 } }
`
  const page = crdPage({ text, source: 'site.yaml', guides: '' })
  expect(page).toContain('| `Host` | string | `.spec.hosts` | `-o wide` |')
  expect(page).toContain(
    '| `hosts` | list of string | yes | At most 3 items. No item twice.<br>Each item: Matches `^a\\|b$`. |',
  )
  expect(page).toContain('| `routes` | map of [object](#specroutes) | | |')
  expect(page).toContain('Rules:\n\n- spec is immutable (on updates).')
  expect(page).toContain('### spec.routes{}\n\n| Field | Type | Default | Description |')
  expect(page).toContain('| `weight` | integer (int32) | `1` | At least 0. |')
})

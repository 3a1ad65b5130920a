// Which kinds does the flagship define? What stands in crds/, by file name.
import { readdir, readFile } from 'node:fs/promises'
import { parse } from 'yaml'

interface Definition {
  readonly spec: {
    readonly group: string
    readonly names: { readonly plural: string }
    readonly versions: readonly { readonly name: string }[]
  }
}

const folder = new URL('../../crds/', import.meta.url)

let definitions: Promise<readonly Definition[]> | undefined

/** The CustomResourceDefinitions, read once: who tells a thousand stories makes a thousand clusters. */
export async function flagshipDefinitions(): Promise<readonly Definition[]> {
  definitions ??= readDefinitions()
  return structuredClone(await definitions)
}

async function readDefinitions(): Promise<readonly Definition[]> {
  const names = (await readdir(folder)).toSorted()
  return Promise.all(names.map(async (name) => parse(await readFile(new URL(name, folder), 'utf8'))))
}

/** Where the objects of a definition are listed. */
export function listPath({ spec: { group, names, versions } }: Definition): string {
  return `/apis/${group}/${versions[0]?.name}/${names.plural}`
}

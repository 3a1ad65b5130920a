// CustomResourceDefinitions of the flagship, read from crds/ in the order of file names.
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

/** Returns the CustomResourceDefinitions. They are read once, because a suite may start a thousand clusters. */
export async function flagshipDefinitions(): Promise<readonly Definition[]> {
  definitions ??= readDefinitions()
  return structuredClone(await definitions)
}

async function readDefinitions(): Promise<readonly Definition[]> {
  const names = (await readdir(folder)).toSorted()
  return Promise.all(names.map(async (name) => parse(await readFile(new URL(name, folder), 'utf8'))))
}

/** Returns the path that lists the objects of a definition. */
export function listPath({ spec: { group, names, versions } }: Definition): string {
  return `/apis/${group}/${versions[0]?.name}/${names.plural}`
}

// Manifests without values that the API server drops: a declared field that never comes back looks like permanent
// drift.

/** A part of a manifest in wire shape. cdk8s omits `undefined` fields. */
export type Manifest = { readonly [field: string]: unknown }

/** Returns the object, or undefined if it has no fields. */
export function unlessEmpty<Fields extends object>(fields: Fields | undefined): Fields | undefined {
  return fields === undefined || Object.keys(fields).length === 0 ? undefined : fields
}

/** Returns the list, or undefined if it has no items. */
export function unlessNone<Item>(list: readonly Item[] | undefined): readonly Item[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list
}

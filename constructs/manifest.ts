// What may stand in a manifest? Nothing that the API server drops: a field that is declared but never comes back looks
// like drift for ever.

/** A part of a manifest in wire shape. cdk8s leaves out `undefined` fields when it renders. */
export type Manifest = { readonly [field: string]: unknown }

/** The object, or nothing if it has no fields. */
export function unlessEmpty<Fields extends object>(fields: Fields | undefined): Fields | undefined {
  return fields === undefined || Object.keys(fields).length === 0 ? undefined : fields
}

/** The list, or nothing if it has no items. */
export function unlessNone<Item>(list: readonly Item[] | undefined): readonly Item[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list
}

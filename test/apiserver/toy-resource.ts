// Kind without rules of its own, to test the behaviour of the server alone.
import type { ServedResource } from '../../src/apiserver/strategy.ts'

const steps = {
  prepareForUpdate: (object: object) => object as never,
  validateUpdate: () => [],
  warningsOnUpdate: () => [],
  resetFields: [],
}

export const toys: ServedResource = {
  group: 'play.example',
  version: 'v1',
  kind: 'Toy',
  plural: 'toys',
  singular: 'toy',
  shortNames: [],
  categories: [],
  isNamespaced: true,
  isCustom: true,
  subresources: [],
  shelf: 'toys.play.example',
  scale: undefined,
  storageVersion: 'v1',
  table: {
    columns: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
    cells: (object) => [String((object['metadata'] as { name: string }).name)],
  },
  strategy: {
    ...steps,
    schema: undefined,
    decode: (body) => ({ object: body, strictErrors: [] }),
    prepareForCreate: (object) => object,
    validateCreate: () => [],
    warningsOnCreate: () => [],
    status: undefined,
    allowsUnconditionalUpdate: false,
    createsOnUpdate: false,
    selectableFields: () => ({}),
    gracePeriodSeconds: () => undefined,
    defaultPropagation: 'Background',
    warningsOnDelete: () => [],
    returnsDeletedObject: false,
  },
}

// CRDs from before keys of konverge.dev were reserved. Objects that were stored then still exist.
import { CustomResourceDefinition } from '../../src/index.ts'
import type { TestCluster } from '../../src/testing/index.ts'

const ruleOfReservedKeys = 'keys of konverge.dev'

/** From here on the API server accepts reserved keys in specs. */
export async function admitReservedKeys(cluster: TestCluster): Promise<void> {
  for (const { metadata, spec } of await cluster.list(CustomResourceDefinition)) {
    await cluster.patch(CustomResourceDefinition, metadata.name, { spec: withoutRule(spec) })
  }
  await cluster.advance(1)
}

function withoutRule(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isRule(item)).map(withoutRule)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutRule(member)]))
}

function isRule(item: unknown): boolean {
  const { rule, message } = (item ?? {}) as { readonly rule?: unknown; readonly message?: unknown } // The item is a rule, or any other value.
  return typeof rule === 'string' && typeof message === 'string' && message.startsWith(ruleOfReservedKeys)
}

// Definitions as they were before keys of konverge.dev were reserved: an object that was stored then is still there.
import { CustomResourceDefinition } from '../../src/index.ts'
import type { TestCluster } from '../../src/testing/index.ts'

const ruleOfReservedKeys = 'keys of konverge.dev'

/** From here on the API server takes reserved keys in specs. */
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
  const { rule, message } = (item ?? {}) as { readonly rule?: unknown; readonly message?: unknown } // A rule, or anything else.
  return typeof rule === 'string' && typeof message === 'string' && message.startsWith(ruleOfReservedKeys)
}

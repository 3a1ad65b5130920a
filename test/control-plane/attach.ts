// Access of a test file to the control plane that vitest started for its project (vitest-global-setup.ts).
import { inject } from 'vitest'
import { ControlPlaneClient } from './control-plane-client.ts'
import type {} from './vitest-global-setup.ts' // Types of provided values.

/**
 * Returns the shared control plane. A test cannot stop or restart it; a test that needs that starts its own. Each test
 * keeps its
 * objects in its own namespace.
 */
export function attachToControlPlane(): ControlPlaneClient {
  return new ControlPlaneClient(inject('controlPlane'))
}

// How does a test file use the control plane that vitest started for its whole project (vitest-global-setup.ts)?
import { inject } from 'vitest'
import { ControlPlaneClient } from './control-plane-client.ts'
import type {} from './vitest-global-setup.ts' // Declares what is provided.

/**
 * The shared control plane. It cannot be stopped or restarted from here: a test that needs that starts its own. What a
 * test makes in it, it keeps in a namespace of its own.
 */
export function attachToControlPlane(): ControlPlaneClient {
  return new ControlPlaneClient(inject('controlPlane'))
}

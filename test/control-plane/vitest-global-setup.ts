// One control plane for all test files of a vitest project. Set this file as `globalSetup` of the project. Its test
// files call
// attachToControlPlane() of attach.ts.
import type { TestProject } from 'vitest/node'
import { startControlPlane } from './control-plane.ts'
import type { ControlPlaneConnection } from './control-plane-client.ts'

declare module 'vitest' {
  interface ProvidedContext {
    controlPlane: ControlPlaneConnection
  }
}

/** Vitest calls this once before the first test file, and the returned function after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const controlPlane = await startControlPlane({ kwok: { nodes: 5 }, auditLog: true })
  project.provide('controlPlane', controlPlane.connection)
  return () => controlPlane.stop()
}

// The stage of stories with faults on a real control plane: one for all tellings of a test file, with one node.
import { afterAll, beforeAll } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { RealStoryServer } from './real-story-server.ts'
import type { StoryStageOptions } from './story-stage.ts'

/** To be called where vitest collects tests; what it gives back is for the tests. */
export function realStage(): () => StoryStageOptions {
  let cluster: ControlPlane
  let server: RealStoryServer
  beforeAll(async () => {
    cluster = await startControlPlane({ kwok: { nodes: 1 }, auditLog: true })
    server = await RealStoryServer.start(cluster)
  })
  afterAll(async () => await cluster?.stop())
  return () => ({ start: async () => server, lanes: 3 })
}

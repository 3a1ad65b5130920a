// Stage for fault stories on the embedded server: each run has its own cluster, which takes milliseconds.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import type { StoryStageOptions } from './story-stage.ts'

export function embeddedStage(): StoryStageOptions {
  return { start: () => EmbeddedStoryServer.start({ nodes: 1 }), lanes: 0 }
}

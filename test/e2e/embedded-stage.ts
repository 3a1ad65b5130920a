// The stage of stories with faults on the server in this process: a cluster of its own for each telling, which costs milliseconds.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import type { StoryStageOptions } from './story-stage.ts'

export function embeddedStage(): StoryStageOptions {
  return { start: () => EmbeddedStoryServer.start({ nodes: 1 }), lanes: 0 }
}

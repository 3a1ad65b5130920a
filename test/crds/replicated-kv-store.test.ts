// The CRD of ReplicatedKVStore and its rules on the embedded API server.
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeDefinition } from './definition-story.ts'

describeDefinition(EmbeddedStoryServer.start)

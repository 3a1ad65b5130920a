// Does the server in this process take the definition of ReplicatedKVStore, and keep from the store what would break it?
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { describeDefinition } from './definition-story.ts'

describeDefinition(EmbeddedStoryServer.start)

// Controller of a task in steps: an Archive moves to another folder. docs/sagas.md explains it.
import { type Controller, type DesiredSaga, defineController, defineSaga, type SagaContext } from '../../src/index.ts'
import { Archive, type ArchiveFacts, type ArchiveSpec, type ArchiveStatus } from './archive-kind.ts'
import type { Files } from './files.ts'
import { CleanStep, CopyStep, SwitchStep } from './move-steps.ts'

type Context = SagaContext<ArchiveSpec, ArchiveStatus, ArchiveFacts>

const moveIn = (files: Files) =>
  defineSaga({
    name: 'move',
    pivot: 'Switch',
    retryAdvice: 'raise spec.attempt',
    steps: () => [new CopyStep(files), new SwitchStep(files), new CleanStep(files)],
    desired: ({ object: { spec }, facts }: Context): DesiredSaga => {
      const { folder: from } = facts
      const { folder: to, attempt } = spec
      if (from === to) return { kind: 'cancelled', message: 'its files are wanted where they are' }
      const input = { to, ...(from === undefined ? {} : { from }) }
      return { kind: 'wanted', id: `${from ?? 'nowhere'}-to-${to}-${attempt}`, input }
    },
  })

/** Returns the controller of the archives whose folders are in `files`. */
export function archiveController(files: Files): Controller {
  return defineController<ArchiveSpec, ArchiveStatus, ArchiveFacts>(Archive, {
    owns: [],
    observe: async ({ object }) => ({ folder: await files.pointer(object.metadata.name) }),
    desired: () => {},
    sagas: [moveIn(files)],
    status: ({ facts, sagas }) => {
      const [move] = sagas
      const isMoving = move?.state === 'running' || move?.state === 'compensating'
      return {
        fields: facts?.folder === undefined ? {} : { folder: facts.folder },
        conditions: [
          {
            type: 'Moving',
            status: isMoving ? 'True' : 'False',
            reason: move?.reason ?? '',
            message: move?.message ?? '',
          },
        ],
      }
    },
  })
}
